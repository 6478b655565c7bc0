// Attention in float64: panels, products, weights, and the rounding test of their quotients. Products of
// numbers of 24 bits are exact, so that what is off are sums, exponentials and a quotient.
#pragma once

#include "kernels/certify/words.hpp"
#include "kernels/elementwise/smooth_functions.hpp"
#include "kernels/exponentials/exponential.hpp"
#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/transpose.hpp"
#include "methods/attention_method.hpp"

namespace samesum::SAMESUM_ISA {

constexpr std::size_t tile_vectors = 2, panel_lanes = tile_vectors * width,
                      tile_rows = vector_bytes == 64 ? 8 : 6;
constexpr std::size_t chain = attention_chain;
// Weights that are off by more are not used: an error of e in an exponent is below 1.01 e of the weight.
constexpr double most_error = 0x1p-7;

// n numbers, at most a vector of them, some bytes apart, and zeros after them.
template <class F>
SAMESUM_INLINE Doubles spread_doubles(const char* p, std::ptrdiff_t step, std::size_t n) {
    if (step == static_cast<std::ptrdiff_t>(F::size)) return first_doubles<F>(p, n);
    char side_by_side[width * F::size] = {};
    for (std::size_t k = 0; k < n; ++k, p += step) std::memcpy(side_by_side + k * F::size, p, F::size);
    return F::doubles(side_by_side);
}

template <class F>
void pack_panels(const PanelSource& from, double* to) {
    const bool lanes_lie_together = from.lane_step == static_cast<std::ptrdiff_t>(F::size);
    for (std::size_t lane = 0; lane < from.lanes; to += panel_lanes * from.terms) {
        for (std::size_t v = 0; v < panel_lanes; v += width, lane += width) {
            const std::size_t n = from.lanes <= lane          ? 0
                                  : from.lanes - lane < width ? from.lanes - lane
                                                              : width;
            const char* const p = from.data + static_cast<std::ptrdiff_t>(lane) * from.lane_step;
            for (std::size_t t = 0; t < from.terms; t += lanes_lie_together ? 1 : width) {
                const char* const begin = p + static_cast<std::ptrdiff_t>(t) * from.term_step;
                if (lanes_lie_together) {
                    store(to + t * panel_lanes + v,
                          n > 0 ? spread_doubles<F>(begin, from.lane_step, n) : Doubles{});
                    continue;
                }
                const std::size_t terms = from.terms - t < width ? from.terms - t : width;
                Doubles square[width] = {};
                for (std::size_t k = 0; k < n; ++k)
                    square[k] = spread_doubles<F>(begin + static_cast<std::ptrdiff_t>(k) * from.lane_step,
                                                  from.term_step, terms);
                Square<Doubles>::transpose(square);
                for (std::size_t k = 0; k < terms; ++k) store(to + (t + k) * panel_lanes + v, square[k]);
            }
        }
    }
}

// finish(join(... join(0, x) ...)) of the terms of each lane.
template <class Join, class Finish>
SAMESUM_INLINE void join_lanes(const double* panels, std::size_t lanes, std::size_t terms, double* to,
                               const Join& join, const Finish& finish) {
    for (std::size_t lane = 0; lane < lanes; lane += panel_lanes, panels += panel_lanes * terms) {
        for (std::size_t v = 0; v < panel_lanes; v += width) {
            Doubles all = {};
            for (std::size_t t = 0; t < terms; ++t)
                all = join(all, load<Doubles>(panels + t * panel_lanes + v));
            store(to + lane + v, finish(all));
        }
    }
}

// The sum of squares is off by as many units as it has terms. (Lemma 89)
static void panel_norms(const double* panels, std::size_t lanes, std::size_t terms, double* to) {
    const double room = 1 + (static_cast<double>(terms) + 4) * 0x1p-52;
    join_lanes(
        panels, lanes, terms, to,
        [](Doubles all, Doubles x) SAMESUM_INLINED { return roughly_fused(x, x, all); },
        [&](Doubles all) SAMESUM_INLINED { return square_root(all) * room; });
}

static void panel_greatest(const double* panels, std::size_t lanes, std::size_t terms, double* to) {
    join_lanes(
        panels, lanes, terms, to,
        [](Doubles all, Doubles x) SAMESUM_INLINED { return greater(all, magnitude(x)); },
        [](Doubles all) SAMESUM_INLINED { return all; });
}

static void clear_panels(double* panels, std::size_t lanes, std::size_t terms, std::uint8_t* odd) {
    for (std::size_t lane = 0; lane < lanes; lane += panel_lanes, panels += panel_lanes * terms) {
        Longs finite[tile_vectors];
        for (Longs& each : finite) each = ~Longs{};
        for (std::size_t i = 0; i < panel_lanes * terms; i += width) {
            const Doubles x = load<Doubles>(panels + i);
            const Longs is_finite = magnitude(x) < infinity;
            finite[i / width % tile_vectors] &= is_finite;
            if (any(~is_finite)) store(panels + i, is_finite ? x : Doubles{});
        }
        for (std::size_t k = 0; k < panel_lanes; ++k) odd[lane + k] = finite[k / width][k % width] == 0;
    }
}

template <std::size_t rows>
SAMESUM_INLINE void multiply_tile(const double* a, std::size_t pitch, const double* b, std::size_t terms,
                                  double* to, std::size_t to_pitch, bool is_first) {
    Doubles sum[rows][tile_vectors] = {};
    for (std::size_t t = 0; t < terms; ++t, b += panel_lanes) {
        Doubles x[tile_vectors];
        for_each_of<tile_vectors>([&](std::size_t v)
                                      SAMESUM_INLINED { x[v] = load<Doubles>(b + v * width); });
        for_each_of<rows>([&](std::size_t r) SAMESUM_INLINED {
            const Doubles w = Doubles{} + a[r * pitch + t];
            for_each_of<tile_vectors>([&](std::size_t v)
                                          SAMESUM_INLINED { sum[r][v] = roughly_fused(w, x[v], sum[r][v]); });
        });
    }
    for_each_of<rows>([&](std::size_t r) SAMESUM_INLINED {
        for_each_of<tile_vectors>([&](std::size_t v) SAMESUM_INLINED {
            double* const p = to + r * to_pitch + v * width;
            store(p, is_first ? sum[r][v] : load<Doubles>(p) + sum[r][v]);
        });
    });
}

// Each panel's part of a chain serves all rows before the next one.
static void multiply_panels(const double* rows, std::size_t pitch, std::size_t count, const double* panels,
                            std::size_t depth, std::size_t lanes, std::size_t terms, double* to,
                            std::size_t to_pitch) {
    for (std::size_t lane = 0; lane < lanes; lane += panel_lanes, panels += panel_lanes * depth) {
        for (std::size_t begin = 0; begin == 0 || begin < terms; begin += chain) {
            const std::size_t now = terms - begin < chain ? terms - begin : chain;
            const double* const b = panels + begin * panel_lanes;
            std::size_t r = 0;
            const auto take = [&]<std::size_t some>() SAMESUM_INLINED {
                for (; count - r >= some; r += some)
                    multiply_tile<some>(rows + r * pitch + begin, pitch, b, now, to + r * to_pitch + lane,
                                        to_pitch, begin == 0);
            };
            take.template operator()<tile_rows>();
            take.template operator()<4>();
            take.template operator()<2>();
            take.template operator()<1>();
        }
    }
}

SAMESUM_INLINE double greatest_element(Doubles v) {
    double most = v[0];
    for (std::size_t k = 1; k < width; ++k) most = v[k] > most ? v[k] : most;
    return most;
}

SAMESUM_INLINE double sum_of_elements(Doubles v) {
    double sum = v[0];
    for (std::size_t k = 1; k < width; ++k) sum += v[k];
    return sum;
}

// (Lemma 89)
template <class F>
void multiply_keys(const PanelSource& keys, const double* query, double* products, double* norms) {
    const double room = 1 + (static_cast<double>(keys.terms) + 4) * 0x1p-52;
    const char* p = keys.data;
    for (std::size_t j = 0; j < keys.lanes; ++j, p += keys.lane_step) {
        Doubles sum[2] = {}, squares[2] = {};
        const auto take = [&](std::size_t v, Doubles x, std::size_t t) SAMESUM_INLINED {
            sum[v] = roughly_fused(x, load<Doubles>(query + t), sum[v]);
            squares[v] = roughly_fused(x, x, squares[v]);
        };
        std::size_t t = 0;
        for (; t + 2 * width <= keys.terms; t += 2 * width) {
            prefetch_run<2 * width * F::size>(p + t * F::size);
            take(0, F::doubles(p + t * F::size), t);
            take(1, F::doubles(p + (t + width) * F::size), t + width);
        }
        for (; t < keys.terms; t += width) take(0, first_doubles<F>(p + t * F::size, keys.terms - t), t);
        products[j] = sum_of_elements(sum[0] + sum[1]);
        norms[j] = __builtin_sqrt(sum_of_elements(squares[0] + squares[1])) * room;
    }
}

// Some vectors of columns from number `at` on, of keys `begin` to `end`.
template <class F, std::size_t vectors>
SAMESUM_INLINE void weigh_columns(const PanelSource& values, const double* weights, std::size_t at,
                                  std::size_t begin, std::size_t end, double* sums, double* greatest) {
    Doubles sum[vectors] = {}, most[vectors] = {};
    Longs finite[vectors];
    for (Longs& each : finite) each = ~Longs{};
    for (std::size_t j = begin; j < end; ++j) {
        const char* const p = values.data + static_cast<std::ptrdiff_t>(j) * values.term_step + at * F::size;
        const Doubles w = Doubles{} + weights[j];
        for_each_of<vectors>([&](std::size_t v) SAMESUM_INLINED {
            const char* const from = p + v * width * F::size;
            const Doubles x = vectors > 1 ? F::doubles(from) : first_doubles<F>(from, values.lanes - at);
            sum[v] = roughly_fused(w, x, sum[v]);
            most[v] = greater(magnitude(x), most[v]);
            finite[v] &= magnitude(x) < infinity;
        });
    }
    for_each_of<vectors>([&](std::size_t v) SAMESUM_INLINED {
        double *const to = sums + at + v * width, *const top = greatest + at + v * width;
        store(to, load<Doubles>(to) + sum[v]);
        store(top, finite[v] ? greater(most[v], load<Doubles>(top)) : Doubles{} + infinity);
    });
}

// (Lemma 89)
template <class F>
void weigh_values(const PanelSource& values, const double* weights, double* sums, double* greatest) {
    constexpr std::size_t vectors = 4;
    for (std::size_t c = 0; c < values.lanes; c += width) {
        store(sums + c, Doubles{});
        store(greatest + c, Doubles{});
    }
    for (std::size_t begin = 0; begin < values.terms; begin += chain) {
        const std::size_t end = values.terms - begin < chain ? values.terms : begin + chain;
        std::size_t c = 0;
        for (; c + vectors * width <= values.lanes; c += vectors * width)
            weigh_columns<F, vectors>(values, weights, c, begin, end, sums, greatest);
        for (; c < values.lanes; c += width)
            weigh_columns<F, 1>(values, weights, c, begin, end, sums, greatest);
    }
}

// The products times the scale, below the cap: the hyperbolic tangent is off by 2^-44 of itself, its argument
// by two units, which its slope makes no more of. (Lemma 89)
SAMESUM_INLINE Doubles capped(Doubles x, double cap) {
    const Doubles argument[1] = {x / cap};
    Doubles found[1];
    TanhFunction::quick(argument, found);
    return cap * found[0];
}

// (Lemma 89)
static RowFacts weigh_row(const ScoreRow& row, double* products, double* shown, double* bounds) {
    const Doubles none = {}, scale = none + row.scale.hi;
    const double own = row.scale.cap == 0 ? 0 : row.scale.cap * 0x1p9;
    const double unit = __builtin_fabs(row.scale.hi) * row.norm * (row.depth + 2);
    const auto of_products = [&](std::size_t j)
                                 SAMESUM_INLINED { return load<Doubles>(row.norms + j) * unit; };
    const auto error_of = [&](std::size_t j, Doubles size)
                              SAMESUM_INLINED { return of_products(j) + (own + size); };
    const auto show = [&](std::size_t j, Doubles value, Doubles units) SAMESUM_INLINED {
        store(shown + j, value);
        store(bounds + j, units * (bound_slack * unit_roundoff));
    };
    Doubles most = none - infinity;
    Longs odd = {};
    for (std::size_t j = 0; j < row.keys; j += width) {
        Doubles x = load<Doubles>(products + j) * scale;
        if (row.shown == Shown::scaled) show(j, x, of_products(j));
        if (row.scale.cap != 0) x = capped(x, row.scale.cap);
        if (row.shown == Shown::capped) show(j, x, error_of(j, none));
        const Doubles mask = load<Doubles>(row.mask + j);
        x = mask == -infinity ? mask : x + mask;
        if (row.shown == Shown::masked) show(j, x, error_of(j, magnitude(x)));
        odd |= ~(x < infinity);
        most = greater(x, most);
        store(products + j, x);
    }
    RowFacts facts{greatest_element(most), 0, 0, 0, any(odd), false};
    if (facts.is_special || facts.greatest == -infinity) return facts;
    Doubles total = {}, error = {};
    for (std::size_t j = 0; j < row.keys; j += width) {
        const Doubles x = load<Doubles>(products + j), below = x - facts.greatest,
                      weight = exponential(below);
        const Doubles off = error_of(j, magnitude(x) - below);
        // A weight may count that came out as zero.
        const Doubles reach = below + off * (bound_slack * unit_roundoff);
        error = greater(reach >= least_power ? off : none, error);
        total += weight;
        store(products + j, x == -infinity ? -none : weight);
    }
    facts.total = sum_of_elements(total);
    facts.error = greatest_element(error) * (bound_slack * unit_roundoff) + 0x1p-51;
    if (facts.error > most_error) facts.error = infinity;
    if (row.shown != Shown::weights) return facts;
    const double relative = 2 * facts.error + static_cast<double>(row.keys + 8) * unit_roundoff;
    for (std::size_t j = 0; j < row.keys; j += width) {
        const Doubles share = load<Doubles>(products + j) / facts.total;
        show(j, share, share * (relative / unit_roundoff));
    }
    return facts;
}

// What values of one panel add up to by weights, were none negative, over the sum of the weights: at most.
// Those of weights that count as zero are below 2^-900 of the greatest. (Lemma 89)
static void panel_magnitudes(const double* panel, const double* weights, std::size_t keys, double total,
                             double* greatest) {
    Doubles sum[tile_vectors] = {};
    for (std::size_t j = 0; j < keys; ++j, panel += panel_lanes) {
        const Doubles w = Doubles{} + weights[j];
        for_each_of<tile_vectors>([&](std::size_t v) SAMESUM_INLINED {
            sum[v] = roughly_fused(w, magnitude(load<Doubles>(panel + v * width)), sum[v]);
        });
    }
    const double room = (1 + static_cast<double>(keys + 8) * 0x1p-52) / total;
    for_each_of<tile_vectors>([&](std::size_t v) SAMESUM_INLINED {
        double* const p = greatest + v * width;
        store(p, sum[v] * room + load<Doubles>(p) * 0x1p-900);
    });
}

// The sum of values is off by the errors of weights and chains, the quotient by that of the weights' sum,
// too. Values are all zero where the greatest is: so are the sums and bounds. (Lemma 89)
template <Format format>
std::size_t finish_averages(const double* sums, const double* greatest, std::size_t n, const RowFacts& facts,
                            std::size_t keys, void* out, std::uint8_t* failed) {
    const MeanError error = MeanError::of(facts, keys, width);
    return write_verdicts<format>(n, out, failed, [&](std::size_t j) SAMESUM_INLINED {
        const Doubles value = load<Doubles>(sums + j) / facts.total;
        const Doubles bound =
            load<Doubles>(greatest + j) * error.of_values + magnitude(value) * error.of_mean;
        return IntervalTest<format, Finalize::itself>::of(value, Doubles{}, bound, Doubles{});
    });
}

template <Format format>
std::size_t certify_numbers(const double* value, const double* rest, const double* bounds, std::size_t n,
                            void* out, std::uint8_t* failed) {
    return write_verdicts<format>(n, out, failed, [&](std::size_t j) SAMESUM_INLINED {
        const Doubles x = load<Doubles>(value + j), b = load<Doubles>(bounds + j);
        if (rest == nullptr) return IntervalTest<format, Finalize::itself>::of(x, Doubles{}, b, Doubles{});
        return WordsTest<format, Finalize::itself>::of(x, load<Doubles>(rest + j), b, Doubles{});
    });
}

}  // namespace samesum::SAMESUM_ISA
