// Integers modulo 2^k, in their own width or in 64 bits, and totals of columns of them.
#pragma once

#include <type_traits>

#include "arithmetic/rounding.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// Through unsigned int, for 16-bit products would otherwise overflow a signed one.
template <class Total>
SAMESUM_INLINE Total times(Total a, Total b) {
    return static_cast<Total>(std::common_type_t<Total, unsigned>{a} * b);
}

// The low bytes of each total, as many as `size`.
template <class Total>
SAMESUM_APART void put_low_bytes(const Total* total, std::size_t n, char* out, std::size_t size) {
    for (std::size_t j = 0; j < n; ++j) store_bits(out, j, total[j], size);
}

// Totals of columns, with which a tile begins.
template <class Total, bool product>
struct ModularTotals {
    static_assert(std::is_unsigned_v<Total>);
    static constexpr Total identity = product ? 1 : 0;

    template <class To>
    static SAMESUM_INLINE To combined(To a, To b) {
        return product ? times(a, b) : static_cast<To>(a + b);
    }

    static void init(void* tile, std::size_t n) {
        for (std::size_t j = 0; j < n; ++j) static_cast<Total*>(tile)[j] = identity;
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        Total& column = static_cast<Total*>(tile)[j];
        column = combined(column, static_cast<const Total*>(from)[i]);
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const std::size_t size = size_of(how.format);  // at most that of Total: the low bytes are the result
        const Total* total = static_cast<Total*>(tile);
        if (size == sizeof(Total))
            std::memcpy(out, total, n * sizeof(Total));
        else
            put_low_bytes(total, n, static_cast<char*>(out), size);
        std::memset(failed, 0, n);
        return 0;
    }
};

// Signs make no difference to bits where nothing is widened.
template <class Integer, class Total, Map map = Map::itself>
using BitsOfModular = std::conditional_t<sizeof(Integer) == sizeof(Total) && map != Map::magnitude,
                                         std::make_unsigned_t<Integer>, Integer>;

}  // namespace samesum::SAMESUM_ISA
