// The ways that calls take, each with a name and a counter.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace samesum {

enum class Route : std::uint8_t {
    // Reductions: how the elements of the sets come to the methods.
    lone_positions,
    mirrored,
    two_stages,
    reordered,
    groups,
    packed,
    direct,
    pieces,
    turns_of_results,
    // The loops over a tile.
    whole_sets,
    whole_sets_transposed,
    short_lanes,
    one_run,
    one_run_gathered,
    runs,
    runs_packed,
    columns,
    columns_folded,
    columns_gathered,
    columns_transposed,
    // Sets that the first method could not decide.
    retried_tile,
    retried_lanes,
    retried_gathered,
    // The methods of reductions, counted by the results that they decide.
    short_sums,
    short_singles,
    short_products,
    short_extremes,
    short_positions,
    short_truths,
    short_integer_sums,
    short_integer_products,
    short_integer_results,
    lanes_usual,
    lanes_few,
    lanes_singles,
    double_words,
    double_words_few,
    special_elements,
    scaled_sums,
    exact_sums,
    wrapping_sums,
    split_integers,
    exact_integers,
    exponentials,
    exponential_words,
    integer_exponentials,
    exact_exponentials,
    wrapping_products,
    products,
    exact_products,
    extremes,
    positions,
    truths,
    byte_sums,
    byte_extremes,
    variance_lanes,
    variance_words,
    variance_few,
    exact_variances,
    // Scans.
    scan_groups,
    scan_packed,
    scan_short_plain,
    scan_short_transposed,
    scan_few_rows,
    scan_tall_columns,
    scan_columns,
    scan_columns_gathered,
    scan_side_by_side,
    scan_chunks,
    scan_parts,
    scan_whole_lines,
    scan_rows,
    scan_streamed,
    repaired_sums,
    repaired_near_products,
    repaired_products,
    scan_exponentials,
    scan_exponential_parts,
    repaired_exponential_words,
    repaired_exponentials,
    // Normalizations.
    softmax_groups,
    softmax_packed,
    softmax_transposed,
    softmax_rows,
    softmax_rows_streamed,
    softmax_columns,
    softmax_columns_copied,
    softmax_gathered,
    softmax_long,
    softmax_long_gathered,
    softmax_below,
    norm_rows,
    norm_gathered,
    norm_words,
    norm_exact,
    batch_norm_runs,
    batch_norm_rows,
    batch_norm_columns,
    // Functions of each element.
    elementwise_direct,
    elementwise_gathered,
    // Dot products.
    dot_rows,
    dot_rows_copied,
    dot_columns,
    dot_columns_copied,
    dot_columns_folded,
    dot_parts,
    dot_exact,
    attention_words,
    // Products, by their elements.
    contraction_twice,
    contraction_double_words,
    contraction_exact,
    // Elements that a mask chooses.
    mask_filled,
    mask_picked,
    // Rows with labels.
    segment_placed,
    segment_uncertain,
    segment_in_order,
    segment_pieces,
    // Windows, several arrays.
    window_rows,
    window_gathered,
    terms,
    // Totals that are kept, figures of arrays.
    state_kept_blocks,
    state_exact_blocks,
    count
};

constexpr std::size_t route_count = static_cast<std::size_t>(Route::count);

struct RouteRow {
    Route route;
    const char* name;
    const char* meaning;
};

const RouteRow& route_row(Route route);

extern std::atomic<std::uint64_t> route_counters[route_count];

inline void record(Route route, std::uint64_t n = 1) {
    route_counters[static_cast<std::size_t>(route)].fetch_add(n, std::memory_order_relaxed);
}

}  // namespace samesum
