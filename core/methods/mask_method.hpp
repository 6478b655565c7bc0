// What is done with the elements that a mask chooses: one byte for each, which is not zero where it does.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samesum {

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
    // How many bytes of a mask are not zero; and those of each of n columns of `rows` rows.
    std::size_t (*count)(const std::uint8_t* mask, std::size_t n);
    void (*count_columns)(const std::uint8_t* mask, std::ptrdiff_t row_stride, std::size_t rows,
                          std::size_t n, std::int64_t* counts);
};

}  // namespace samesum
