#include "run/exact/total_elements.hpp"

#include "exact/elements.hpp"

namespace samesum {

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

}  // namespace samesum
