#include "exact/running_total.hpp"

namespace samesum {

// Whether some word below is not zero.
bool RunningTotal::is_more_than(int index) const {
    for (int i = index - 1; i >= lowest_; --i) {
        if (word(i) != 0) return true;
    }
    return false;
}

std::uint64_t RunningTotal::rounded(Format format) const {
    if (!is_finite()) return special_bits(format);
    const bool negative = word(top_) != 0;
    const int low = top_ - 2;
    const u128 leading = u128{word(top_ - 1)} << 64 | (low >= 0 ? word(low) : 0);
    const bool sticky = is_more_than(low);
    const int exponent = lowest_exponent + 64 * low;
    // The magnitude: of a negative one all bits turned, and one added in the lowest place.
    const u128 magnitude = negative ? ~leading + (sticky ? 0 : 1) : leading;
    if (negative && magnitude == 0)
        return round_to_format({std::uint64_t{1} << 63, exponent + 65, sticky}, true, format);
    return round_to_format(leading_of(magnitude, exponent, sticky), negative, format);
}

}  // namespace samesum
