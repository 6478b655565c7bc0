// The figures of one block of floats: its classes and extremes from the bits, then its sums by the cheapest
// method that is exact for the range of its exponents.
#pragma once

#include "kernels/blocks/statistics_bits.hpp"
#include "kernels/blocks/statistics_grids.hpp"
#include "kernels/blocks/statistics_integers.hpp"
#include "kernels/blocks/statistics_limbs.hpp"

namespace samesum::SAMESUM_ISA {

template <class F>
struct StatisticsOf {
    using Kind = BitsOf<F>;
    using Bits = typename Kind::Bits;

    static typename Kind::Extremes extremes(const Bits* x, std::size_t n) {
        if constexpr (F::format == Format::f64)
            return extremes_of_doubles(x, n);
        else
            return Kind::extremes(x, n);
    }

    static void sums(const char* p, std::size_t n, OctaveRange range, BlockStatistics& found) {
        if constexpr (F::format == Format::f64) {
            if (LimbSums::take(p, n, range, found)) return;
        } else {
            if constexpr (F::size == 2) {
                if (IntegerSums<F>::take(p, n, range, found)) return;
            }
            if (OneGridStatistics<F>::take(p, n, range, found)) return;
        }
        ManyGridStatistics<F>::take(p, n, range, found);
    }

    // The least magnitude that is not zero. `inserted` zeros are none of the block's.
    static Bits take_zeros(const Bits* x, std::size_t n, std::int64_t inserted, BlockStatistics& found) {
        const typename Kind::Zeros zeros = Kind::zeros(x, n);
        found.zeros = static_cast<std::int64_t>(zeros.all) - inserted;
        const auto is_zero = [](std::int64_t key) { return key == 0 || key == -1; };
        if (inserted == 0 && is_zero(found.least)) found.least = zeros.negative > 0 ? -1 : 0;
        if (inserted == 0 && is_zero(found.greatest)) found.greatest = zeros.all > zeros.negative ? 0 : -1;
        return static_cast<Bits>(static_cast<Bits>(zeros.least) + 1);
    }

    static void of(const void* from, std::size_t n, void* scratch, BlockStatistics& found) {
        const Bits* x = static_cast<const Bits*>(from);
        auto seen = extremes(x, n);
        if (seen.is_finite) {
            found.least = seen.low;
            found.greatest = seen.high;
        } else {
            Kind::clean(x, n, static_cast<Bits*>(scratch), found);
            x = static_cast<const Bits*>(scratch);
            seen = extremes(x, n);
        }
        found.finite = x;
        Bits smallest = seen.least;
        if (smallest == 0)
            smallest =
                take_zeros(x, n, found.nans + found.positive_infinities + found.negative_infinities, found);
        for (bool& known : found.known) known = seen.greatest == 0;
        if (seen.greatest == 0) return;
        if (smallest < Kind::least_normal) found.subnormals = Kind::subnormals(x, n);
        found.smallest = static_cast<std::int64_t>(smallest);
        const int unit = Kind::exponent_of(smallest) - Kind::fraction_bits;
        sums(reinterpret_cast<const char*>(x), n, {Kind::exponent_of(seen.greatest), unit}, found);
    }
};

}  // namespace samesum::SAMESUM_ISA
