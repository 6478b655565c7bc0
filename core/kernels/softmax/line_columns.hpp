// Softmax and its logarithm of neighbouring lines, an element of each in a vector; the same bits as those of
// one line.
#pragma once

#include <limits>
#include <utility>

#include "kernels/softmax/column_shares.hpp"
#include "kernels/softmax/line.hpp"

namespace samesum::SAMESUM_ISA {

template <class A>
struct Columns {
    using Vector = typename A::Vector;
    using Mask = typename A::Mask;
    using Power = typename A::Power;
    using Shares = ColumnShares<typename A::Sums>;

    const LineColumns& lines;
    std::size_t first, count;  // of the lines, those that this vector takes
    Vector* const elements;    // of the lines; of softmax later the roots of their powers
    Vector* const growths;

    SAMESUM_INLINE Vector at(std::size_t i) const {
        const char* const p = lines.x + static_cast<std::ptrdiff_t>(i) * lines.in + first * Line<A>::size;
        return count == A::elements ? A::load_whole(p) : A::load_part(p, count);
    }

    SAMESUM_INLINE void put(std::size_t i, Vector v) const {
        A::store_part(lines.out + static_cast<std::ptrdiff_t>(i) * lines.to + first * Line<A>::size, v,
                      count);
    }

    // The greatest elements, NaNs apart; the elements are copied on the way.
    Vector greatest() const {
        Vector most = Line<A>::same(-infinity);
        const std::ptrdiff_t ahead = 8 * lines.in;
        for (std::size_t i = 0; i < lines.n; ++i) {
            const Vector v = at(i);
            if (i + 8 < lines.n)
                __builtin_prefetch(lines.x + static_cast<std::ptrdiff_t>(i) * lines.in + ahead);
            elements[i] = v;
            most = greater(v, most);
        }
        return most;
    }

    // Where the lines have a result.
    static Mask have_result(Vector most, const typename A::Total& total) {
        const Mask none = {}, finite = (most - most == most - most) ? none - 1 : none;
        return finite & A::is_number(total);
    }

    // Of a line that has a result, or NaN.
    SAMESUM_INLINE void put_if(Mask has, std::size_t i, Vector v) const {
        put(i, has ? v : Line<A>::same(std::numeric_limits<typename A::Scalar>::quiet_NaN()));
    }

    template <std::size_t some>
    SAMESUM_INLINE void put_quotients(std::size_t i, const typename A::Reciprocal& inverse, Mask has) const {
        Power p[some];
        Vector v[some];
        for_each_of<some>([&](std::size_t k) { p[k] = {elements[i + k], growths[i + k]}; });
        inverse.times(p, v);
        for_each_of<some>([&](std::size_t k) { put_if(has, i + k, v[k]); });
    }

    void put_softmax(const typename A::Total& total, Mask has) const {
        const auto inverse = A::Reciprocal::of(total);
        std::size_t i = 0;
        for (; i + 4 <= lines.n; i += 4) put_quotients<4>(i, inverse, has);
        for (; i < lines.n; ++i) put_quotients<1>(i, inverse, has);
    }

    template <class Result>
    SAMESUM_INLINE void put_each(Mask has, Result result) const {
        for (std::size_t i = 0; i < lines.n; ++i) put_if(has, i, result(elements[i]));
    }

    void run_softmax() const {
        const Vector most = greatest();
        const Mask near = A::Near::holds(most);
        Shares shares(lines.n, elements, growths);
        if (are_all(near))
            shares.template take<false>(typename A::Near{});
        else
            shares.template take<false>(A::Below::of(most, near));
        const auto total = shares.total();
        put_softmax(total, have_result(most, total));
    }

    void run_logarithm() const {
        const Vector most = greatest();
        Mask near = Line<A>::template are_near<true>(most, lines.n);
        typename A::Logarithm logs = {};
        if (!are_all(~near)) {
            Shares shares(lines.n, elements, growths);
            shares.template take<true>(typename A::Near{});
            logs = A::logarithm(Mask{}, shares.total());
            near &= A::is_distant(logs, most);
            if (are_all(near)) return put_each(near, [&](Vector v) { return A::near_quotient(v, logs); });
        }
        run_distant_logarithm(most, near, logs);
    }

    // Lines that are not near zero, and perhaps some that are, to the same bits: `near` tells.
    struct Distant {
        Vector most;
        Mask near, equal, has;
        typename A::Total total;
        typename A::Logarithm logs;

        SAMESUM_INLINE void add(const Columns& of) {
            Shares shares(of.lines.n, of.elements, of.growths);
            shares.template take<true>(A::Below::of(most, near));
            equal = shares.equal;
            total = shares.total();
            has = have_result(most, total);
        }
        SAMESUM_INLINE void find_logarithms() {
            logs = A::logarithm(equal, A::relative(total, A::Below::of(most, near)));
        }
        SAMESUM_INLINE void put(const Columns& to) const {
            to.put_each(has, [&, from = Line<A>::unsigned_zero(most)](Vector v) {
                return A::log_quotient(v, from, logs);
            });
        }
        SAMESUM_INLINE void put(const Columns& to, const typename A::Logarithm& near_logs) const {
            to.put_each(has, [&, from = Line<A>::unsigned_zero(most)](Vector v) {
                return near ? A::near_quotient(v, near_logs) : A::log_quotient(v, from, logs);
            });
        }
    };

    void run_distant_logarithm(Vector most, Mask near, const typename A::Logarithm& near_logs) const {
        Distant all{most, near, {}, {}, {}, {}};
        all.add(*this);
        all.find_logarithms();
        all.put(*this, near_logs);
    }

    // Of the vectors that share the room number k.
    static SAMESUM_INLINE Columns at(const LineColumns& lines, std::size_t first, void* room, std::size_t k) {
        Vector* const elements = static_cast<Vector*>(room) + k * lines.n;
        return {lines, first, std::min(lines.count - first, A::elements), elements, elements + lines.n};
    }

    struct Place {
        const LineColumns* lines;
        std::size_t first;
    };

    // Lines so short that they all go that way. The logarithms of several vectors' totals are under way
    // together: each is a chain as long as all else.
    static SAMESUM_APART void run_short_logarithms(const Place* place, std::size_t count, void* room) {
        Distant part[column_vectors];
        for (std::size_t k = 0; k < count; ++k) {
            const Columns some = at(*place[k].lines, place[k].first, room, k);
            part[k].most = some.greatest();
            part[k].near = Mask{};
            part[k].add(some);
        }
        for (std::size_t k = 0; k < count; ++k) part[k].find_logarithms();
        for (std::size_t k = 0; k < count; ++k) part[k].put(at(*place[k].lines, place[k].first, room, k));
    }

    // Lines of one element each, of which nothing but NaN or the finite 1 comes, or its logarithm.
    SAMESUM_INLINE void put_lone(typename A::Scalar result) const {
        const Vector x = at(0), none = {};
        put(0, x - x == 0 ? none + result : none + std::numeric_limits<typename A::Scalar>::quiet_NaN());
    }

    // Of those that there are.
    bool are_all(Mask of_lines) const {
        for (std::size_t k = count; k < A::elements; ++k) of_lines[k] = -1;
        return !any(~of_lines);
    }

    template <bool log>
    static void run_each(const LineColumns& lines, void* room) {
        for (std::size_t first = 0; first < lines.count; first += A::elements) {
            const Columns some = at(lines, first, room, 0);
            if (lines.n == 1)
                some.put_lone(log ? 0 : 1);
            else
                log ? some.run_logarithm() : some.run_softmax();
        }
    }

    template <bool log>
    static void columns(const LineColumns* parts, std::size_t count, void* room) {
        const bool is_short = parts->n > 1 && parts->n < least_near_logarithm;
        Place place[column_vectors];
        std::size_t number = 0;
        for (const LineColumns* part = parts; part < parts + count; ++part) {
            if (!log || !is_short) {
                run_each<log>(*part, room);
                continue;
            }
            for (std::size_t first = 0; first < part->count; first += A::elements) {
                place[number++] = {part, first};
                if (number == column_vectors) run_short_logarithms(place, std::exchange(number, 0), room);
            }
        }
        if (number > 0) run_short_logarithms(place, number, room);
    }
};

}  // namespace samesum::SAMESUM_ISA
