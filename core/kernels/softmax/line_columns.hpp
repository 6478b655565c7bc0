// Softmax and its logarithm of neighbouring lines, an element of each in a vector; the same bits as those of
// one line.
#pragma once

#include <limits>

#include "kernels/softmax/line.hpp"
#include "kernels/softmax/steps.hpp"

namespace samesum::SAMESUM_ISA {

template <class A>
struct Columns {
    using Arithmetic = A;
    using Vector = typename A::Vector;
    using Mask = typename A::Mask;
    using Power = typename A::Power;
    using Total = typename A::Total;
    static constexpr bool expects_distant = true;

    // A vector of lines. What loops take from it is copied first: results could change what it points to.
    struct Place {
        LineColumns lines;
        std::size_t first, count;  // of the lines, those that this vector takes
        Vector* elements;          // of the lines; of softmax later the roots of their powers
        Vector* growths;

        SAMESUM_INLINE Vector at(std::size_t i) const {
            const char* const p = lines.x + static_cast<std::ptrdiff_t>(i) * lines.in + first * Line<A>::size;
            return count == A::elements ? A::load_whole(p) : A::load_part(p, count);
        }
        SAMESUM_INLINE void put(std::size_t i, Vector v) const {
            A::store_part(lines.out + static_cast<std::ptrdiff_t>(i) * lines.to + first * Line<A>::size, v,
                          count);
        }
    };
    Place place;
    Vector greatest;
    Total sum;
    Mask equal;

    // From line `first` on, with a buffer of two vectors for each element.
    SAMESUM_INLINE void begin(const LineColumns& all, std::size_t first, void* buffer) {
        Vector* const elements = static_cast<Vector*>(buffer);
        place = {all, first, std::min(all.count - first, A::elements), elements, elements + all.n};
    }

    std::size_t length() const { return place.lines.n; }
    SAMESUM_INLINE const Total& total() const { return sum; }
    SAMESUM_INLINE Vector most() const { return greatest; }
    SAMESUM_INLINE Mask counts() const { return equal; }

    bool are_all(Mask of_lines) const {
        for (std::size_t k = place.count; k < A::elements; ++k) of_lines[k] = -1;
        return !any(~of_lines);
    }

    // NaNs apart; the elements are copied on the way.
    SAMESUM_INLINE void find_greatest() {
        const Place here = place;
        Vector most = Line<A>::same(-infinity);
        const std::ptrdiff_t ahead = 8 * here.lines.in;
        for (std::size_t i = 0; i < here.lines.n; ++i) {
            const Vector v = here.at(i);
            if (i + 8 < here.lines.n)
                __builtin_prefetch(here.lines.x + static_cast<std::ptrdiff_t>(i) * here.lines.in + ahead);
            here.elements[i] = v;
            most = greater(v, most);
        }
        greatest = most;
    }

    template <bool log>
    SAMESUM_INLINE void add_near() {
        add(typename A::Near{}, log ? Powers::added : Powers::kept);
    }
    // All lines again: those near zero and those that are done come to the same.
    template <bool log>
    SAMESUM_INLINE void add_below(Mask near, Mask) {
        add(A::Below::of(greatest, near), log ? Powers::counted : Powers::kept);
    }
    template <class Against>
    SAMESUM_INLINE void add(const Against& against, Powers use) {
        ColumnShares<typename A::Sums> shares(length(), place.elements, place.growths);
        sum = shares.take(against, use);
        equal = shares.equal;
    }

    // put_here(place, put(i, v)) writes results of lines that have one, or NaN.
    template <class Put>
    SAMESUM_INLINE void put_all(Put put_here) const {
        const Place here = place;
        const Mask none = {}, finite = (greatest - greatest == greatest - greatest) ? none - 1 : none,
                   has = finite & A::is_number(sum);
        put_here(here, [&](std::size_t i, Vector v) SAMESUM_INLINED {
            here.put(i, has ? v : Line<A>::same(std::numeric_limits<typename A::Scalar>::quiet_NaN()));
        });
    }

    template <std::size_t some, class Put>
    static SAMESUM_INLINE void put_quotients(const Place& here, std::size_t i,
                                             const typename A::Reciprocal& inverse, Put put) {
        Power p[some];
        Vector v[some];
        for_each_of<some>([&](std::size_t k) { p[k] = {here.elements[i + k], here.growths[i + k]}; });
        inverse.times(p, v);
        for_each_of<some>([&](std::size_t k) SAMESUM_INLINED { put(i + k, v[k]); });
    }

    SAMESUM_INLINE void put(const Quotients<A, false>& quotients) const {
        put_all([inverse = quotients.inverse](const Place& here, auto put) SAMESUM_INLINED {
            std::size_t i = 0;
            for (; i + 4 <= here.lines.n; i += 4) put_quotients<4>(here, i, inverse, put);
            for (; i < here.lines.n; ++i) put_quotients<1>(here, i, inverse, put);
        });
    }

    template <class Result>
    SAMESUM_INLINE void put_each(Result result) const {
        put_all([&](const Place& here, auto put) SAMESUM_INLINED {
            for (std::size_t i = 0; i < here.lines.n; ++i) put(i, result(here.elements[i]));
        });
    }

    SAMESUM_INLINE void put(const Quotients<A, true>& quotients) const {
        const auto near_logs = quotients.near_logs, logs = quotients.logs;
        const Mask near = quotients.near.mask;
        const Vector from = Line<A>::unsigned_zero(greatest);
        if (quotients.near.none) return put_each([=](Vector v) { return A::log_quotient(v, from, logs); });
        if (quotients.near.all) return put_each([=](Vector v) { return A::near_quotient(v, near_logs); });
        put_each(
            [=](Vector v) { return near ? A::near_quotient(v, near_logs) : A::log_quotient(v, from, logs); });
    }

    // Lines of one element each, of which nothing but NaN or the finite 1 comes, or its logarithm.
    SAMESUM_INLINE void put_lone(typename A::Scalar result) const {
        const Vector x = place.at(0), none = {};
        place.put(0,
                  x - x == 0 ? none + result : none + std::numeric_limits<typename A::Scalar>::quiet_NaN());
    }

    template <bool log>
    static void columns(const LineColumns& all, void* buffer) {
        for (std::size_t first = 0; first < all.count; first += A::elements) {
            Steps<Columns, log> one;
            one.lines.begin(all, first, buffer);
            all.n == 1 ? one.lines.put_lone(log ? 0 : 1) : one.run();
        }
    }
};

}  // namespace samesum::SAMESUM_ISA
