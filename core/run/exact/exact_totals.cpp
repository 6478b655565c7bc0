#include "run/exact/exact_totals.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "formats/format.hpp"
#include "run/exact/exact_words.hpp"
#include "run/states/kept_sums.hpp"
#include "threads/pool.hpp"

namespace samesum {

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

ExactTotals::ExactTotals(Format in, Map map, std::int64_t outputs) : in_(in), map_(map), outputs_(outputs) {
    const std::size_t n = static_cast<std::size_t>(outputs);
    if (is_float(in))
        real_.resize(n);
    else
        whole_.resize(n, WholeWords{{0, 0, 0}});
}

void ExactTotals::add(const View& piece, const bool* reduced) {
    if (is_float(in_))
        add_to_totals(piece, reduced, map_, real_.data());
    else
        add_to_totals(piece, reduced, map_, whole_.data());
}

void ExactTotals::merge(const ExactTotals& other) {
    for (std::size_t j = 0; j < real_.size(); ++j) real_[j].merge(other.real_[j]);
    if (!whole_.empty())
        wide_method(in_, map_).merge(whole_.data(), 0, other.whole_.data(), 0, whole_.size());
}

void ExactTotals::round(Finalize finalize, Format out, const std::int64_t* counts, void* to) const {
    const FloatingPointScope scope;
    for (std::size_t j = 0; j < static_cast<std::size_t>(outputs_); ++j) {
        const Finish how{finalize, out, counts[j]};
        const bool is_empty_mean = finalize == Finalize::over_count && counts[j] == 0;
        const std::uint64_t bits = is_empty_mean   ? canonical_nan(out)
                                   : is_float(in_) ? real_[j].rounded(how)
                                                   : rounded_whole(whole_[j], how);
        store_bits(to, j, bits, size_of(out));
    }
}

void ExactTotals::round_moments(const ExactTotals& squares, const Moment& how, const std::int64_t* counts,
                                void* to) const {
    const FloatingPointScope scope;
    for (std::size_t j = 0; j < static_cast<std::size_t>(outputs_); ++j) {
        const Moment moment{how.kind, how.format, counts[j], how.correction};
        const std::uint64_t bits = is_float(in_) ? rounded_moment(real_[j], squares.real_[j], moment)
                                                 : rounded_moment(whole_[j], squares.whole_[j], moment);
        store_bits(to, j, bits, size_of(how.format));
    }
}

std::optional<std::size_t> ExactTotals::elements(std::size_t most, std::vector<std::uint64_t>& bits) const {
    const FloatingPointScope scope;
    bits.assign(real_.size() * most, 0);
    std::size_t count = 0;
    std::vector<std::uint64_t> found;
    for (std::size_t j = 0; j < real_.size(); ++j) {
        if (!elements_of(real_[j], in_, most, found)) return std::nullopt;
        std::copy(found.begin(), found.end(), bits.begin() + static_cast<std::ptrdiff_t>(j * most));
        count = std::max(count, found.size());
    }
    return count;
}

std::string ExactTotals::encoded() const {
    std::string bytes;
    for (const Superaccumulator& each : real_) encode(each, bytes);
    for (const WholeWords& each : whole_) encode(each, bytes);
    return bytes;
}

bool ExactTotals::decode(const char* from, std::size_t n) {
    const char* const end = from + n;
    const auto read = [&](auto& each) { return samesum::decode(from, end, each); };
    return std::all_of(real_.begin(), real_.end(), read) && std::all_of(whole_.begin(), whole_.end(), read) &&
           from == end;
}

}  // namespace samesum
