#include "run/exact/exponential_totals.hpp"

#include <algorithm>

#include "arithmetic/rounding.hpp"
#include "exact/exponentials/exponential_total_methods.hpp"
#include "run/states/kept_states.hpp"
#include "threads/pool.hpp"

namespace samesum {

ExponentialTotals::ExponentialTotals(Format in, std::int64_t outputs) : in_(in), outputs_(outputs) {
    with_exponential_value(
        in, [&]<class Value>(Value) { totals_.emplace<Of<Value>>(static_cast<std::size_t>(outputs)); });
}

void ExponentialTotals::add(const View& piece, const bool* reduced) {
    std::visit(
        [&](auto& totals) {
            add_to_states(piece, reduced, exponential_total_method(in_), totals.data(), {MaskUse::compacted});
        },
        totals_);
}

void ExponentialTotals::merge(const ExponentialTotals& other) {
    std::visit(
        [&]<class Totals>(Totals& totals) {
            const Totals& from = std::get<Totals>(other.totals_);
            for (std::size_t j = 0; j < totals.size(); ++j) totals[j].merge(from[j]);
        },
        totals_);
}

void ExponentialTotals::round(Format out, void* to) const {
    const FloatingPointScope scope;
    std::visit(
        [&](const auto& totals) {
            for (std::size_t j = 0; j < totals.size(); ++j)
                store_bits(to, j, totals[j].rounded({Finalize::logarithm, out, 1}), size_of(out));
        },
        totals_);
}

std::string ExponentialTotals::encoded() const {
    std::string bytes;
    std::visit(
        [&](const auto& totals) {
            for (const auto& each : totals) each.encode(bytes);
        },
        totals_);
    return bytes;
}

bool ExponentialTotals::decode(const char* from, std::size_t n) {
    const char* const end = from + n;
    return std::visit(
        [&]<class Value>(Of<Value>& totals) {
            const auto read = [&](auto& each) { return ExponentialTotal<Value>::decode(from, end, each); };
            return std::all_of(totals.begin(), totals.end(), read) && from == end;
        },
        totals_);
}

}  // namespace samesum
