#include "run/masks/masked.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/instruction_set.hpp"
#include "kernels/prefetch.hpp"

namespace samesum {

namespace {

const MaskMethods& methods() { return *current_instruction_set().masking; }

bool are_dense(const Dims& dims, std::int64_t size) {
    for (int i = dims.rank; i-- > 0; size *= dims.dim[i].size)
        if (dims.dim[i].in != size && dims.dim[i].size != 1) return false;
    return true;
}

Dims of_elements(Dims dims) {
    for (int i = 0; i < dims.rank; ++i) dims.dim[i].mask = 0;
    return dims;
}

}  // namespace

CodeRange codes_of(Format format, Skip skip) {
    const std::uint64_t sign = std::uint64_t{1} << (8 * size_of(format) - 1), all = 2 * sign - 1;
    const bool has_negative_zero = is_float(format) && traits_of(format).has_negative_zero;
    const std::uint64_t magnitude = has_negative_zero ? sign - 1 : all;
    if (skip == Skip::zeros) return {0, magnitude, 0, true};
    // The one NaN has the code that -0 has elsewhere.
    if (!has_negative_zero) return {sign - 1, all, all - 1, false};
    return {0, magnitude, has_infinity(format) ? infinity_bits(format) : traits_of(format).largest, false};
}

Dims mask_dims(Dims dims) {
    for (int i = 0; i < dims.rank; ++i) dims.dim[i] = {dims.dim[i].size, dims.dim[i].mask, 0};
    return dims;
}

MaskedElements::MaskedElements(const Dims& dims, const Plan& plan)
    : MaskedElements(dims, plan.format, plan.swapped, plan.mask != nullptr, plan.skip) {}

MaskedElements::MaskedElements(const Dims& dims, Format format, bool swapped, bool is_masked, Skip skip)
    : format_(format),
      size_(size_of(format)),
      x_is_dense_(!swapped && are_dense(dims, static_cast<std::int64_t>(size_))),
      mask_is_dense_(are_dense(mask_dims(dims), 1)),
      is_masked_(is_masked),
      skip_(skip),
      x_(of_elements(dims), size_, swapped),
      mask_(mask_dims(dims), 1, false) {}

std::int64_t MaskedElements::most() const {
    return std::min(most_elements, most_bytes / static_cast<std::int64_t>(size_));
}

MaskedElements::Block MaskedElements::block(const char* x, const char* mask, std::int64_t first,
                                            std::int64_t n, MaskUse use, char* x_room,
                                            std::uint8_t* mask_room) const {
    Block block{nullptr, nullptr, static_cast<std::size_t>(n), 0, {}};
    const std::ptrdiff_t run = static_cast<std::ptrdiff_t>(prefetch_distances.run);
    if (x_is_dense_) block.ahead.x = run;
    if (mask_is_dense_) block.ahead.mask = run / static_cast<std::ptrdiff_t>(size_);
    if (use != MaskUse::counted || skip_ != Skip::nothing) {
        block.x = x_is_dense_ ? x + first * static_cast<std::int64_t>(size_) : x_room;
        if (!x_is_dense_) x_.copy(x, first, n, x_room);
    }
    if (is_masked_) {
        block.mask = mask_is_dense_ ? reinterpret_cast<const std::uint8_t*>(mask) + first : mask_room;
        if (!mask_is_dense_) mask_.copy(mask, first, n, reinterpret_cast<char*>(mask_room));
    }
    complete(block, use, mask_room);
    return block;
}

MaskedElements::Block MaskedElements::rows(const char* x, const char* mask, const Rows& rows, MaskUse use,
                                           char* x_room, std::uint8_t* mask_room) const {
    for (std::int64_t r = 0; r < rows.count; ++r) {
        const std::int64_t first = r * rows.pitch + rows.first, at = r * rows.n;
        x_.copy(x, first, rows.n, x_room + at * static_cast<std::int64_t>(size_));
        if (is_masked_) mask_.copy(mask, first, rows.n, reinterpret_cast<char*>(mask_room) + at);
    }
    Block block{
        x_room, is_masked_ ? mask_room : nullptr, static_cast<std::size_t>(rows.count * rows.n), 0, {}};
    complete(block, use, mask_room);
    return block;
}

void MaskedElements::complete(Block& block, MaskUse use, std::uint8_t* mask_room) const {
    if (use == MaskUse::filled && !is_masked_) return;
    if (skip_ != Skip::nothing) {
        const std::size_t index = static_cast<std::size_t>(std::countr_zero(size_));
        methods().those_of[index](block.x, block.mask, block.n, codes_of(format_, skip_), mask_room,
                                  block.ahead);
        block.mask = mask_room;
    }
    // Most masks leave out one of the first elements.
    if (std::memchr(block.mask, 0, block.n) == nullptr)
        block.chosen = block.n;
    else if (use != MaskUse::filled)
        block.chosen = methods().count(block.mask, block.n);
}

const char* MaskedElements::filled(const Block& block, std::uint64_t identity, char* room) const {
    const auto index = static_cast<std::size_t>(std::countr_zero(size_));
    if (block.all_chosen()) return block.x;
    if (block.mask == nullptr)
        return methods().fill_those[index](block.x, block.n, codes_of(format_, skip_), identity, room,
                                           block.ahead)
                   ? block.x
                   : room;
    methods().fill[index](block.x, block.mask, block.n, identity, room, block.ahead);
    return room;
}

}  // namespace samesum
