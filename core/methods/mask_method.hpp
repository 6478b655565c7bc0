// What is done with the elements that a mask chooses: one byte for each, which is not zero where it does.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samesum {

// How a method is given the chosen ones: with its identity in place of the others; without the others; or as
// bytes, 1 for each of them and 0 for the others, to be counted.
enum class MaskUse : std::uint8_t { filled, alone, counted };

// CodeRange of a format: those with ((code + step) & magnitude) <= most, or those `above` it.
struct CodeRange {
    std::uint64_t step, magnitude, most;
    bool above;
};

// By the size of the elements: 1, 2, 4, 8 bytes.
struct MaskMethods {
    // The chosen ones of n elements, `identity` in place of the others. `to` may be x.
    void (*fill[4])(const void* x, const std::uint8_t* mask, std::size_t n, std::uint64_t identity, void* to);
    // The chosen ones alone, side by side in `to`, which has room for n and may be x; returns how many.
    std::size_t (*pick[4])(const void* x, const std::uint8_t* mask, std::size_t n, void* to);
    // 1 for the elements of these codes that a mask chooses, else 0. The mask may be `to` or null: all are
    // chosen.
    void (*those_of[4])(const void* x, const std::uint8_t* mask, std::size_t n, const CodeRange& codes,
                        std::uint8_t* to);
    // 1 where the mask is not zero, else 0. `to` may be the mask.
    void (*ones)(const std::uint8_t* mask, std::size_t n, std::uint8_t* to);
};

}  // namespace samesum
