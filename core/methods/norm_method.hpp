// What the methods of normalizations about a mean or by a norm are given and give.
#pragma once

#include <cstddef>
#include <cstdint>

#include "methods/method.hpp"

namespace samesum {

// The methods of variances of one instruction set.
struct SpreadMethods {
    Method narrow[3];  // float16, bfloat16, float32, into no wider format: float64 lanes
    Method wide;       // float64: double-word lanes
};

// What the elements of a line are divided by.
enum class Divisor : std::uint8_t { squares, magnitudes, one };

// b + s (x - m) / d: with `centred` m is the mean of the line, else zero. The squares of x - m (or of x) are
// added up, divided by their number with `over_count`, and `inside` is added, or is the least that they are
// with `at_least`; d is the root of that plus `outside`, or the sum of magnitudes plus `outside`, or one.
struct NormRow {
    Divisor divisor;
    bool centred, over_count, at_least;
    double inside, outside;
};

// Elements of a line are c + o + t, where o is off by `offset_error`, and 1 / d is off by a part of itself.
// Nothing is known of a line of elements that are not finite, or too large or too small for the method.
struct NormLine {
    double centre, offset, offset_rest, offset_error;
    double inverse, inverse_rest, inverse_error;  // the last one relative
    double most;                                  // of |x - c - o| / d, at most
    bool is_known;
};

// Lines that are measured together, at most, and elements that are finished at a time.
constexpr std::size_t norm_lines = 8, norm_elements = 1024;

// Of each element or, with `each` false, the same of all; and the greatest magnitudes, NaN where one is
// neither zero nor between 2^-400 and 2^400: such are not for the methods.
struct NormScale {
    const double *scale, *bias;
    bool each;
    double scale_most, bias_most;
    const float* singles = nullptr;  // the scales of all, or null; see `narrow`

    NormScale of(std::size_t i) const { return {scale + i, bias + i, false, scale_most, bias_most}; }

    // NaN is no number in any range.
    bool is_in_range() const { return scale_most < 0x1p400 && bias_most < 0x1p400; }
};

struct NormMethods {
    using Measure = void (*)(const NormRow& row, const char* const* x, std::size_t n, std::size_t count,
                             NormLine* lines);
    using Finish = std::size_t (*)(const NormLine& line, const char* x, std::size_t n, const NormScale& scale,
                                   void* out, std::uint16_t* doubtful);

    // n contiguous numbers, f16 ... u64 (Format order), as double: zeros become +0, integers that no double
    // holds NaN.
    using Widen = void (*)(const char* p, std::size_t n, double* to);
    Widen widen[12];
    // The greatest magnitude of n numbers, as NormScale has it.
    double (*greatest)(const double* p, std::size_t n);
    // n numbers as float32; false if one is not exact, or neither zero nor between 2^-30 and 2^30. Null where
    // there are no multiply-adds, as `finish_any` is.
    bool (*narrow)(const double* p, std::size_t n, float* to);
    // Every float format: `count` lines of n contiguous elements.
    Measure measure[4];
    // n <= norm_elements results of a line that is known, and the numbers of those that are in doubt; returns
    // how many these are.
    Finish finish[4];
    // float32, the same scale and bias for all: elements may be anything, and `most` need not hold for all;
    // those that are not finite are in doubt.
    Finish finish_any;
    // The same in double-words: a line of elements of `size` bytes, of a narrow format that `widen` takes,
    // and results in these formats from elements of float64.
    void (*measure_words)(const NormRow& row, Widen widen, std::size_t size, const char* x, std::size_t n,
                          NormLine* line);
    Finish finish_words[3];
};

}  // namespace samesum
