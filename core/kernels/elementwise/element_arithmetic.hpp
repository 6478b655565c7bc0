// Arithmetic of float32, and of float16 and bfloat16 in it.
#pragma once

#include "kernels/vectors/singles.hpp"
#include "methods/elementwise_method.hpp"

namespace samesum::SAMESUM_ISA {

template <class F, Arithmetic operation>
struct ElementArithmetic {
    static constexpr bool is_short = F::size < sizeof(float);
    static constexpr std::size_t lanes = is_short ? width : singles;
    using V = std::conditional_t<is_short, Floats, Singles>;

    static SAMESUM_INLINE V of(V x, V y) {
        if constexpr (operation == Arithmetic::add) return x + y;
        if constexpr (operation == Arithmetic::subtract) return x - y;
        if constexpr (operation == Arithmetic::multiply) return x * y;
        if constexpr (operation == Arithmetic::divide) return x / y;
        if constexpr (operation == Arithmetic::greatest) return x != x || x > y ? x : y;
        return x != x || x < y ? x : y;
    }

    static SAMESUM_INLINE V vector(const char* p) {
        if constexpr (is_short)
            return F::floats(p);
        else
            return load<V>(p);
    }

    // Two roundings of 16 bits are one, as float32 has more than twice their bits. (Lemma 92)
    static SAMESUM_INLINE void put(char* out, V z) {
        if constexpr (is_short) {
            const Words number = reinterpret_cast<Words>(z == z);
            Rounding<F::format>::store_to(
                out, 0,
                (Rounding<F::format>::of_float(z) & number) |
                    (~number & static_cast<std::uint32_t>(canonical_nan(F::format))));
        } else {
            store(out, z);
        }
    }

    template <bool each_x, bool each_y>
    static void loop(const char* x, const char* y, std::size_t n, char* out) {
        constexpr std::size_t bytes = lanes * F::size;
        const V one_x = each_x ? V{} : vector(x), one_y = each_y ? V{} : vector(y);
        for (; n >= lanes; n -= lanes, x += each_x ? bytes : 0, y += each_y ? bytes : 0, out += bytes)
            put(out, of(each_x ? vector(x) : one_x, each_y ? vector(y) : one_y));
        if (n == 0) return;
        char rooms[3][bytes] = {};
        __builtin_memcpy(rooms[0], x, n * F::size);
        __builtin_memcpy(rooms[1], y, n * F::size);
        put(rooms[2], of(vector(rooms[0]), vector(rooms[1])));
        __builtin_memcpy(out, rooms[2], n * F::size);
    }

    static void run(const char* x, std::size_t x_step, const char* y, std::size_t y_step, std::size_t n,
                    void* out) {
        char* const to = static_cast<char*>(out);
        if (x_step == 0)
            return y_step == 0 ? loop<false, false>(x, y, n, to) : loop<false, true>(x, y, n, to);
        y_step == 0 ? loop<true, false>(x, y, n, to) : loop<true, true>(x, y, n, to);
    }
};

}  // namespace samesum::SAMESUM_ISA
