// Sums of exponentials of integers: e^(x - top) is one of few numbers, which a table has.
#pragma once

#include <limits>

#include "arithmetic/rounding.hpp"
#include "kernels/exponentials/exponential_sum.hpp"
#include "kernels/exponentials/negative_powers.hpp"
#include "kernels/loops/lanes.hpp"

namespace samesum::SAMESUM_ISA {

// Unsigned numbers are gone through as signed ones that are less by half of their range, by `flip`: their
// order and their distances are the same.
template <class Integer>
struct SignedExponentials {
    using Bits = std::make_unsigned_t<Integer>;
    using States = ExponentialSum<Float64>;
    using Tile = ExponentialStates::Tile;
    typedef Integer Integers __attribute__((vector_size(vector_bytes)));
    typedef Bits Distances __attribute__((vector_size(vector_bytes)));
    static constexpr std::size_t lanes = elements_of<Integers>;

    // Of both parts at once.
    typedef double Pair __attribute__((vector_size(16)));

    static SAMESUM_INLINE Integer at(const char* p, std::size_t i) {
        return load<Integer>(p + i * sizeof(Integer));
    }
    template <class T>
    static SAMESUM_INLINE T greater(T a, T b) {
        return a > b ? a : b;
    }
    // How far x is below top; the table has no more.
    template <class T>
    static SAMESUM_INLINE T distance(T top, T x) {
        constexpr Bits most = power_count - 1;
        const T far = static_cast<T>(T{} + most), d = static_cast<T>(top - x);
        return d < far ? d : far;
    }
    static SAMESUM_INLINE Pair power(std::size_t distance) { return load<Pair>(negative_powers[distance]); }

    // As it is, not flipped.
    static SAMESUM_INLINE Integer greatest_of(const char* p, std::size_t n, Integer flip) {
        Integer top = static_cast<Integer>(at(p, 0) ^ flip);
        if (n < lanes / 2) {
            for (std::size_t i = 1; i < n; ++i) top = greater(top, static_cast<Integer>(at(p, i) ^ flip));
            return static_cast<Integer>(top ^ flip);
        }
        Integers side[4] = {};
        for (Integers& s : side) s += top;
        each_vector<Integers>(p, n, [&](std::size_t k, Integers x) { side[k] = greater(side[k], x ^ flip); });
        const Integers all = greater(greater(side[0], side[1]), greater(side[2], side[3]));
        return static_cast<Integer>(across(all, [](Integers a, Integers b) { return greater(a, b); }) ^ flip);
    }

    static SAMESUM_INLINE double double_of(Integer x, Integer flip) {
        return flip == 0 ? double_or_nan(x) : double_or_nan(static_cast<Bits>(x));
    }

    // Of n elements not above top, a vector of distances at a time.
    static SAMESUM_INLINE Pair powers_of(const char* p, std::size_t n, Integer top) {
        Pair sum[4] = {};
        const Distances tops = Distances{} + static_cast<Bits>(top);
        std::size_t i = 0;
        for (; i + lanes <= n; i += lanes, p += vector_bytes) {
            Bits d[lanes];
            store(d, distance(tops, load<Distances>(p)));
            for (std::size_t k = 0; k < lanes; ++k) sum[k % 4] += power(d[k]);
        }
        for (; i < n; ++i, p += sizeof(Integer))
            sum[i % 4] += power(distance(static_cast<Bits>(top), static_cast<Bits>(at(p, 0))));
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }

    // Of `count` elements, of which one is counted apart where it is the top.
    static SAMESUM_INLINE Exponentials exponentials(Doubles top, Doubles equal, Doubles high, Doubles low,
                                                    double count) {
        Exponentials s{top, equal, Doubles{}, Doubles{}, Doubles{} + count * power_error};
        two_sum(high - equal, low, s.sum, s.rest);
        return s;
    }

    static SAMESUM_APART void lane(void* tile, std::size_t j, const void* x, std::size_t n, Integer flip) {
        const char* p = static_cast<const char*>(x);
        const Integer top = greatest_of(p, n, flip);
        const Pair sum = powers_of(p, n, top);
        const Doubles none = {};
        States::join(*static_cast<Tile*>(tile), j,
                     exponentials(none + double_of(top, flip), none + 1, none + sum[0], none + sum[1],
                                  static_cast<double>(n)));
    }

    // Columns and rows that are taken at once.
    static constexpr std::size_t strip = 32, batch = 64;
    static_assert(block_elements <= exact_powers && batch <= exact_powers && strip % width == 0);

    // Of columns whose states fill a vector.
    typedef Integer Tops __attribute__((vector_size(width * sizeof(Integer))));

    // Of what is not flipped.
    static SAMESUM_INLINE Doubles doubles_of(Tops x, Integer flip) {
        if constexpr (sizeof(Integer) < sizeof(double)) {
            const Tops key = static_cast<Tops>(x ^ flip);
            return __builtin_convertvector(key, Doubles) - static_cast<double>(flip);
        } else {
            constexpr Integer limit = Integer{1} << 53;
            const Longs far = (x > limit) | (x < (flip == 0 ? -limit : 0));
            return far ? Doubles{} + __builtin_nan("") : __builtin_convertvector(x, Doubles);
        }
    }

    // The other way, of numbers that doubles hold.
    static SAMESUM_INLINE Tops integers_of(Doubles x, Integer flip) {
        if constexpr (sizeof(Integer) < sizeof(double))
            return static_cast<Tops>(__builtin_convertvector(x + static_cast<double>(flip), Tops) ^ flip);
        else
            return __builtin_convertvector(x, Tops);
    }

    struct Strip {
        Integer top[strip];
        alignas(64) double greatest[strip], equal[strip], high[strip], low[strip];
    };

    // The greatest element of each column, also of those before.
    static SAMESUM_INLINE void find_tops(Strip& s, const double* before, const char* p,
                                         std::ptrdiff_t row_stride, std::size_t rows, std::size_t n,
                                         Integer flip) {
        for (std::size_t j = 0; j < n; ++j) s.top[j] = static_cast<Integer>(at(p, j) ^ flip);
        for (std::size_t r = 1; r < rows; ++r) {
            const char* row = p + static_cast<std::ptrdiff_t>(r) * row_stride;
            for (std::size_t j = 0; j < n; ++j)
                s.top[j] = greater(s.top[j], static_cast<Integer>(at(row, j) ^ flip));
        }
        for (std::size_t j = 0; j < n; j += width) {
            const Tops top = static_cast<Tops>(load<Tops>(s.top + j) ^ flip);
            const Doubles here = doubles_of(top, flip), old = load<Doubles>(before + j), none = {};
            const Longs is_below = here < old;
            store(s.greatest + j, is_below | (old != old) ? old : here);
            store(s.equal + j, is_below ? none : none + 1);
            store(s.top + j, top);
            if (any(is_below))
                store(s.top + j, __builtin_convertvector(is_below, Tops)
                                     ? integers_of(is_below ? old : none, flip)
                                     : top);
        }
        // What else is in a last vector stays as it is: the tile may have more columns.
        for (std::size_t j = n; j % width != 0; ++j) {
            s.greatest[j] = before[j];
            s.equal[j] = 0;
        }
    }

    template <std::size_t columns>
    static SAMESUM_INLINE void add_powers(Strip& s, std::size_t j, const char* p, std::ptrdiff_t row_stride,
                                          std::size_t rows) {
        typedef Bits Some __attribute__((vector_size(columns * sizeof(Bits))));
        Pair sum[columns] = {};
        const Some tops = load<Some>(s.top + j);
        p += j * sizeof(Integer);
        for (std::size_t r = 0; r < rows; ++r, p += row_stride) {
            Bits d[columns];
            store(d, distance(tops, load<Some>(p)));
            for (std::size_t k = 0; k < columns; ++k) sum[k] += power(d[k]);
        }
        for (std::size_t k = 0; k < columns; ++k) {
            s.high[j + k] = sum[k][0];
            s.low[j + k] = sum[k][1];
        }
    }

    static void add_strip(Tile& t, std::size_t first, const char* p, std::ptrdiff_t row_stride,
                          std::size_t rows, std::size_t n, Integer flip) {
        Strip s{};
        find_tops(s, t.top + first, p, row_stride, rows, n, flip);
        std::size_t j = 0;
        for (; j + width <= n; j += width) add_powers<width>(s, j, p, row_stride, rows);
        for (; j < n; ++j) add_powers<1>(s, j, p, row_stride, rows);
        for (j = 0; j < n; j += width) {
            const Exponentials old = States::at(t, first + j),
                               now = exponentials(load<Doubles>(s.greatest + j), load<Doubles>(s.equal + j),
                                                  load<Doubles>(s.high + j), load<Doubles>(s.low + j),
                                                  static_cast<double>(rows));
            const Exponentials all = States::after(old, now);
            States::put(t, first + j, all);
        }
    }

    // Columns too few for a vector, each as a lane.
    static void add_few(void* tile, const char* p, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n,
                        Integer flip) {
        constexpr std::size_t most = 1024;
        char column[most * sizeof(Integer)];
        for (std::size_t r = 0; r < rows; r += most, p += static_cast<std::ptrdiff_t>(most) * row_stride) {
            const std::size_t now = rows - r < most ? rows - r : most;
            for (std::size_t j = 0; j < n; ++j) {
                const char* from = p + j * sizeof(Integer);
                for (std::size_t i = 0; i < now; ++i, from += row_stride)
                    std::memcpy(column + i * sizeof(Integer), from, sizeof(Integer));
                lane(tile, j, column, now, flip);
            }
        }
    }

    static SAMESUM_APART void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                                      std::size_t n, Integer flip) {
        const char* p = static_cast<const char*>(x);
        if (n < width && rows >= batch) return add_few(tile, p, row_stride, rows, n, flip);
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t r = 0; r < rows; r += batch, p += static_cast<std::ptrdiff_t>(batch) * row_stride) {
            const std::size_t now = rows - r < batch ? rows - r : batch;
            for (std::size_t j = 0; j < n; j += strip)
                add_strip(t, j, p + j * sizeof(Integer), row_stride, now, n - j < strip ? n - j : strip,
                          flip);
        }
    }
};

template <class Integer>
struct IntegerExponentials {
    using Signed = std::make_signed_t<Integer>;
    using Sums = SignedExponentials<Signed>;
    static constexpr Signed flip = std::is_signed_v<Integer> ? Signed{0} : std::numeric_limits<Signed>::min();

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Sums::lane(tile, j, x, n, flip);
    }
    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Sums::columns(tile, x, row_stride, rows, n, flip);
    }
    static constexpr Method method() {
        using States = typename Sums::States;
        return {tile_columns, States::init,  each_lane<lane>,
                columns,      States::merge, States::template finish<88, true>};
    }
};

}  // namespace samesum::SAMESUM_ISA
