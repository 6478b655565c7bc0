#include "exact/totals/running_total.hpp"

namespace samesum {

// Whether some word below is not zero.
bool RunningTotal::is_more_below(int index) const {
    for (int i = index - 1; i >= lowest_; --i) {
        if (word(i) != 0) return true;
    }
    return false;
}

std::uint64_t RunningTotal::rounded(Format format) const {
    if (!is_finite()) return special_bits(format);
    const std::uint64_t sign = word(top_), first = word(top_ - 1), second = word(top_ - 2),
                        third = word(top_ - 3);
    // As good as random, where totals are about the end of a word: no branches.
    const bool negative = sign != 0, is_spare = first == sign;
    const bool sticky = is_more_below(top_ - 3) | ((is_spare ? 0 : third) != 0);
    const int exponent = lowest_exponent + 64 * (top_ - 2 - (is_spare ? 1 : 0));
    const u128 leading = u128{is_spare ? second : first} << 64 | (is_spare ? third : second);
    // The magnitude: of a negative one all bits turned, and one added in the lowest place.
    const u128 magnitude = (leading ^ (u128{sign} << 64 | sign)) + (negative & !sticky ? 1 : 0);
    if (negative && magnitude == 0)
        return round_to_format({std::uint64_t{1} << 63, exponent + 65, sticky}, true, format);
    return round_to_format(leading_of(magnitude, exponent, sticky), negative, format);
}

}  // namespace samesum
