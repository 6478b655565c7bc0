// Winograd's F(4, 3): four neighbouring outputs of three taps from six products of transformed numbers, at
// the points 0, 1, -1, 2, -2 and infinity. (Lemma 91)
#pragma once

#include "kernels/contractions/panels.hpp"
#include "kernels/contractions/tiles.hpp"

namespace samesum::SAMESUM_ISA {

// Six neighbouring elements of data.
SAMESUM_INLINE void transform_data(const Doubles (&x)[6], Doubles (&at)[winograd_points]) {
    const Doubles p = x[4] - 4.0 * x[2], q = x[3] - 4.0 * x[1], r = x[4] - x[2], s = 2.0 * (x[3] - x[1]);
    at[0] = (4.0 * x[0] + x[4]) - 5.0 * x[2], at[1] = p + q, at[2] = p - q, at[3] = r + s, at[4] = r - s,
    at[5] = (4.0 * x[1] + x[5]) - 5.0 * x[3];
}

// Of a panel of rows with `taps` terms for each of so many lines: three at a time, the last ones with zeros.
// Adds the squares of what the transformed ones are at most, of each row those at all points side by side.
inline void transform_taps(const double* panel, std::size_t lines, std::size_t taps, double* to,
                           std::size_t pitch, double* squares) {
    constexpr std::size_t vectors = (tile_rows + width - 1) / width;
    Doubles sums[vectors][winograd_points] = {};
    // The last vector may have rows of the one before it, too.
    const auto row = [](std::size_t v) SAMESUM_INLINED {
        return v * width < tile_rows - width ? v * width : tile_rows - width;
    };
    for (std::size_t line = 0; line < lines; ++line, panel += taps * tile_rows) {
        for (std::size_t first = 0; first < taps; first += 3, to += tile_rows) {
            for_each_of<vectors>([&](std::size_t v) SAMESUM_INLINED {
                const double* const p = panel + first * tile_rows + row(v);
                const Doubles x = load<Doubles>(p),
                              y = first + 1 < taps ? load<Doubles>(p + tile_rows) : Doubles{},
                              z = first + 2 < taps ? load<Doubles>(p + 2 * tile_rows) : Doubles{};
                const auto even = [](Doubles a, Doubles c) SAMESUM_INLINED { return (a + c) * (1.0 / 6); };
                const auto far = [](Doubles a, Doubles c)
                                     SAMESUM_INLINED { return a * (1.0 / 24) + c * (1.0 / 6); };
                const Doubles e = even(x, z), o = y * (1.0 / 6), f = far(x, z), h = y * (1.0 / 12);
                const Doubles at[winograd_points] = {x * 0.25, Doubles{} - e - o, o - e, f + h, f - h, z};
                const Doubles a = magnitude(x), b = magnitude(y), c = magnitude(z);
                const Doubles near = even(a, c) + b * (1.0 / 6), wide = far(a, c) + b * (1.0 / 12);
                const Doubles most[winograd_points] = {a * 0.25, near, near, wide, wide, c};
                for_each_of<winograd_points>([&](std::size_t t) SAMESUM_INLINED {
                    store(to + t * pitch + row(v), at[t]);
                    sums[v][t] = roughly_fused(most[t], most[t], sums[v][t]);
                });
            });
        }
    }
    for (std::size_t t = 0; t < winograd_points; ++t) {
        double total[tile_rows];
        for (std::size_t v = 0; v < vectors; ++v) store(total + row(v), sums[v][t]);
        for (std::size_t r = 0; r < tile_rows; ++r) squares[r * winograd_points + t] += total[r];
    }
}

// A vector of columns: two runs of neighbours, of which the second one begins with number `second`. What lies
// behind the first one and before the second one is readable.
struct ColumnRuns {
    std::int64_t places[2], all[width];
    std::size_t second = width;
    bool are_two = true;

    ColumnRuns(const std::int64_t* rows, std::size_t size) {
        for (std::size_t l = 0; l < width; ++l) {
            all[l] = rows[l];
            if (l == 0 || rows[l] == rows[l - 1] + static_cast<std::int64_t>(size)) continue;
            are_two &= second == width && rows[l] > rows[l - 1];
            second = l;
        }
        places[0] = all[0];
        places[1] = second < width ? all[second] - static_cast<std::int64_t>(second * size) : all[0];
    }

    template <class F>
    SAMESUM_INLINE Doubles load_at(const char* p, Longs is_first) const {
        if (second == width) return F::doubles(p + places[0]);
        if (are_two) return is_first ? F::doubles(p + places[0]) : F::doubles(p + places[1]);
        double numbers[width];
        for (std::size_t l = 0; l < width; ++l) numbers[l] = FloatsTo<double, F>::one(p + all[l]);
        return load<Doubles>(numbers);
    }
};

// Up to a panel of columns: term k of them has its six elements at terms[6 k] and behind. Adds the squares of
// these, and repeats the last column where there are fewer.
template <class F>
void transform_columns(const OperandPart& part, double* to, std::size_t pitch, double* squares) {
    constexpr std::size_t columns = RegisterTile<double, double>::columns;
    std::int64_t places[columns];
    for (std::size_t j = 0; j < columns; ++j)
        places[j] = part.rows[j < part.row_count ? j : part.row_count - 1];
    for (std::size_t j = 0; j < columns; j += width) {
        const ColumnRuns runs(places + j, F::size);
        Longs is_first;
        for (std::size_t l = 0; l < width; ++l) is_first[l] = l < runs.second ? -1 : 0;
        Doubles sum[6] = {};
        for (std::size_t k = 0; k < part.term_count; ++k) {
            Doubles x[6], at[winograd_points];
            for_each_of<6>([&](std::size_t i) SAMESUM_INLINED {
                x[i] = runs.load_at<F>(part.data + part.terms[6 * k + i], is_first);
                sum[i] = roughly_fused(x[i], x[i], sum[i]);
            });
            transform_data(x, at);
            for_each_of<winograd_points>(
                [&](std::size_t t) SAMESUM_INLINED { store(to + t * pitch + k * columns + j, at[t]); });
        }
        for (std::size_t i = 0; i < 6; ++i)
            store(squares + i * columns + j, load<Doubles>(squares + i * columns + j) + sum[i]);
    }
}

inline void transform_floats(const OperandPart& part, double* to, std::size_t pitch, double* squares) {
    in_format_within<Format::f32>(
        part.format, [&]<Format format>() { transform_columns<Narrow<format>>(part, to, pitch, squares); });
}

// Sums of a row at the points, each `pitch` elements after the one before, become four sums of each of n
// columns and their bounds, from the norms of the row and of columns. Sums that are no numbers are left in
// doubt.
inline void combine_points(const double* sums, std::size_t pitch, std::size_t n, const double* row,
                           const double* columns, std::size_t columns_pitch, double* hi, double* bounds) {
    for (std::size_t j = 0; j < n; j += width) {
        Doubles s[winograd_points], e[winograd_points];
        for (std::size_t t = 0; t < winograd_points; ++t) {
            s[t] = load<Doubles>(sums + t * pitch + j);
            e[t] = load<Doubles>(columns + t * columns_pitch + j) * row[t];
        }
        const Doubles p = s[1] + s[2], q = s[1] - s[2], a = s[3] + s[4], b = s[3] - s[4];
        const Doubles near = e[1] + e[2], far = e[3] + e[4];
        const Doubles value[4] = {(s[0] + p) + a, q + 2.0 * b, p + 4.0 * a, (q + 8.0 * b) + s[5]};
        const Doubles bound[4] = {(e[0] + near) + far, near + 2.0 * far, near + 4.0 * far,
                                  (near + 8.0 * far) + e[5]};
        double out[2][4][width];
        for (std::size_t m = 0; m < 4; ++m) {
            const Longs known = magnitude(value[m]) < infinity;
            store(out[0][m], known ? value[m] : Doubles{});
            store(out[1][m], known ? bound[m] : Doubles{} + infinity);
        }
        for (std::size_t l = 0; l < width; ++l)
            for (std::size_t m = 0; m < 4; ++m)
                hi[4 * (j + l) + m] = out[0][m][l], bounds[4 * (j + l) + m] = out[1][m][l];
    }
}

}  // namespace samesum::SAMESUM_ISA
