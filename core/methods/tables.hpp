// The methods of one instruction set, each of these structures filled by a source of its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arithmetic/error_free.hpp"
#include "formats/format.hpp"
#include "methods/elementwise_method.hpp"
#include "methods/line_method.hpp"
#include "methods/method.hpp"
#include "methods/scan_method.hpp"
#include "methods/short_method.hpp"

namespace samesum {

// What decides single prefixes of sums of exponentials is given and gives.

// Elements per call, at most.
constexpr std::size_t prefix_elements = 1024;

// Of elements that are not above `top`: how many equal it, and the sum of e^(x - top) of the others. Nothing
// is known of a top that is not finite.
struct ExponentialPrefix {
    double top, equal = 0;
    Sum others;
};

struct ExponentialPrefixMethods {
    // Adds n <= prefix_elements elements; and the greatest of them, NaN where there is one.
    void (*add)(ExponentialPrefix& state, const double* x, std::size_t n);
    double (*greatest)(const double* x, std::size_t n);
    // Writes the logarithm in a float format; false where it is not certain.
    bool (*finish)(const ExponentialPrefix& state, Format format, void* out);
};

// Of float64 lanes: `few` of sets whose sums are often ties; `singles` of 16-bit formats, of what was added
// up in float32 before.
enum class Lanes : std::uint8_t { usual, few, singles };

struct Methods {
    Method sum1[3][3][3];     // float16, bfloat16, float32 x map x Lanes: float64 lanes
    Method sum2[4][3];        // every float format x map: double-word lanes
    Method sum2_few[2];       // float64 x (itself, magnitude): likewise, of few elements
    Method special[3];        // float64 x map: sets with infinities and NaNs, squares of zeros
    Method modular[8][2][3];  // i8 ... u64 x (own width, 64 bits) x map: integers modulo 2^k
};

struct ScanMethods {
    ScanMethod real[4][4];  // every float format that holds the elements x that of the prefixes
    // f16, bf16, f32 x f32, f64: n numbers in the wider format, as whole vectors; empty where it is not
    // wider.
    void (*widen[3][2])(const char* p, std::size_t n, char* to);
    ScanMethod modular[8][4];  // i8 ... u64 x prefixes of 1, 2, 4, 8 bytes
};

struct ExtremeScanMethods {
    ScanMethod of[format_count][2];  // minimum, maximum; into the format of the elements
};

struct ProductMethods {
    Method real[4];              // every float format
    Method modular[8];           // i8 ... u64: integers modulo 2^k, for results of any width
    ScanMethod scan_real[4][4];  // as ScanMethods::real
    ScanMethod scan_modular[8];  // i8 ... u64: for prefixes of any width
    // Every float format: how many lanes there are, or zero if not all elements are ordinary numbers.
    std::size_t (*triple[4])(const void* x, TripleLanes& lanes);
};

struct SearchMethods {
    Method extreme[12][2];      // f16 ... u64 (Format order) x minimum, maximum
    Method position[12][2][2];  // f16 ... u64 x minimum, maximum x first, last
    Method logical[12][2];      // f16 ... u64 x and, or
};

// Of integers, for results that are no sums modulo 2^k.
struct WholeMethods {
    Method split[8][3];  // i8 ... u64 x map: those of 64 bits, and squares of 32 bits; the others are empty
    decltype(Method::finish) finish_signed, finish_unsigned;  // of tiles of 64-bit totals that did not wrap
};

struct ExponentialMethods {
    Method sum1[3];  // float16, bfloat16, float32: exponentials in float64
    Method words;    // float64: exponentials in double-words
    ExponentialPrefixMethods prefix;
};

struct TransposeMethods {
    // 1, 2, 4, 8 bytes x elements in a row; empty where the others below are as quick
    ToColumns known[4][transposed_elements + 1], known_back[4][transposed_elements + 1];
    AnyToColumns any[4];
    AnyToRows any_back[4];
};

// Into the format of the elements; empty where there is no such way.
struct ShortMethods {
    Short sum[4][3][4];  // every float format x map x finalize
    Short one[4][3];  // every float format x itself, magnitude, square (from 32 bits on): sums of one element
    Short product[4];          // every float format
    Short extreme[12][2];      // f16 ... u64 (Format order) x minimum, maximum
    Short logical[12][2];      // f16 ... u64 x and, or: into bytes of 0 and 1
    Short position[12][2][2];  // f16 ... u64 x minimum, maximum x first, last: into 64 bits
};

// Of integers, i8 ... u64.
struct ShortIntegerMethods {
    Short sum[8][2][3], product[8][2];  // modulo 2^k, as ProductMethods and Methods have them
    Short mean[8];                      // into float64
};

// Softmax [0] and its logarithm [1] of every float format.
struct NormalizationMethods {
    void (*lines[4][2])(const LineRows& lines);
    // Of longer lines in blocks of line_block: what a block adds as it is, and its greatest element; all
    // blocks together; and if that is not near zero, what blocks add against the line's greatest, which is
    // finite; and if their sum is a number, the results of each block.
    LineShare (*share[4])(const void* x, std::size_t n);
    LineShare (*joined[4])(const LineShare* shares, std::size_t count);
    bool (*is_near[4][2])(const LineShare& all);
    LineShare (*share_below[4])(const void* x, std::size_t n, double greatest, bool log);
    void (*quotients[4][2])(const void* x, std::size_t n, const LineShare& all, void* out);
    void (*columns[4][2])(const LineColumns& lines, void* buffer);
    // Whether short lines side by side are as quick by `lines` as by `columns`.
    bool (*fill_rows[4][2])(std::size_t n);
};

// What the methods of dot products are given.

// What `lanes` and `columns` of these methods get for the address of the elements: those of two operands.
// `row_stride` is of the first one; with `repeats` each row of the other is one element.
struct PairRows {
    const char *x, *other;
    std::ptrdiff_t other_stride;
    bool repeats;
};

// What a product of float64 may lose to underflow. (Lemma 2)
constexpr double product_underflow = 0x1p-1073;

// Every float format of 16 bits or more; integers of 1, 2, 4 and 8 bytes, modulo 2^k.
struct DotMethods {
    Method floats[4], integers[4];
    // A total of floats, `count` products each.
    Sum (*total[4])(const void* tile, std::size_t j, std::int64_t count);
};

// What is done with the elements that a mask chooses: one byte for each, which is not zero where it does.

// How a method is given the chosen ones: with its identity in place of the others; without the others; or as
// the number of them.
enum class MaskUse : std::uint8_t { filled, compacted, counted };

// CodeRange of a format: those with ((code + step) & magnitude) <= most, or those `above` it.
struct CodeRange {
    std::uint64_t step, magnitude, most;
    bool above;
};

// How many bytes beyond elements, and beyond their mask, the next ones lie.
struct Ahead {
    std::ptrdiff_t x, mask;
};

// By the size of the elements: 1, 2, 4, 8 bytes.
struct MaskMethods {
    // The chosen ones of n elements, `identity` in place of the others. `to` may be x.
    // What lies so many bytes ahead of elements and masks is asked for on the way.
    void (*fill[4])(const void* x, const std::uint8_t* mask, std::size_t n, std::uint64_t identity, void* to,
                    const Ahead& ahead);
    // The chosen ones alone, side by side in `to`, which has room for n and may be x; returns how many.
    std::size_t (*pick[4])(const void* x, const std::uint8_t* mask, std::size_t n, void* to);
    // 1 for the elements of these codes that a mask chooses, else 0. The mask may be `to` or null: all are
    // chosen.
    void (*those_of[4])(const void* x, const std::uint8_t* mask, std::size_t n, const CodeRange& codes,
                        std::uint8_t* to, const Ahead& ahead);
    // The elements of these codes, `identity` in place of the others. `to` may be x. Returns whether none was
    // another.
    bool (*fill_those[4])(const void* x, std::size_t n, const CodeRange& codes, std::uint64_t identity,
                          void* to, const Ahead& ahead);
    // How many bytes of a mask are not zero; and those of each of n columns of `rows` rows.
    std::size_t (*count)(const std::uint8_t* mask, std::size_t n);
    void (*count_columns)(const std::uint8_t* mask, std::ptrdiff_t row_stride, std::size_t rows,
                          std::size_t n, std::int64_t* counts);
};

}  // namespace samesum
