#include "run/masks/direct_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "kernels/instruction_set.hpp"
#include "select/mask_thresholds.hpp"

namespace samesum {

namespace {

const MaskMethods& methods() { return *current_instruction_set().masking; }

Places first_of(const Plan& plan, const Range& range) {
    const Places start(plan, range.outer);
    return {plan.reduced, start.x() + range.first * plan.inner.in, moved(start.mask(), range.first),
            range.begin};
}

}  // namespace

void add_counts(const Method& method, const std::uint8_t* mask, std::ptrdiff_t row_stride, std::size_t rows,
                std::size_t n, void* tile) {
    alignas(64) std::int64_t counts[most_columns];
    methods().count_columns(mask, row_stride, rows, n, counts);
    method.columns(tile, counts, 0, 1, n);
}

bool are_direct(const Plan& plan, const Method& method, const Chosen& chosen, std::int64_t n) {
    return (chosen.use != MaskUse::alone || method.centres != nullptr) && plan.contiguous &&
           (plan.mask == nullptr || plan.inner.mask == 1) && n >= least_direct_masked_row;
}

DirectRows::DirectRows(const Plan& plan, const Method& method, const Range& range, const Chosen& chosen,
                       void* tile)
    : plan_(plan),
      method_(method),
      range_(range),
      chosen_(chosen),
      tile_(tile),
      n_(static_cast<std::size_t>(range.last - range.first)),
      size_(size_of(plan.format)),
      masks_needed_(chosen.use != MaskUse::filled || plan.skip != Skip::nothing),
      place_(first_of(plan, range)),
      next_(place_) {}

// Rows of tiles lie apart: what is next is not what lies behind them.
Ahead DirectRows::ahead() const {
    return {next_.x() - place_.x(), plan_.mask == nullptr ? 0 : next_.mask() - place_.mask()};
}

// Of rows that are not filled on the way.
void DirectRows::ask_for_next() const {
    for (std::size_t i = 0; chosen_.use == MaskUse::alone && i < n_ * size_; i += 64)
        __builtin_prefetch(next_.x() + i, 0, 2);
    for (std::size_t i = 0; plan_.mask != nullptr && i < n_; i += 64)
        __builtin_prefetch(next_.mask() + i, 0, 2);
}

// The mask of a row, side by side with others, or the row filled.
void DirectRows::take(std::size_t row) {
    const std::size_t index = static_cast<std::size_t>(std::countr_zero(size_));
    const std::uint8_t* mask = reinterpret_cast<const std::uint8_t*>(place_.mask());
    if (masks_needed_) {
        std::uint8_t* const to = rooms_.mask + row * n_;
        if (plan_.skip != Skip::nothing)
            methods().those_of[index](place_.x(), mask, n_, codes_of(plan_.format, plan_.skip), to, ahead());
        else
            std::memcpy(to, mask, n_);
        mask = to;
    }
    if (chosen_.use == MaskUse::filled)
        methods().fill[index](place_.x(), mask, n_, chosen_.identity, rooms_.x + row * n_ * size_,
                              masks_needed_ ? Ahead{} : ahead());
    x_[row] = place_.x();
}

void DirectRows::add_some(std::size_t rows, std::int64_t fold) {
    for (std::size_t i = 0; i < rows; ++i, place_.next()) {
        next_.next();
        if (masks_needed_) ask_for_next();
        take(i);
    }
    if (chosen_.use == MaskUse::counted)
        add_counts(method_, rooms_.mask, static_cast<std::ptrdiff_t>(n_), rows, n_, tile_);
    else if (chosen_.use == MaskUse::filled)
        add_folded(method_, rooms_.x, static_cast<std::int64_t>(n_ * size_), static_cast<std::int64_t>(rows),
                   n_, fold, tile_);
}

void DirectRows::add(std::int64_t fold) {
    std::optional<CentredColumns> centred;
    if (chosen_.use == MaskUse::alone) centred.emplace(method_, plan_.format, n_, tile_);
    const std::int64_t elements = std::min(MaskedElements::most_elements,
                                           MaskedElements::most_bytes / static_cast<std::int64_t>(size_)),
                       most =
                           std::clamp<std::int64_t>(elements / static_cast<std::int64_t>(n_), 1, most_rows);
    for (std::int64_t r = range_.begin; r < range_.end; r += most) {
        const std::size_t rows = static_cast<std::size_t>(std::min(most, range_.end - r));
        add_some(rows, fold);
        if (centred) centred->add({x_, rows}, rooms_.mask, rooms_.x);
    }
}

}  // namespace samesum
