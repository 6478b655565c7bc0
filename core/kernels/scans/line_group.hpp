// Lines side by side whose elements become rows of columns: squares of them are transposed in registers.
#pragma once

#include "kernels/vectors/transpose.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// Vectors of `width` elements of so many bytes, as bits.
template <std::size_t size>
using BitsOf = std::conditional_t<size == 2, Shorts, std::conditional_t<size == 4, Words, UnsignedLongs>>;

// `width` lines; of fewer the first one takes the other places.
template <class F>
struct LineGroup {
    const char* x[width];
    char* out[width];
    std::size_t count;
    static constexpr std::size_t squares = scan_lines * width,
                                 most = squares > short_line ? squares : short_line;  // rows
    alignas(64) char elements[most * width * F::size];
    alignas(64) char results[most * width * F::size];

    SAMESUM_INLINE LineGroup(const ScanLines& all, std::size_t first)
        : count(all.lines - first < width ? all.lines - first : width) {
        for (std::size_t k = 0; k < width; ++k) {
            const std::size_t line = first + (k < count ? k : 0);
            x[k] = all.x[line];
            out[k] = all.out[line];
        }
    }
    SAMESUM_INLINE LineGroup(const ShortScanLines& all, std::size_t first)
        : count(all.lines - first < width ? all.lines - first : width) {
        for (std::size_t k = 0; k < width; ++k) {
            const std::size_t line = first + (k < count ? k : 0);
            x[k] = all.x + static_cast<std::ptrdiff_t>(line) * all.pitch;
            out[k] = all.out + line * all.n * F::size;
        }
    }

    // The lines of the memory that hold elements so many bytes after number i.
    SAMESUM_INLINE void ask(std::size_t i, std::size_t ahead) const {
        constexpr std::size_t line = 64;
        if (i * F::size % line > 0) return;
        for (std::size_t k = 0; k < width; ++k) __builtin_prefetch(x[k] + i * F::size + ahead);
    }

    // A square of elements from number i on becomes rows from number r on.
    SAMESUM_INLINE void take(std::size_t i, std::size_t r = 0) {
        using Bits = BitsOf<F::size>;
        Bits v[width];
        for (std::size_t k = 0; k < width; ++k) v[k] = load<Bits>(x[k] + i * F::size);
        Square<Bits>::transpose(v);
        for (std::size_t k = 0; k < width; ++k) store(elements + (r + k) * sizeof(Bits), v[k]);
    }
    SAMESUM_INLINE void give(std::size_t i, std::size_t r = 0) const {
        using Bits = BitsOf<F::size>;
        Bits v[width];
        for (std::size_t k = 0; k < width; ++k) v[k] = load<Bits>(results + (r + k) * sizeof(Bits));
        Square<Bits>::transpose(v);
        for (std::size_t k = 0; k < width; ++k) {
            if (k < count) store(out[k] + i * F::size, v[k]);
        }
    }
    // The same of the last rows, fewer than `width`.
    SAMESUM_APART void take_some(std::size_t i, std::size_t rows) {
        for (std::size_t k = 0; k < width; ++k) {
            for (std::size_t r = 0; r < rows; ++r)
                std::memcpy(elements + (r * width + k) * F::size, x[k] + (i + r) * F::size, F::size);
        }
    }
    SAMESUM_APART void give_some(std::size_t i, std::size_t rows) const {
        for (std::size_t k = 0; k < count; ++k) {
            for (std::size_t r = 0; r < rows; ++r)
                std::memcpy(out[k] + (i + r) * F::size, results + (r * width + k) * F::size, F::size);
        }
    }
    ScanRows rows(std::size_t number, std::size_t depth, std::uint8_t* failed) {
        return {elements, width * F::size, results, width * F::size, number, width, depth, F::format, failed};
    }
};

}  // namespace samesum::SAMESUM_ISA
