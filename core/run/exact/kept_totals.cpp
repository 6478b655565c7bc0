#include "run/exact/kept_totals.hpp"

#include <algorithm>

#include "arithmetic/rounding.hpp"
#include "exact/exponentials/exponential_total.hpp"
#include "run/states/kept_states.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

template <class... States>
KeptTotals<States...>::KeptTotals(Format in, std::int64_t outputs) : in_(in), outputs_(outputs) {
    const std::size_t n = static_cast<std::size_t>(outputs);
    if constexpr (sizeof...(States) == 1)
        totals_.template emplace<0>(n);
    else
        with_exponential_value(in, [&]<class Value>(Value) {
            totals_.template emplace<std::vector<ExponentialTotal<Value>>>(n);
        });
}

template <class... States>
void KeptTotals<States...>::add(const View& piece, const bool* reduced) {
    constexpr bool are_products = sizeof...(States) == 1;
    const Method& method = are_products ? product_method(in_) : exponential_total_method(in_);
    std::visit(
        [&](auto& totals) { add_to_states(piece, reduced, method, totals.data(), {MaskUse::compacted}); },
        totals_);
}

template <class... States>
void KeptTotals<States...>::merge(const KeptTotals& other) {
    std::visit(
        [&]<class Totals>(Totals& totals) {
            const Totals& from = std::get<Totals>(other.totals_);
            for (std::size_t j = 0; j < totals.size(); ++j) totals[j].merge(from[j]);
        },
        totals_);
}

template <class... States>
void KeptTotals<States...>::round(Format out, void* to) const {
    const FloatingPointScope scope;
    const Finish how{sizeof...(States) == 1 ? Finalize::itself : Finalize::logarithm, out, 1};
    std::visit(
        [&](const auto& totals) {
            for (std::size_t j = 0; j < totals.size(); ++j)
                store_bits(to, j, totals[j].rounded(how), size_of(out));
        },
        totals_);
}

template <class... States>
std::string KeptTotals<States...>::encoded(bool is_brief) const {
    std::string bytes;
    std::visit(
        [&](const auto& totals) {
            for (const auto& each : totals) each.encode(is_brief, bytes);
        },
        totals_);
    return bytes;
}

template <class... States>
bool KeptTotals<States...>::decode(const char* from, std::size_t n, bool is_brief) {
    const char* const end = from + n;
    return std::visit(
        [&]<class State>(std::vector<State>& totals) {
            const auto read = [&](State& each) { return State::decode(from, end, is_brief, each); };
            return std::all_of(totals.begin(), totals.end(), read) && from == end;
        },
        totals_);
}

void ProductTotals::scan(const View& piece, int axis, bool is_exclusive, Format out, void* to) {
    const FloatingPointScope scope;
    if (outputs_ == 0 || piece.shape[axis] == 0) return;
    std::vector<Product>& products = std::get<0>(totals_);
    const std::int64_t n = piece.shape[axis], step = piece.strides[axis];
    std::int64_t inner = 1;
    for (int i = axis + 1; i < piece.rank; ++i) inner *= piece.shape[i];
    Dims kept;
    for (int i = 0; i < piece.rank; ++i)
        if (i != axis) kept.push({piece.shape[i], piece.strides[i], 0});
    const Finish how{Finalize::itself, out, 1};
    const int threads = threads_for(outputs_ * n * static_cast<std::int64_t>(size_of(in_)), threaded_bytes);
    const std::int64_t share = (outputs_ + threads - 1) / threads;
    auto task = [&](std::size_t t, std::size_t) {
        const std::int64_t first = static_cast<std::int64_t>(t) * share,
                           last = std::min(first + share, outputs_);
        if (first >= last) return;
        Walk walk(kept, first);
        for (std::int64_t j = first; j < last; ++j, walk.next()) {
            Product& product = products[static_cast<std::size_t>(j)];
            const char* p = piece.data + walk.in();
            std::int64_t at = j / inner * n * inner + j % inner;
            for (std::int64_t i = 0; i < n; ++i, p += step, at += inner) {
                if (!is_exclusive) multiply_element(product, p, in_);
                store_bits(to, static_cast<std::size_t>(at), product.rounded(how), size_of(out));
                if (is_exclusive) multiply_element(product, p, in_);
            }
        }
    };
    for_each_task(static_cast<std::size_t>(threads), threads, task);
}

template class KeptTotals<Product>;
template class KeptTotals<ExponentialTotal<double>, ExponentialTotal<std::int64_t>,
                          ExponentialTotal<std::uint64_t>>;

}  // namespace samesum
