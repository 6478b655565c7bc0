// Functions of each element: which there are, and the loops of one instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samesum {

enum class Unary { exponential, logarithm, sigmoid, tanh, erf, gelu, gelu_tanh, softplus, sine, cosine };

constexpr std::size_t unary_count = 10, first_smooth = 2;  // those of `SmoothMethods`

// greatest: x where it is NaN or greater than y, else y; least likewise.
enum class Arithmetic : std::uint8_t { add, subtract, multiply, divide, greatest, least };

constexpr std::size_t arithmetic_count = 6, arithmetic_formats = 3;

struct ElementwiseMethods {
    // f(x) of n elements side by side, in native byte order, that do not overlap the results.
    void (*unary[first_smooth][4])(const void* x, std::size_t n, void* out);  // by every float format
    // x^y likewise; y is one number for all of them, or as many numbers as elements.
    void (*power_of_one[4])(const void* x, double y, std::size_t n, void* out);
    void (*power[4])(const void* x, const double* y, std::size_t n, void* out);
    // x and y combined, of n elements or, of one whose step is 0, of one number that stands there a vector of
    // times. `out` may be one of them, whose step is 1.
    void (*arithmetic[arithmetic_count][arithmetic_formats])(const char* x, std::size_t x_step, const char* y,
                                                             std::size_t y_step, std::size_t n, void* out);
    // Elements as doubles.
    void (*widen[4])(const void* x, std::size_t n, double* out);
};

// Likewise, the other functions of one element.
struct SmoothMethods {
    void (*unary[unary_count - first_smooth][4])(const void* x, std::size_t n, void* out);
};

}  // namespace samesum
