// Exact sums as bytes, and back: docs/states.md says what each of them means.
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "exact/methods.hpp"
#include "exact/totals/kept_total.hpp"

namespace samesum {

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
constexpr std::size_t float_bytes = 544, whole_bytes = 24;

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

bool take_head(const char*& from, const char* end, std::size_t most, Encoded& found) {
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

void KeptTotal::encode(bool, std::string& to) const {
    const Superaccumulator sum = total();
    if (sum.is_nan()) return put(to, nan_flag, nullptr, 0);
    if (!sum.is_finite())
        return put(to, sum.has_negative_infinity() ? negative_infinity_flag : positive_infinity_flag, nullptr,
                   0);
    bool negative;
    const auto bytes = bytes_of(sum.magnitude_words(negative));
    put(to, negative ? negative_flag : std::uint8_t{0}, bytes.data(), bytes.size());
}

void WideInteger::encode(bool, std::string& to) const {
    const auto bytes = bytes_of(std::to_array(magnitude().word));
    put(to, is_negative() ? negative_flag : std::uint8_t{0}, bytes.data(), bytes.size());
}

bool KeptTotal::decode(const char*& from, const char* end, bool, KeptTotal& kept) {
    Encoded found;
    if (!take_head(from, end, float_bytes, found)) return false;
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

bool WideInteger::decode(const char*& from, const char* end, bool, WideInteger& total) {
    Encoded found;
    if (!take_head(from, end, whole_bytes, found) || found.flags > negative_flag) return false;
    total = {};
    for (std::size_t i = 0; i < found.count; ++i) {
        const std::size_t at = found.first + i;
        total.word[at / 8] |= std::uint64_t{found.bytes[i]} << (8 * (at % 8));
    }
    if (total.is_negative()) return false;
    if (found.flags != 0) total = total.negated();
    return true;
}

}  // namespace samesum
