// The figures of blocks: the methods of one instruction set, compiled as table.cpp is.
#include <algorithm>
#include <type_traits>

#include "kernels/vectors/float_formats.hpp"
#include "methods/kept_blocks.hpp"

namespace samesum::SAMESUM_ISA {

// The figures of one block of floats that its bits tell: classes and extremes. A plain loop over integers of
// the elements' width, which the compiler makes vectors of.
template <class F>
struct StatisticsOf {
    using Bits = std::conditional_t<F::size == 2, std::uint16_t,
                                    std::conditional_t<F::size == 4, std::uint32_t, std::uint64_t>>;
    using Signed = std::make_signed_t<Bits>;
    static constexpr Bits mask = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
    static constexpr Bits sign = static_cast<Bits>(~mask);
    static constexpr Signed infinity = static_cast<Signed>(infinity_bits(F::format));
    static constexpr Signed least_normal =
        static_cast<Signed>(Bits{1} << (traits_of(F::format).precision - 1));

    static SAMESUM_INLINE Signed key(Bits bits) {
        const Signed value = static_cast<Signed>(bits);
        return static_cast<Signed>(value ^ ((value >> (8 * F::size - 1)) & static_cast<Signed>(mask)));
    }

    // Comparisons are signed: not all instruction sets have others of 64 bits. Counts of a block fit into the
    // elements' own bits. (Lemma 20)
    static void of(const void* from, std::size_t n, void* finite, BlockStatistics& found) {
        const Bits* const x = static_cast<const Bits*>(from);
        Bits* const to = static_cast<Bits*>(finite);
        Bits nans = 0, infinities = 0, negative = 0, zeros = 0, small = 0;
        Signed low = static_cast<Signed>(mask), high = static_cast<Signed>(sign), least = low;
        for (std::size_t i = 0; i < n; ++i) {
            const Signed size = static_cast<Signed>(x[i] & mask);
            const Bits other = static_cast<Bits>(-static_cast<Bits>(size >= infinity));  // all bits, or none
            const Bits kept = static_cast<Bits>(static_cast<Bits>(key(x[i])) & ~other);
            nans = static_cast<Bits>(nans + (size > infinity));
            infinities = static_cast<Bits>(infinities + (size == infinity));
            negative = static_cast<Bits>(negative + (x[i] == static_cast<Bits>(sign | infinity)));
            zeros = static_cast<Bits>(zeros + (size == 0));
            small = static_cast<Bits>(small + (size < least_normal));
            low = std::min(low, static_cast<Signed>(kept | (other & mask)));
            high = std::max(high, static_cast<Signed>(kept | (other & sign)));
            least = std::min(least, static_cast<Signed>((static_cast<Bits>(size) - 1) & mask));
            to[i] = static_cast<Bits>(x[i] & ~other);
        }
        found.nans = static_cast<std::int64_t>(nans);
        found.positive_infinities = static_cast<std::int64_t>(infinities - negative);
        found.negative_infinities = static_cast<std::int64_t>(negative);
        found.zeros = static_cast<std::int64_t>(zeros);
        found.subnormals = static_cast<std::int64_t>(small - zeros);
        if (low <= high) {
            found.least = low;
            found.greatest = high;
        }
        if (least < infinity - 1) found.smallest = std::int64_t{least} + 1;
    }
};

extern const StatisticsMethods statistics;
const StatisticsMethods statistics{{StatisticsOf<Float16>::of, StatisticsOf<Bfloat16>::of,
                                    StatisticsOf<Float32>::of, StatisticsOf<Float64>::of}};

}  // namespace samesum::SAMESUM_ISA
