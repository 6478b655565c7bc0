// What the methods of an instruction set know before anything is rounded, for the tests of their bounds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arithmetic/error_free.hpp"
#include "methods/elementwise_method.hpp"
#include "methods/method.hpp"

namespace samesum {

// Numbers side by side: `rows` of n, each at a distance of `pitch` from the one before. They are read and
// written in whole vectors.
struct Table {
    static constexpr std::size_t vector = 8;
    static constexpr std::size_t pitch_of(std::size_t n) { return (n + vector - 1) / vector * vector; }

    double* first;
    std::size_t n, pitch;

    double* row(std::size_t i) const { return first + i * pitch; }
};

// The states of a tile, `rows` numbers each.
struct StateReader {
    std::size_t rows;
    void (*read)(const void* tile, const Table& to);
};

// How the prefixes of a block of a row are found: see kernels/scans/scan.hpp.
enum class PrefixWay : std::uint8_t { exact, plain, grid, words };

enum class Elementary : std::uint8_t {
    exponential,
    exponential_68,
    exponential_90,
    exponential_less_one,
    logarithm_50,
    logarithm_67,
    logarithm_88,
    quick_logarithm,
    power,
    precise_power,
    double_power,
    rough_exponential,
    double_exponential,
    double_logarithm
};

// Of the functions of one element from `first_smooth` on: what they take first, their two words, and what is
// taken before these in float64 of those that have it.
enum class SmoothStep : std::uint8_t { quick, precise, close };
using SmoothCertificate = void (*)(Unary function, SmoothStep step, const Table& x, const Table& to);

struct Certificates {
    // hi, lo and bound; of products exponent and marks, with a relative bound; of exponentials top, equal,
    // sum, rest and bound.
    StateReader words, products, exponentials, spreads;
    // The result of totals hi, lo, bound: the same of it. `interval`: of the test for narrow formats.
    void (*finalized)(const Table& totals, const Finish& how, bool interval, const Table& to);
    // As `finish` of a method.
    std::size_t (*tested)(const Table& totals, const Finish& how, bool interval, void* out,
                          std::uint8_t* failed);
    // Of whole short sets, hi, lo and bound: every float format x itself, magnitude, square, product; for
    // products the bound is relative, and infinite where it does not hold.
    void (*short_sets[4][4])(const void* x, std::ptrdiff_t row_stride, std::size_t rows, const Table& to);
    // Every float format: of a block after a carry, hi, lo and bound; false where that is no way for it.
    bool (*prefixes[4])(PrefixWay way, const Sum& carry, const void* x, const Table& to);
    // Every float format: the totals of columns that are scanned, hi, lo and bound.
    StateReader scanned[4];
    // Of hi + lo, in two words; powers as root and growth.
    void (*elementary)(Elementary function, const Table& x, const Table& to);
    SmoothCertificate smooth;
};

}  // namespace samesum
