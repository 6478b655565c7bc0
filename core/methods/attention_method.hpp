// Attention: what the steps of one instruction set are given.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arithmetic/error_free.hpp"
#include "formats/format.hpp"

namespace samesum {

// Numbers that are packed into panels of some lanes: at `lane` times its step and `term` times its own, in
// bytes.
struct PanelSource {
    const char* data;
    std::ptrdiff_t lane_step, term_step;
    std::size_t lanes, terms;
};

// The real number that products are multiplied by, in two words, and the one that a hyperbolic tangent keeps
// them below, or zero.
struct ScoreScale {
    double hi, lo, cap;
};

// Of a row of scores, which become weights: their greatest, the sum of the weights, how far a weight may be
// off relatively; whether there is NaN or infinity among them, and whether all weights are exactly one.
struct RowFacts {
    double greatest, total, total_rest, error;
    bool is_special, are_equal;
};

// Which numbers of a row are shown besides: products times the scale; those below the cap; with the mask; or
// the weights over their sum.
enum class Shown : int { none = -1, scaled, capped, masked, weights };

// A row of queries as its scores are made. All arrays are readable in whole panels; masks hold what is added,
// -infinity for keys that are left out and beyond the last key.
struct ScoreRow {
    ScoreScale scale;
    double norm;              // of the query
    double depth;             // no term of a product goes through more additions
    std::size_t terms, keys;  // of a key; keys in whole vectors
    const double *norms, *mask;
    Shown shown;
};

// Terms that are added one after the other.
constexpr std::size_t attention_chain = 32;

// No term goes through more additions: of chains that are added up, or in two vectors of two numbers or more.
constexpr double packed_depth(std::size_t terms) {
    const std::size_t longest = terms < attention_chain ? terms : attention_chain;
    return static_cast<double>(longest + terms / attention_chain + 4);
}
constexpr double direct_depth(std::size_t terms) { return static_cast<double>(terms / 4 + 16); }

// What weighted means of a row are off by: so much of the greatest magnitude of their values, and of
// themselves. Weights are added up in vectors of `width`. (Lemma 89)
struct MeanError {
    double of_values, of_mean;

    static SAMESUM_INLINE MeanError of(const RowFacts& facts, std::size_t keys, std::size_t width) {
        const double total = static_cast<double>(keys / width + width + 2);
        return {1.02 * (facts.error + unit_roundoff * packed_depth(keys)),
                1.02 * (facts.error + unit_roundoff * total)};
    }
};

struct AttentionMethods {
    std::size_t lanes;  // of a panel
    // Panels as doubles, [panel][term][lane], with zeros in what lanes the last one has to spare.
    void (*pack[3])(const PanelSource& from, double* to);
    // Of each lane, over its terms: an upper bound of the Euclidean norm, or the greatest magnitude.
    void (*norms)(const double* panels, std::size_t lanes, std::size_t terms, double* to);
    void (*greatest)(const double* panels, std::size_t lanes, std::size_t terms, double* to);
    // Takes numbers that are not finite out of the panels; 1 in `odd` for the lanes that had some.
    void (*clear)(double* panels, std::size_t lanes, std::size_t terms, std::uint8_t* odd);
    // to = rows x panels of `depth` terms, of which the first ones are taken, in chains.
    void (*multiply)(const double* rows, std::size_t pitch, std::size_t count, const double* panels,
                     std::size_t depth, std::size_t lanes, std::size_t terms, double* to,
                     std::size_t to_pitch);
    // Of keys whose terms, and values whose columns lie side by side: the products of a query that ends with
    // zeros, with bounds of the norms; the weighted sums of values and their greatest magnitudes, which are
    // infinite where a value is not finite.
    void (*key_products[3])(const PanelSource& keys, const double* query, double* products, double* norms);
    void (*weighted_values[3])(const PanelSource& values, const double* weights, double* sums,
                               double* greatest);
    // Products become weights, -0 for keys that are left out. What is shown goes to `shown` with its bounds.
    RowFacts (*weigh)(const ScoreRow& row, double* products, double* shown, double* bounds);
    // The greatest magnitudes of a panel's lanes become those of its weighted means, were no value negative.
    void (*magnitudes)(const double* panel, const double* weights, std::size_t keys, double total,
                       double* greatest);
    // Sums of weighted values become results, with a flag for those in doubt; how many those are.
    std::size_t (*finish[3])(const double* sums, const double* greatest, std::size_t n, const RowFacts& facts,
                             std::size_t keys, void* out, std::uint8_t* failed);
    std::size_t (*certify[3])(const double* value, const double* rest, const double* bounds, std::size_t n,
                              void* out, std::uint8_t* failed);
    // The same in two words, of the panels themselves; `room` has six arrays of `keys`: the weights' words,
    // the scores' bounds, and the words and bounds of what is shown.
    RowFacts (*weigh_words)(const ScoreRow& row, const double* query, const double* panels, double* room);
    // The results of one panel of values: words and bounds, an array of `lanes` each.
    void (*average_words)(const double* panel, const double* room, std::size_t keys, std::size_t count,
                          const RowFacts& facts, double* words);
};

}  // namespace samesum
