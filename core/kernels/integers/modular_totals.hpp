// Integers modulo 2^k, in their own width or in 64 bits, and totals of columns of them.
#pragma once

#include <type_traits>

#include "arithmetic/rounding.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// The low bytes of each total, as many as `size`.
template <class Total>
SAMESUM_APART void put_low_bytes(const Total* total, std::size_t n, char* out, std::size_t size) {
    for (std::size_t j = 0; j < n; ++j) store_bits(out, j, total[j], size);
}

// Totals of columns, with which a tile begins.
template <class Total>
struct ModularTotals {
    static_assert(std::is_unsigned_v<Total>);

    static void init(void* tile, std::size_t n) { std::memset(tile, 0, n * sizeof(Total)); }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        Total& column = static_cast<Total*>(tile)[j];
        column = static_cast<Total>(column + static_cast<const Total*>(from)[i]);
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
