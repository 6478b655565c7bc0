#include "run/exact/kept_totals.hpp"

#include <algorithm>
#include <type_traits>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "run/states/kept_states.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Which states take the elements of a format.
template <class States>
struct Takes {
    static bool format(Format) { return true; }
};
template <>
struct Takes<FloatTotals> {
    static bool format(Format in) { return is_float(in); }
};
template <class Value>
struct Takes<std::vector<ExponentialTotal<Value>>> {
    static bool format(Format in) {
        return with_exponential_value(in, []<class Own>(Own) { return std::is_same_v<Own, Value>; });
    }
};

template <class States>
constexpr bool are_of_floats = std::is_same_v<States, FloatTotals>;

}  // namespace

template <class... States>
KeptTotals<States...>::KeptTotals(Format in, std::int64_t outputs, Map map)
    : in_(in), outputs_(outputs), map_(map) {
    const std::size_t n = static_cast<std::size_t>(outputs);
    const auto make = [&]<class Own>(std::type_identity<Own>) {
        if (!Takes<Own>::format(in)) return false;
        if constexpr (are_of_floats<Own>)
            totals_.template emplace<Own>(in, map, n);
        else
            totals_.template emplace<Own>(n);
        return true;
    };
    (make(std::type_identity<States>{}) || ...);
}

template <class... States>
void KeptTotals<States...>::add(const View& piece, const bool* reduced) {
    std::visit(
        [&]<class Own>(Own& totals) {
            if constexpr (are_of_floats<Own>) {
                add_to_totals(piece, reduced, map_, totals);
            } else if constexpr (requires { add_to_totals(piece, reduced, map_, totals.data()); }) {
                add_to_totals(piece, reduced, map_, totals.data());
            } else {
                constexpr bool are_products = std::is_same_v<Own, std::vector<Product>>;
                const Method& method = are_products ? product_method(in_) : exponential_total_method(in_);
                add_to_states(piece, reduced, method, totals.data(), {MaskUse::compacted});
            }
        },
        totals_);
}

template <class... States>
void KeptTotals<States...>::merge(const KeptTotals& other) {
    std::visit(
        [&]<class Own>(Own& totals) {
            const Own& from = std::get<Own>(other.totals_);
            if constexpr (are_of_floats<Own>)
                totals.merge(from);
            else
                for (std::size_t j = 0; j < totals.size(); ++j) totals[j].merge(from[j]);
        },
        totals_);
}

template <class... States>
void KeptTotals<States...>::round(Finalize finalize, Format out, const std::int64_t* counts, void* to) const {
    const FloatingPointScope scope;
    std::visit(
        [&](const auto& totals) {
            for (std::size_t j = 0; j < totals.size(); ++j) {
                const std::int64_t count = counts == nullptr ? 1 : counts[j];
                const bool is_empty_mean = finalize == Finalize::over_count && count == 0;
                store_bits(to, j,
                           is_empty_mean ? canonical_nan(out) : totals[j].rounded({finalize, out, count}),
                           size_of(out));
            }
        },
        totals_);
}

template <class... States>
std::string KeptTotals<States...>::encoded(bool is_brief) const {
    std::string bytes;
    std::visit(
        [&](const auto& totals) {
            for (std::size_t j = 0; j < totals.size(); ++j) totals[j].encode(is_brief, bytes);
        },
        totals_);
    return bytes;
}

template <class... States>
bool KeptTotals<States...>::decode(const char* from, std::size_t n, bool is_brief) {
    const char* const end = from + n;
    return std::visit(
        [&]<class Own>(Own& totals) {
            for (std::size_t j = 0; j < totals.size(); ++j) {
                if constexpr (are_of_floats<Own>) {
                    KeptTotal total;
                    if (!KeptTotal::decode(from, end, is_brief, total)) return false;
                    totals.of(j).merge(total);
                } else if (!Own::value_type::decode(from, end, is_brief, totals[j])) {
                    return false;
                }
            }
            return from == end;
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

namespace {

// A few elements whose exact sum a total is: bits of floats of this format, each the rest rounded; of an
// infinity or a NaN that alone, of zero none. False where it takes more than `most` of them.
bool elements_of(const Superaccumulator& total, Format format, std::size_t most,
                 std::vector<std::uint64_t>& bits) {
    bits.clear();
    if (!total.is_finite()) {
        bits.push_back(total.special_bits(format));
        return true;
    }
    const std::uint64_t sign = std::uint64_t{1} << (8 * size_of(format) - 1);
    Superaccumulator rest = total;
    for (;;) {
        std::uint64_t part = rest.rounded({Finalize::itself, format, 1});
        if ((part & ~sign) == 0) return true;
        if (bits.size() == most) return false;
        const bool negative = (part & sign) != 0;
        if (part == overflow_bits(format, negative)) --part;  // the greatest of all
        bits.push_back(part);
        part ^= sign;
        add_elements(rest, reinterpret_cast<const char*>(&part), 1, format);
    }
}

}  // namespace

void ExactTotals::round_moments(const ExactTotals& squares, const Moment& how, const std::int64_t* counts,
                                void* to) const {
    const FloatingPointScope scope;
    std::visit(
        [&]<class Own>(const Own& sums) {
            const Own& others = std::get<Own>(squares.totals_);
            for (std::size_t j = 0; j < sums.size(); ++j) {
                const Moment moment{how.kind, how.format, counts[j], how.correction};
                store_bits(to, j, rounded_moment(sums[j].total(), others[j].total(), moment),
                           size_of(how.format));
            }
        },
        totals_);
}

std::optional<std::size_t> ExactTotals::elements(std::size_t most, std::vector<std::uint64_t>& bits) const {
    const FloatingPointScope scope;
    const auto& totals = std::get<0>(totals_);
    bits.assign(totals.size() * most, 0);
    std::size_t count = 0;
    std::vector<std::uint64_t> found;
    for (std::size_t j = 0; j < totals.size(); ++j) {
        if (!elements_of(totals[j].total(), in_, most, found)) return std::nullopt;
        std::copy(found.begin(), found.end(), bits.begin() + static_cast<std::ptrdiff_t>(j * most));
        count = std::max(count, found.size());
    }
    return count;
}

template class KeptTotals<std::vector<Product>>;
template class KeptTotals<FloatTotals, std::vector<WideInteger>>;
template class KeptTotals<std::vector<ExponentialTotal<double>>, std::vector<ExponentialTotal<std::int64_t>>,
                          std::vector<ExponentialTotal<std::uint64_t>>>;

}  // namespace samesum
