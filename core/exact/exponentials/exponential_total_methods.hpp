// Methods of sums of exponentials that are kept, or that faster methods cannot certify.
#pragma once

#include "exact/exponentials/exponential_total.hpp"
#include "methods/method.hpp"

namespace samesum {

// How the values of a format are kept.
template <class Visit>
decltype(auto) with_exponential_value(Format in, Visit&& visit) {
    if (in == Format::i64) return visit(std::int64_t{});
    if (in == Format::u64) return visit(std::uint64_t{});
    return visit(double{});
}

// Its states are ExponentialTotal of that value: any format but the floats of eight bits.
const Method& exponential_total_method(Format in);

}  // namespace samesum
