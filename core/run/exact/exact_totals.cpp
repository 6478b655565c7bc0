#include "run/exact/exact_totals.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "formats/format.hpp"
#include "run/states/kept_states.hpp"
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

ExactTotals::ExactTotals(Format in, Map map, std::int64_t outputs)
    : in_(in),
      map_(map),
      outputs_(outputs),
      real_(in, map, is_float(in) ? static_cast<std::size_t>(outputs) : 0),
      whole_(is_float(in) ? 0 : static_cast<std::size_t>(outputs), WholeWords{{0, 0, 0}}) {}

void ExactTotals::add(const View& piece, const bool* reduced) {
    if (is_float(in_))
        add_to_totals(piece, reduced, map_, real_);
    else
        add_to_totals(piece, reduced, map_, whole_.data());
}

void ExactTotals::merge(const ExactTotals& other) {
    real_.merge(other.real_);
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
        const std::uint64_t bits = is_float(in_)
                                       ? rounded_moment(real_[j].whole(), squares.real_[j].whole(), moment)
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
        if (!elements_of(real_[j].whole(), in_, most, found)) return std::nullopt;
        std::copy(found.begin(), found.end(), bits.begin() + static_cast<std::ptrdiff_t>(j * most));
        count = std::max(count, found.size());
    }
    return count;
}

std::string ExactTotals::encoded() const {
    std::string bytes;
    for (std::size_t j = 0; j < real_.size(); ++j) encode(real_[j].whole(), bytes);
    for (const WholeWords& each : whole_) encode(each, bytes);
    return bytes;
}

bool ExactTotals::decode(const char* from, std::size_t n) {
    const char* const end = from + n;
    for (std::size_t j = 0; j < real_.size(); ++j) {
        KeptTotal total;
        if (!samesum::decode(from, end, total)) return false;
        real_.of(j).merge(total);
    }
    const auto read = [&](WholeWords& each) { return samesum::decode(from, end, each); };
    return std::all_of(whole_.begin(), whole_.end(), read) && from == end;
}

namespace {

// The head of a total: flags, and where its bytes begin and how many there are, 16 bits each.
enum : std::uint8_t {
    negative_flag = 1,
    nan_flag = 2,
    positive_infinity_flag = 4,
    negative_infinity_flag = 8
};
constexpr std::size_t head_bytes = 5;
// More than any sum of 2^64 squares has, and less than the accumulator has room for.
constexpr std::size_t most_bytes = 544, whole_bytes = 24;

struct Encoded {
    std::uint8_t flags = 0;
    std::size_t first = 0, count = 0;
    const unsigned char* bytes = nullptr;
};

void put(std::string& to, std::uint8_t flags, const unsigned char* bytes, std::size_t n) {
    std::size_t first = 0;
    while (n > 0 && bytes[n - 1] == 0) --n;
    while (first < n && bytes[first] == 0) ++first;
    if (n == 0) flags &= static_cast<std::uint8_t>(~negative_flag);
    const std::size_t count = n - first, begin = n == 0 ? 0 : first;
    const unsigned char head[head_bytes] = {
        flags, static_cast<unsigned char>(begin), static_cast<unsigned char>(begin >> 8),
        static_cast<unsigned char>(count), static_cast<unsigned char>(count >> 8)};
    to.append(reinterpret_cast<const char*>(head), head_bytes);
    to.append(reinterpret_cast<const char*>(bytes) + begin, count);
}

// Bytes of words from the lowest on.
template <class Word, std::size_t n>
std::array<unsigned char, n * sizeof(Word)> bytes_of(const std::array<Word, n>& words) {
    std::array<unsigned char, n * sizeof(Word)> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<unsigned char>(words[i / sizeof(Word)] >> (8 * (i % sizeof(Word))));
    return bytes;
}

bool take(const char*& from, const char* end, std::size_t most, Encoded& found) {
    if (end - from < static_cast<std::ptrdiff_t>(head_bytes)) return false;
    unsigned char head[head_bytes];
    std::memcpy(head, from, head_bytes);
    found.flags = head[0];
    found.first = head[1] | static_cast<std::size_t>(head[2]) << 8;
    found.count = head[3] | static_cast<std::size_t>(head[4]) << 8;
    from += head_bytes;
    if (end - from < static_cast<std::ptrdiff_t>(found.count) || found.first + found.count > most)
        return false;
    found.bytes = reinterpret_cast<const unsigned char*>(from);
    from += found.count;
    if (found.count == 0) return found.first == 0 && (found.flags & negative_flag) == 0;
    return found.bytes[0] != 0 && found.bytes[found.count - 1] != 0;
}

}  // namespace

void encode(const Superaccumulator& total, std::string& to) {
    if (total.is_nan()) return put(to, nan_flag, nullptr, 0);
    if (!total.is_finite())
        return put(to, total.has_negative_infinity() ? negative_infinity_flag : positive_infinity_flag,
                   nullptr, 0);
    bool negative;
    const auto bytes = bytes_of(total.magnitude_words(negative));
    put(to, negative ? negative_flag : std::uint8_t{0}, bytes.data(), bytes.size());
}

void encode(const WholeWords& total, std::string& to) {
    const bool negative = (total.word[2] >> 63) != 0;
    std::array<std::uint64_t, 3> size;
    u128 carry = negative ? 1 : 0;
    for (std::size_t i = 0; i < 3; ++i) {
        carry += negative ? ~total.word[i] : total.word[i];
        size[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    const auto bytes = bytes_of(size);
    put(to, negative ? negative_flag : std::uint8_t{0}, bytes.data(), bytes.size());
}

bool decode(const char*& from, const char* end, KeptTotal& kept) {
    Encoded found;
    if (!take(from, end, most_bytes, found)) return false;
    const int lowest = Superaccumulator::lowest_exponent + 8 * static_cast<int>(found.first);
    if (found.flags <= negative_flag && 0 < found.count && found.count <= KeptTotal::most_bytes) {
        u128 value = 0;
        for (std::size_t i = found.count; i-- > 0;) value = value << 8 | found.bytes[i];
        kept = KeptTotal(value, lowest, found.flags == negative_flag);
        return true;
    }
    Superaccumulator total;
    if (found.flags > negative_flag) {
        if (found.count != 0) return false;
        if (found.flags == nan_flag)
            total.add_nan();
        else if (found.flags == positive_infinity_flag || found.flags == negative_infinity_flag)
            total.add_infinity(found.flags == negative_infinity_flag);
        else
            return false;
    }
    for (std::size_t i = 0; i < found.count; ++i)
        total.add(found.bytes[i], lowest + 8 * static_cast<int>(i), found.flags == negative_flag);
    if (found.count > 0 || !total.is_finite()) kept = KeptTotal(total);
    return true;
}

bool decode(const char*& from, const char* end, WholeWords& total) {
    Encoded found;
    if (!take(from, end, whole_bytes, found) || found.flags > negative_flag) return false;
    total = {};
    for (std::size_t i = 0; i < found.count; ++i) {
        const std::size_t at = found.first + i;
        total.word[at / 8] |= std::uint64_t{found.bytes[i]} << (8 * (at % 8));
    }
    if ((total.word[2] >> 63) != 0) return false;
    if (found.flags == 0) return true;
    u128 carry = 1;
    for (std::uint64_t& word : total.word) {
        carry += ~word;
        word = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    return true;
}

}  // namespace samesum
