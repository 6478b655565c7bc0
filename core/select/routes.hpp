// The ways that calls take, each with a name and a counter.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// The route, its name, and what it means.
// clang-format off
#define SAMESUM_ROUTES(X) \
    /* Reductions: how the elements of the sets come to the methods. */ \
    X(lone_positions, "reduce.lone_positions", "positions in sets of one element are zero") \
    X(mirrored, "reduce.mirrored", "positions in sets that run backwards are those of the sets forwards") \
    X(two_stages, "reduce.two_stages", "positions whose elements lie in another order than they are counted") \
    X(reordered, "reduce.reordered", "results in the order of memory first, then in the one that is asked for") \
    X(groups, "reduce.groups", "small groups of few columns, transposed to wide rows") \
    X(packed, "reduce.packed", "small sets that are copied side by side") \
    X(direct, "reduce.direct", "sets that are read where they are") \
    X(pieces, "reduce.pieces", "sets that are cut into pieces, each with a state of its own") \
    X(turns_of_results, "reduce.turns_of_results", "several results of one pass, chunk by chunk in turn") \
    /* The loops over a tile. */ \
    X(whole_sets, "tile.whole_sets", "whole short sets at once, an element of each side by side") \
    X(whole_sets_transposed, "tile.whole_sets_transposed", "the same of contiguous sets, transposed by blocks") \
    X(short_lanes, "tile.short_lanes", "whole contiguous lanes of up to one block") \
    X(one_run, "tile.one_run", "contiguous lanes, block by block") \
    X(one_run_gathered, "tile.one_run_gathered", "lanes of elements that lie apart, gathered block by block") \
    X(runs, "tile.runs", "lanes of several long contiguous runs") \
    X(runs_packed, "tile.runs_packed", "lanes of many short runs, copied side by side") \
    X(columns, "tile.columns", "contiguous rows, added to all columns of a tile") \
    X(columns_folded, "tile.columns_folded", "several narrow rows as a wide one") \
    X(columns_gathered, "tile.columns_gathered", "rows of elements that lie apart, copied side by side") \
    X(columns_transposed, "tile.columns_transposed", "contiguous sets side by side, transposed by blocks") \
    /* Sets that the first method could not decide. */ \
    X(retried_tile, "retry.tile", "all sets of a tile again, many of which were not decided") \
    X(retried_lanes, "retry.lanes", "sets that were not decided, one by one") \
    /* The methods of reductions, counted by the results that they decide. */ \
    X(short_sets, "method.short_sets", "whole sets of up to 64 elements at once") \
    X(lanes_usual, "method.lanes_usual", "floats of up to 32 bits, added up in float64") \
    X(lanes_few, "method.lanes_few", "the same with a test for exact sums") \
    X(lanes_singles, "method.lanes_singles", "16-bit floats, four added up in float32 before") \
    X(double_words, "method.double_words", "floats, added up in pairs of float64") \
    X(special_elements, "method.special_elements", "float64 sets with infinities and NaNs, squares of zeros") \
    X(exact_sums, "method.exact_sums", "floats, in blocks on grids or the superaccumulator") \
    X(wrapping_sums, "method.wrapping_sums", "integers modulo 2^k") \
    X(split_integers, "method.split_integers", "64-bit integers and squares of 32-bit ones, in halves") \
    X(exact_integers, "method.exact_integers", "integers in 128 bits and more") \
    X(exponentials, "method.exponentials", "sums of exponentials in float64") \
    X(exponential_words, "method.exponential_words", "the same in pairs of float64") \
    X(exact_exponentials, "method.exact_exponentials", "sums of exponentials in integers, to as many bits as may be needed") \
    X(wrapping_products, "method.wrapping_products", "products of integers modulo 2^k") \
    X(products, "method.products", "products of floats in pairs of float64 with an exponent") \
    X(exact_products, "method.exact_products", "products in whole numbers") \
    X(extremes, "method.extremes", "minima and maxima") \
    X(positions, "method.positions", "positions of minima and maxima") \
    X(truths, "method.truths", "all and any") \
    X(byte_sums, "method.byte_sums", "sums of 8-bit floats, by their codes") \
    X(byte_extremes, "method.byte_extremes", "extremes of 8-bit floats") \
    X(variance_lanes, "method.variance_lanes", "variances of floats of up to 32 bits in float64") \
    X(variance_words, "method.variance_words", "variances in pairs of float64") \
    X(exact_variances, "method.exact_variances", "variances of exact sums") \
    /* Scans. */ \
    X(scan_groups, "scan.groups", "small groups of few columns, transposed to wide rows") \
    X(scan_packed, "scan.packed", "short lines that are copied side by side") \
    X(scan_short_plain, "scan.short_plain", "whole short lines at once, transposed by squares") \
    X(scan_short_transposed, "scan.short_transposed", "short lines that are transposed to columns") \
    X(scan_few_rows, "scan.few_rows", "columns of few rows, all rows at once") \
    X(scan_tall_columns, "scan.tall_columns", "columns, many rows at a time") \
    X(scan_columns, "scan.columns", "columns, four rows at a time") \
    X(scan_columns_gathered, "scan.columns_gathered", "columns of elements that lie apart") \
    X(scan_side_by_side, "scan.side_by_side", "eight lines at a time, transposed") \
    X(scan_chunks, "scan.chunks", "lines that are cut into chunks for the threads") \
    X(scan_parts, "scan.parts", "eight parts of a chunk, side by side") \
    X(scan_whole_lines, "scan.whole_lines", "contiguous lines whose prefixes never fail") \
    X(scan_rows, "scan.rows", "a line, block by block") \
    X(scan_streamed, "scan.streamed", "prefixes that are written past the caches") \
    X(repaired_sums, "scan.repaired_sums", "exact prefix sums") \
    X(repaired_near_products, "scan.repaired_near_products", "prefix products in triples of float64") \
    X(repaired_products, "scan.repaired_products", "exact prefix products") \
    X(scan_exponentials, "scan.exponentials", "logarithms of sums of exponentials so far, as columns") \
    X(scan_exponential_parts, "scan.exponential_parts", "the same of long lines, whose parts are columns") \
    X(repaired_exponential_words, "scan.repaired_exponential_words", "single ones in pairs of float64 of 90 bits") \
    X(repaired_exponentials, "scan.repaired_exponentials", "the same in fixed point") \
    /* Normalizations. */ \
    X(softmax_groups, "softmax.groups", "small groups of few columns, transposed to wide rows") \
    X(softmax_packed, "softmax.packed", "short lines that are copied side by side") \
    X(softmax_transposed, "softmax.transposed", "short lines that are transposed to columns") \
    X(softmax_rows, "softmax.rows", "contiguous lines") \
    X(softmax_rows_streamed, "softmax.rows_streamed", "the same, written past the caches") \
    X(softmax_columns, "softmax.columns", "neighbouring lines, element by element") \
    X(softmax_columns_copied, "softmax.columns_copied", "the same, copied side by side") \
    X(softmax_gathered, "softmax.gathered", "lines that are gathered side by side") \
    X(softmax_long, "softmax.long", "long lines, block by block") \
    X(softmax_long_gathered, "softmax.long_gathered", "long lines of elements that lie apart") \
    X(softmax_below, "softmax.below", "long lines against their greatest element") \
    X(norm_rows, "norm.rows", "contiguous lines of layer, RMS and group norms") \
    X(norm_gathered, "norm.gathered", "the same, gathered side by side") \
    X(norm_words, "norm.words", "results of norms that pairs of float64 decide") \
    X(norm_exact, "norm.exact", "results of norms that exact sums decide") \
    X(batch_norm_runs, "norm.batch_runs", "batch normalization of elements of one channel side by side") \
    X(batch_norm_rows, "norm.batch_rows", "the same of channels side by side") \
    X(batch_norm_columns, "norm.batch_columns", "the same, a copy of each channel at a time") \
    /* Functions of each element. */ \
    X(elementwise_direct, "elementwise.direct", "elements side by side") \
    X(elementwise_gathered, "elementwise.gathered", "elements that are gathered") \
    X(elementwise_combined, "elementwise.combined", "several operations in one pass") \
    /* Dot products. */ \
    X(dot_rows, "dot.rows", "vectors, where they lie or copied") \
    X(dot_columns, "dot.columns", "neighbouring vectors, element by element, where they lie or copied") \
    X(dot_columns_folded, "dot.columns_folded", "several narrow rows as a wide one") \
    X(dot_exact, "dot.exact", "exact sums of exact products") \
    X(attention_words, "attention.words", "rows of attention in double-words") \
    /* Products, by their elements. */ \
    X(contraction_winograd, "contraction.winograd", "convolutions by half of the products, at six points") \
    X(contraction_twice, "contraction.twice", "tiles of products that are multiplied again, in two words") \
    X(contraction_double_words, "contraction.double_words", "elements of products in double-words") \
    X(contraction_exact, "contraction.exact", "elements of products as exact sums") \
    /* Elements that a mask chooses. */ \
    X(mask_without_nan, "mask.without_nan", "arrays of which NaNs are to be left out and that have none, as they are") \
    X(mask_filled, "mask.filled", "sets with an identity in the place of those that are not chosen") \
    X(mask_picked, "mask.picked", "sets of those alone that are chosen, side by side") \
    /* Rows with labels. */ \
    X(segment_by_label, "segment.by_label", "elements that are added where they go") \
    X(segment_uncertain, "segment.uncertain", "segments that are taken again, in order") \
    X(segment_in_order, "segment.in_order", "segments of one length at a time, put in order") \
    X(segment_pieces, "segment.pieces", "long segments of rows that lie apart") \
    /* Windows, several arrays. */ \
    X(window_rows, "window.rows", "windows as rows of elements where they lie") \
    X(window_gathered, "window.gathered", "windows whose elements are copied") \
    X(terms, "window.terms", "places of several arrays") \
    /* Totals that are kept, figures of arrays. */ \
    X(state_kept_blocks, "state.kept_blocks", "blocks of floats as integers on two or three grids") \
    X(state_exact_blocks, "state.exact_blocks", "blocks that have no sum on grids")
// clang-format on

namespace samesum {

#define SAMESUM_ROUTE(route, name, meaning) route,
enum class Route : std::uint8_t { SAMESUM_ROUTES(SAMESUM_ROUTE) count };
#undef SAMESUM_ROUTE

constexpr std::size_t route_count = static_cast<std::size_t>(Route::count);

struct RouteRow {
    const char *name, *meaning;
};

#define SAMESUM_ROUTE(route, name, meaning) {name, meaning},
inline constexpr RouteRow route_rows[] = {SAMESUM_ROUTES(SAMESUM_ROUTE)};
#undef SAMESUM_ROUTE

inline std::atomic<std::uint64_t> route_counters[route_count];

inline void record(Route route, std::uint64_t n = 1) {
    route_counters[static_cast<std::size_t>(route)].fetch_add(n, std::memory_order_relaxed);
}

}  // namespace samesum
