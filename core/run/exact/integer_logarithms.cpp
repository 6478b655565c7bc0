#include "run/exact/integer_logarithms.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "arithmetic/rounding.hpp"
#include "exact/methods.hpp"

namespace samesum {

namespace {

// The whole parts of e^k for k from 1 on, up to 2^64; none of them is a power itself.
constexpr std::array<std::uint64_t, 44> powers = {2,
                                                  7,
                                                  20,
                                                  54,
                                                  148,
                                                  403,
                                                  1096,
                                                  2980,
                                                  8103,
                                                  22026,
                                                  59874,
                                                  162754,
                                                  442413,
                                                  1202604,
                                                  3269017,
                                                  8886110,
                                                  24154952,
                                                  65659969,
                                                  178482300,
                                                  485165195,
                                                  1318815734,
                                                  3584912846,
                                                  9744803446,
                                                  26489122129,
                                                  72004899337,
                                                  195729609428,
                                                  532048240601,
                                                  1446257064291,
                                                  3931334297144,
                                                  10686474581524,
                                                  29048849665247,
                                                  78962960182680,
                                                  214643579785916,
                                                  583461742527454,
                                                  1586013452313430,
                                                  4311231547115195,
                                                  11719142372802611,
                                                  31855931757113756,
                                                  86593400423993746,
                                                  235385266837019985,
                                                  639843493530054949,
                                                  1739274941520501047,
                                                  4727839468229346561,
                                                  12851600114359308275u};

std::uint64_t exact_logarithm(__int128 total, const Finish& how) {
    const bool negative = total < 0;
    const u128 size = negative ? 0 - static_cast<u128>(total) : static_cast<u128>(total);
    if (!is_float(how.format) && total > 0 && size >> 64 == 0) {
        const auto above = std::lower_bound(powers.begin(), powers.end(), static_cast<std::uint64_t>(size));
        return static_cast<std::uint64_t>(above - powers.begin());
    }
    Superaccumulator sum;
    sum.add_wide(size, 0, negative);
    return sum.rounded(how);
}

template <class TotalAt>
std::size_t finish_logarithms(std::size_t n, const Finish& how, void* out, std::uint8_t* failed,
                              const TotalAt& total_at) {
    for (std::size_t j = 0; j < n; ++j)
        store_bits(out, j, exact_logarithm(total_at(j), how), size_of(how.format));
    std::memset(failed, 0, n);
    return 0;
}

}  // namespace

std::size_t finish_signed_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                     std::uint8_t* failed) {
    const auto total = [&](std::size_t j) -> __int128 { return static_cast<const std::int64_t*>(tile)[j]; };
    return finish_logarithms(n, how, out, failed, total);
}

std::size_t finish_unsigned_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                       std::uint8_t* failed) {
    const auto total = [&](std::size_t j) -> __int128 { return static_cast<const std::uint64_t*>(tile)[j]; };
    return finish_logarithms(n, how, out, failed, total);
}

std::size_t finish_wide_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                   std::uint8_t* failed) {
    return finish_logarithms(n, how, out, failed, [&](std::size_t j) { return wide_total(tile, j); });
}

}  // namespace samesum
