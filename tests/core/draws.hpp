// Elements of every format that are made to break bounds: families of them, drawn anew for each length.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "arithmetic/rounding.hpp"
#include "formats/format.hpp"
#include "guards.hpp"

namespace walk {

using samesum::Format;
// SplitMix64 (Steele, Lea and Flood, 2014): most of a walk is drawing.
class Random {
  public:
    using result_type = std::uint64_t;
    explicit Random(std::uint64_t seed) : state_(seed) {}
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return ~result_type{0}; }
    result_type operator()() {
        std::uint64_t x = state_ += 0x9e3779b97f4a7c15;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
        x = (x ^ x >> 27) * 0x94d049bb133111eb;
        return x ^ x >> 31;
    }

  private:
    std::uint64_t state_;
};

enum class Family {
    plain,       // of either sign, of about one size
    spread,      // of sizes far apart
    cancelling,  // pairs whose sum is zero, and one number more
    ties,        // half a unit of the last place beside one, and what decides
    whole,       // small whole numbers: their sums are exact and often zero
    subnormal,
    largest,  // near overflow, of either sign
    middle,   // whose squares are near either end of the range
    zeros,    // of either sign, and few others
    special,  // infinities and NaNs among others
    bits      // any codes but those of what is not finite
};
constexpr Family families[] = {Family::plain, Family::spread,    Family::cancelling, Family::ties,
                               Family::whole, Family::subnormal, Family::largest,    Family::middle,
                               Family::zeros, Family::special,   Family::bits};

inline std::string name_of(Family family) {
    constexpr const char* names[] = {"plain",   "spread", "cancelling", "ties",    "whole", "subnormal",
                                     "largest", "middle", "zeros",      "special", "bits"};
    return names[static_cast<int>(family)];
}

inline std::string name_of(Format format) {
    constexpr const char* names[] = {"f16", "bf16", "f32", "f64", "i8",  "i16", "i32",
                                     "i64", "u8",   "u16", "u32", "u64", "bool"};
    return samesum::is_byte_float(format) ? "byte float" : names[static_cast<int>(format)];
}

inline std::uint64_t bits_of(const char* p, Format format) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, p, samesum::size_of(format));
    return bits;
}

inline std::uint64_t below(Random& random, std::uint64_t n) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(random()) * n >> 64);
}
inline bool one_in(Random& random, std::uint64_t n) { return below(random, n) == 0; }

// The double that a finite code stands for.
inline double value_of(std::uint64_t bits, Format format) {
    const samesum::FloatTraits& traits = samesum::traits_of(format);
    const int fraction = traits.precision - 1;
    const std::uint64_t size = bits & (samesum::sign_bit(format) - 1), field = size >> fraction;
    const std::uint64_t low = size & ((std::uint64_t{1} << fraction) - 1);
    const int exponent = traits.min_exponent - fraction + (field == 0 ? 0 : static_cast<int>(field) - 1);
    const double x =
        std::ldexp(static_cast<double>(field == 0 ? low : low | std::uint64_t{1} << fraction), exponent);
    return (bits & samesum::sign_bit(format)) != 0 ? -x : x;
}

// Of any NaN, the one next to infinity among them; of floats of eight bits the canonical one.
inline std::uint64_t nan_bits(Random& random, Format format) {
    if (samesum::is_byte_float(format)) return samesum::canonical_nan(format);
    const std::uint64_t first = samesum::infinity_bits(format) + 1, last = samesum::sign_bit(format) - 1;
    return one_in(random, 2) ? first : first + below(random, last - first + 1);
}

// One float: of families whose elements depend on each other see `draw`.
inline std::uint64_t float_bits(Random& random, Format format, Family family) {
    const samesum::FloatTraits& traits = samesum::traits_of(format);
    const std::uint64_t sign = one_in(random, 2) ? samesum::sign_bit(format) : 0;
    const int fraction = traits.precision - 1;
    const std::uint64_t low = random() & ((std::uint64_t{1} << fraction) - 1);
    const int fields = traits.max_exponent - traits.min_exponent + 1;
    const auto with_exponent = [&](int exponent) {
        const int field = std::min(std::max(exponent - traits.min_exponent + 1, 0), fields);
        return sign | static_cast<std::uint64_t>(field) << fraction | low;
    };
    const int far = std::min(fields / 4, 60);
    switch (family) {
        case Family::spread:
            return with_exponent(static_cast<int>(below(random, static_cast<std::uint64_t>(2 * far + 1))) -
                                 far);
        case Family::whole:
            return sign | samesum::round_bits(static_cast<double>(below(random, 9)), format);
        case Family::subnormal:
            return one_in(random, 8) ? with_exponent(traits.min_exponent) : sign | low;
        case Family::largest:
            return with_exponent(traits.max_exponent - static_cast<int>(below(random, 3)));
        case Family::middle: {
            const int step = static_cast<int>(below(random, 5)) - 2;
            return with_exponent((one_in(random, 2) ? traits.min_exponent : traits.max_exponent) / 2 + step);
        }
        case Family::zeros:
            return one_in(random, 9) ? with_exponent(0) : sign;
        case Family::special:
            if (one_in(random, 40)) return sign | nan_bits(random, format);
            if (one_in(random, 12)) return sign | samesum::infinity_bits(format);
            return with_exponent(0);
        case Family::bits:
            for (std::uint64_t bits = random();; bits = random()) {
                bits &= samesum::sign_bit(format) * 2 - 1;
                if ((bits & (samesum::sign_bit(format) - 1)) <= traits.largest) return bits;
            }
        default:
            return with_exponent(-static_cast<int>(below(random, 2)));
    }
}

inline std::uint64_t integer_bits(Random& random, Format format, Family family) {
    const std::uint64_t most = samesum::sign_bit(format) * 2 - 1, top = samesum::sign_bit(format);
    switch (family) {
        case Family::whole:
        case Family::plain:
            return (below(random, 19) - (samesum::is_unsigned(format) ? 0 : 9)) & most;
        case Family::zeros:
            return one_in(random, 9) ? random() & most : 0;
        case Family::largest:
        case Family::special:
            return (one_in(random, 2) ? top - 1 : one_in(random, 2) ? top : most) & most;
        case Family::spread:
            return (random() & most) >> below(random, 8 * samesum::size_of(format));
        default:
            return random() & most;
    }
}

// The bits of n elements, which are to be added up.
inline std::vector<std::uint64_t> draw(Random& random, Format format, Family family, std::size_t n) {
    std::vector<std::uint64_t> x(n);
    if (!samesum::is_float(format)) {
        for (std::uint64_t& each : x) each = integer_bits(random, format, family);
        return x;
    }
    for (std::uint64_t& each : x) each = float_bits(random, format, family);
    if (family == Family::cancelling) {
        for (std::size_t i = 0; i + 1 < n; i += 2) {
            x[i] = float_bits(random, format, one_in(random, 4) ? Family::plain : Family::spread);
            x[i + 1] = x[i] ^ samesum::sign_bit(format);
        }
        std::shuffle(x.begin(), x.end(), random);
    }
    if (family == Family::ties && n > 0) {
        // Multiples of half a unit in the last place of one; at times something far below them decides.
        const int precision = samesum::traits_of(format).precision;
        const int scale = one_in(random, 2) ? 0 : static_cast<int>(below(random, 5)) - 2;
        for (std::uint64_t& each : x) each = 0;
        const auto put = [&](double value) { x[below(random, n)] = samesum::round_bits(value, format); };
        const double one =
            std::ldexp(1 + std::ldexp(static_cast<double>(below(random, 4)), 1 - precision), scale);
        const double least = std::ldexp(1, samesum::traits_of(format).min_exponent - precision + 1);
        if (one_in(random, 2)) put(one_in(random, 2) ? least : -least);
        put(std::ldexp(one_in(random, 4) ? 3.0 : 1.0, scale - precision));
        put(one);
    }
    return x;
}

// Elements side by side, at the end of what may be read or at its front.
inline char* drawn(Guarded& from, Random& random, Format format, Family family, std::size_t n) {
    const std::size_t size = samesum::size_of(format);
    char* const p = from.take(n * size, one_in(random, 4) ? Edge::front : Edge::end);
    const std::vector<std::uint64_t> bits = draw(random, format, family, n);
    for (std::size_t i = 0; i < n; ++i) std::memcpy(p + i * size, &bits[i], size);
    return p;
}

inline std::string in_words(const char* set, Format format, Family family, std::size_t n) {
    return std::string(set) + ", " + name_of(format) + ", " + name_of(family) + ", " + std::to_string(n);
}

// Every length to 70, and those beside the sizes of blocks up to a limit.
inline std::vector<std::size_t> lengths(std::size_t most) {
    std::vector<std::size_t> all;
    for (std::size_t n = 1; n <= 70 && n <= most; ++n) all.push_back(n);
    for (const std::size_t block : {128, 256, 512, 1024, 2048, 4096, 8192})
        for (const std::size_t n : {block - 1, block, block + 1})
            if (n <= most) all.push_back(n);
    return all;
}

}  // namespace walk
