#include "select/routes.hpp"

#include <iterator>

namespace samesum {

std::atomic<std::uint64_t> route_counters[route_count];

namespace {

// In the order of the routes.
constexpr RouteRow rows[] = {
    {Route::lone_positions, "reduce.lone_positions", "positions in sets of one element are zero"},
    {Route::mirrored, "reduce.mirrored",
     "positions in sets that run backwards are those of the sets forwards"},
    {Route::two_stages, "reduce.two_stages",
     "positions whose elements lie in another order than they are counted"},
    {Route::reordered, "reduce.reordered",
     "results in the order of memory first, then in the one that is asked for"},
    {Route::groups, "reduce.groups", "small groups of few columns, transposed to wide rows"},
    {Route::packed, "reduce.packed", "small sets that are copied side by side"},
    {Route::direct, "reduce.direct", "sets that are read where they are"},
    {Route::pieces, "reduce.pieces", "sets that are cut into pieces, each with a state of its own"},
    {Route::turns_of_results, "reduce.turns_of_results",
     "several results of one pass, chunk by chunk in turn"},
    {Route::whole_sets, "tile.whole_sets", "whole short sets at once, an element of each side by side"},
    {Route::whole_sets_transposed, "tile.whole_sets_transposed",
     "the same of contiguous sets, transposed by blocks"},
    {Route::short_lanes, "tile.short_lanes", "whole contiguous lanes of up to one block"},
    {Route::one_run, "tile.one_run", "contiguous lanes, block by block"},
    {Route::one_run_gathered, "tile.one_run_gathered",
     "lanes of elements that lie apart, gathered block by block"},
    {Route::runs, "tile.runs", "lanes of several long contiguous runs"},
    {Route::runs_packed, "tile.runs_packed", "lanes of many short runs, copied side by side"},
    {Route::columns, "tile.columns", "contiguous rows, added to all columns of a tile"},
    {Route::columns_folded, "tile.columns_folded", "several narrow rows as a wide one"},
    {Route::columns_gathered, "tile.columns_gathered",
     "rows of elements that lie apart, copied side by side"},
    {Route::columns_transposed, "tile.columns_transposed",
     "contiguous sets side by side, transposed by blocks"},
    {Route::retried_tile, "retry.tile", "all sets of a tile again, many of which were not decided"},
    {Route::retried_lanes, "retry.lanes", "lanes that were not decided, one by one"},
    {Route::retried_gathered, "retry.gathered", "columns that were not decided, gathered"},
    {Route::short_sums, "method.short_sums", "sums of floats, whole sets of up to 64 elements"},
    {Route::short_singles, "method.short_singles", "sums of one float"},
    {Route::short_products, "method.short_products", "products of floats, whole sets of up to 64 elements"},
    {Route::short_extremes, "method.short_extremes", "extremes, whole sets of up to 64 elements"},
    {Route::short_positions, "method.short_positions", "positions, whole sets of up to 64 elements"},
    {Route::short_truths, "method.short_truths", "all and any, whole sets of up to 64 elements"},
    {Route::short_integer_sums, "method.short_integer_sums",
     "sums of integers, whole sets of up to 64 elements"},
    {Route::short_integer_products, "method.short_integer_products", "products of integers, the same"},
    {Route::short_integer_results, "method.short_integer_results",
     "means, roots, logarithms of integers, the same"},
    {Route::lanes_usual, "method.lanes_usual", "floats of up to 32 bits, added up in float64"},
    {Route::lanes_few, "method.lanes_few", "the same with a test for exact sums"},
    {Route::lanes_singles, "method.lanes_singles", "16-bit floats, four added up in float32 before"},
    {Route::double_words, "method.double_words", "floats, added up in pairs of float64"},
    {Route::double_words_few, "method.double_words_few", "float64, the same with a test for exact sums"},
    {Route::special_elements, "method.special_elements",
     "float64 sets with infinities and NaNs, squares of zeros"},
    {Route::two_grids, "method.two_grids", "float64, added up on two grids of equal exponents"},
    {Route::scaled_sums, "method.scaled_sums", "float64 sums that leave its range, of scaled elements"},
    {Route::exact_sums, "method.exact_sums", "floats in the superaccumulator"},
    {Route::wrapping_sums, "method.wrapping_sums", "integers modulo 2^k"},
    {Route::split_integers, "method.split_integers", "64-bit integers and squares of 32-bit ones, in halves"},
    {Route::exact_integers, "method.exact_integers", "integers in 128 bits and more"},
    {Route::exponentials, "method.exponentials", "sums of exponentials in float64"},
    {Route::exponential_words, "method.exponential_words", "the same in pairs of float64"},
    {Route::integer_exponentials, "method.integer_exponentials", "of integers, from a table"},
    {Route::integer_exponential_words, "method.integer_exponential_words",
     "of integers whose results are in doubt"},
    {Route::exact_exponentials, "method.exact_exponentials", "sums of exponentials in 256 bits"},
    {Route::long_exponentials, "method.long_exponentials", "the same in as many bits as may be needed"},
    {Route::wrapping_products, "method.wrapping_products", "products of integers modulo 2^k"},
    {Route::products, "method.products", "products of floats in pairs of float64 with an exponent"},
    {Route::exact_products, "method.exact_products", "products in whole numbers"},
    {Route::extremes, "method.extremes", "minima and maxima"},
    {Route::positions, "method.positions", "positions of minima and maxima"},
    {Route::truths, "method.truths", "all and any"},
    {Route::byte_sums, "method.byte_sums", "sums of 8-bit floats, by their codes"},
    {Route::byte_extremes, "method.byte_extremes", "extremes of 8-bit floats"},
    {Route::variance_lanes, "method.variance_lanes", "variances of floats of up to 32 bits in float64"},
    {Route::variance_words, "method.variance_words", "variances in pairs of float64"},
    {Route::variance_few, "method.variance_few", "variances of few float64"},
    {Route::exact_variances, "method.exact_variances", "variances of exact sums"},
    {Route::scan_groups, "scan.groups", "small groups of few columns, transposed to wide rows"},
    {Route::scan_groups_as_they_lie, "scan.groups_as_they_lie",
     "the same in registers, without moving elements"},
    {Route::scan_packed, "scan.packed", "short lines that are copied side by side"},
    {Route::scan_short_plain, "scan.short_plain", "whole short lines at once, in registers"},
    {Route::scan_short_gathered, "scan.short_gathered", "the same of lines with gaps"},
    {Route::scan_short_transposed, "scan.short_transposed", "short lines that are transposed to columns"},
    {Route::scan_few_rows, "scan.few_rows", "columns of few rows, all rows at once"},
    {Route::scan_tall_columns, "scan.tall_columns", "columns, many rows at a time"},
    {Route::scan_columns, "scan.columns", "columns, four rows at a time"},
    {Route::scan_columns_gathered, "scan.columns_gathered", "columns of elements that lie apart"},
    {Route::scan_side_by_side, "scan.side_by_side", "eight lines at a time, transposed"},
    {Route::scan_interleaved, "scan.interleaved", "neighbouring lines, element by element"},
    {Route::scan_line_by_line, "scan.line_by_line",
     "neighbouring lines that are not certain element by element"},
    {Route::scan_chunks, "scan.chunks", "lines that are cut into chunks for the threads"},
    {Route::scan_parts, "scan.parts", "eight parts of a chunk, side by side"},
    {Route::scan_rows, "scan.rows", "a line, block by block"},
    {Route::scan_streamed, "scan.streamed", "prefixes that are written past the caches"},
    {Route::repaired_scaled, "scan.repaired_scaled", "prefix sums of scaled numbers"},
    {Route::repaired_sums, "scan.repaired_sums", "exact prefix sums"},
    {Route::repaired_near_products, "scan.repaired_near_products", "prefix products in triples of float64"},
    {Route::repaired_products, "scan.repaired_products", "exact prefix products"},
    {Route::softmax_groups, "softmax.groups", "small groups of few columns, transposed to wide rows"},
    {Route::softmax_packed, "softmax.packed", "short lines that are copied side by side"},
    {Route::softmax_transposed, "softmax.transposed", "short lines that are transposed to columns"},
    {Route::softmax_rows, "softmax.rows", "contiguous lines"},
    {Route::softmax_rows_streamed, "softmax.rows_streamed", "the same, written past the caches"},
    {Route::softmax_columns, "softmax.columns", "neighbouring lines, element by element"},
    {Route::softmax_columns_copied, "softmax.columns_copied", "the same, copied side by side"},
    {Route::softmax_gathered, "softmax.gathered", "lines that are gathered side by side"},
    {Route::softmax_long, "softmax.long", "long lines, block by block"},
    {Route::softmax_long_shared, "softmax.long_shared", "long lines whose blocks threads share"},
    {Route::softmax_long_gathered, "softmax.long_gathered", "long lines of elements that lie apart"},
    {Route::softmax_below, "softmax.below", "long lines against their greatest element"},
    {Route::norm_rows, "norm.rows", "contiguous lines of layer, RMS and group norms"},
    {Route::norm_gathered, "norm.gathered", "the same, gathered side by side"},
    {Route::batch_norm_runs, "batch_norm.runs", "batch normalization of elements of one channel side by side"},
    {Route::batch_norm_rows, "batch_norm.rows", "the same of channels side by side"},
    {Route::batch_norm_columns, "batch_norm.columns", "the same, a copy of each channel at a time"},
    {Route::elementwise_direct, "elementwise.direct", "elements side by side"},
    {Route::elementwise_gathered, "elementwise.gathered", "elements that are gathered"},
};

static_assert(std::size(rows) == route_count);

constexpr bool are_in_order() {
    for (std::size_t i = 0; i < route_count; ++i)
        if (rows[i].route != static_cast<Route>(i)) return false;
    return true;
}
static_assert(are_in_order());

}  // namespace

const RouteRow& route_row(Route route) { return rows[static_cast<std::size_t>(route)]; }

}  // namespace samesum
