#include "run/masks/centred.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "arithmetic/rounding.hpp"
#include "kernels/instruction_set.hpp"

namespace samesum {

namespace {

// A centre is an element of the format; NaN stands for integers that no double holds, and decides nothing.
void put_centre(double centre, Format format, char* to, std::size_t j) {
    constexpr double signed_end = 0x1p63;
    std::uint64_t bits = 0;
    if (is_float(format))
        bits = round_bits(centre, format);
    else if (centre >= signed_end)
        bits = static_cast<std::uint64_t>(centre);
    else if (centre == centre)
        bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(centre));
    store_bits(to, j, bits, size_of(format));
}

std::uint64_t bits_at(const char* p, std::size_t size) {
    const auto load = [p](auto part) -> std::uint64_t {
        std::memcpy(&part, p, sizeof part);
        return part;
    };
    switch (size) {
        case 1:
            return load(std::uint8_t{});
        case 2:
            return load(std::uint16_t{});
        case 4:
            return load(std::uint32_t{});
        default:
            return load(std::uint64_t{});
    }
}

}  // namespace

void add_centred(const MaskedElements& elements, const Method& method, const MaskedElements::Block& block,
                 Format format, std::size_t j, char* room, void* tile) {
    if (block.chosen == 0) return;
    const Centres centres = method.centres(tile);
    const std::size_t size = elements.size();
    char centre[8];
    const char* other = centre;
    if (centres.count[j] == 0) {
        const std::uint8_t* const chosen =
            std::find_if(block.mask, block.mask + block.n, [](std::uint8_t byte) { return byte != 0; });
        other = block.x + static_cast<std::size_t>(chosen - block.mask) * size;
    } else {
        put_centre(centres.centre[j], format, centre, 0);
    }
    method.lanes(tile, j, elements.filled(block, bits_at(other, size), room), block.n, 0, 1);
    centres.count[j] -= static_cast<double>(block.n - block.chosen);
}

CentredColumns::CentredColumns(const Method& method, Format format, std::size_t n, void* tile)
    : method_(method),
      format_(format),
      n_(n),
      size_(size_of(format)),
      tile_(tile),
      centres_(method.centres(tile)),
      others_(n * size_),
      counts_(n) {}

void CentredColumns::add(std::span<const char* const> rows, const std::uint8_t* mask, char* room) {
    const MaskMethods& masking = *current_instruction_set().masking;
    const std::size_t bytes = n_ * size_;
    if (any_missing_) find_centres(rows, mask);
    masking.count_columns(mask, static_cast<std::ptrdiff_t>(n_), rows.size(), n_, counts_.data());
    const auto fill = masking.fill_each[std::countr_zero(size_)];
    for (std::size_t r = 0; r < rows.size(); ++r)
        fill(rows[r], mask + r * n_, n_, others_.data(), room + r * bytes);
    method_.columns(tile_, room, static_cast<std::ptrdiff_t>(bytes), rows.size(), n_);
    for (std::size_t j = 0; j < n_; ++j)
        centres_.count[j] -= static_cast<double>(static_cast<std::int64_t>(rows.size()) - counts_[j]);
}

// Of a column without any element so far it is the first one that is chosen now. Where none is, zero stands
// in for it, and the column stays without any.
void CentredColumns::find_centres(std::span<const char* const> rows, const std::uint8_t* mask) {
    any_missing_ = false;
    for (std::size_t j = 0; j < n_; ++j) {
        if (centres_.count[j] != 0) {
            put_centre(centres_.centre[j], format_, others_.data(), j);
            continue;
        }
        std::size_t r = 0;
        while (r < rows.size() && mask[r * n_ + j] == 0) ++r;
        if (r < rows.size())
            std::memcpy(&others_[j * size_], rows[r] + j * size_, size_);
        else
            any_missing_ = true;
    }
}

}  // namespace samesum
