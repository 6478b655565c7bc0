// Elements that a mask chooses, as methods take them: block by block, so that no array of them is made.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout/copy.hpp"
#include "layout/plan.hpp"
#include "methods/method.hpp"
#include "methods/tables.hpp"
#include "run/reduce/reduce.hpp"

namespace samesum {

// How one method is given them.
struct Chosen {
    MaskUse use = MaskUse::filled;
    std::uint64_t identity = 0;
};

struct Range;

// The codes of the elements that are left.
CodeRange codes_of(Format format, Skip skip);

// The same dimensions with their steps in the mask as `in`.
Dims mask_dims(Dims dims);

// Where an element and its byte of the mask, or its pair, are, from one index of some dimensions to the next.
class MaskWalk {
  public:
    MaskWalk(const Dims& dims, const char* x, const char* mask, std::int64_t first)
        : x_(x), start_(mask), masks_(mask_dims(dims)), in_(dims, first), mask_(masks_, first) {}
    // The first element of each output.
    MaskWalk(const Plan& plan, std::int64_t first) : MaskWalk(plan.kept, plan.data, plan.mask, first) {}

    void next() {
        in_.next();
        mask_.next();
    }
    const char* x() const { return x_ + in_.in(); }
    const char* mask() const { return start_ == nullptr ? nullptr : start_ + mask_.in(); }

  private:
    const char *const x_, *const start_;
    const Dims masks_;
    Walk in_, mask_;
};

// The elements of some dimensions of a masked array, in row-major order.
class MaskedElements {
  public:
    MaskedElements(const Dims& dims, const Plan& plan);

    // The most that a block has; of a lane, which is filled and read again in the first-level cache.
    static constexpr std::int64_t most_bytes = 32 << 10, most_elements = 8 << 10, most_lane_bytes = 8 << 10;
    std::int64_t most() const;
    std::int64_t most_of_lane() const { return most_lane_bytes / static_cast<std::int64_t>(size_); }

    // n of them from number `first` on, side by side, with a byte of the mask for each: where they lie, or in
    // `x_room` and `mask_room`. Elements that nobody asks for are null; so are masks of those to be filled
    // that the elements alone decide.
    struct Block {
        const char* x;
        const std::uint8_t* mask;
        std::size_t n, chosen;  // of those to be filled it is told at most whether all are chosen
        Ahead ahead;

        bool all_chosen() const { return chosen == n; }
    };
    Block block(const char* x, const char* mask, std::int64_t first, std::int64_t n, MaskUse use,
                char* x_room, std::uint8_t* mask_room) const;

    // The same for n elements of each of some rows, which are `pitch` elements apart.
    struct Rows {
        std::int64_t count, pitch, first, n;
    };
    Block rows(const char* x, const char* mask, const Rows& rows, MaskUse use, char* x_room,
               std::uint8_t* mask_room) const;

    std::size_t size() const { return size_; }

    // The elements with the identity in place of those that are not chosen: as they lie, or in `room`.
    const char* filled(const Block& block, std::uint64_t identity, char* room) const;

  private:
    MaskedElements(const Dims& dims, Format format, bool swapped, bool is_masked, Skip skip);
    void complete(Block& block, MaskUse use, std::uint8_t* mask_room) const;

    const Format format_;
    const std::size_t size_;
    const bool x_is_dense_, mask_is_dense_, is_masked_;
    const Skip skip_;
    const Packing x_, mask_;
};

// Does what `accumulate` does for plans without a mask.
void accumulate_masked(const Plan& plan, const Method& method, const Range& range, std::int64_t fold,
                       const Chosen& chosen, void* tile);

// Reductions of the elements that a mask chooses.

// Does what `reduce_several` does with the elements that are chosen. Each set has one where a position is
// asked for, and where an extreme is, unless NaNs alone are left out. Where zeros are left out, elements are
// counted.
void reduce_masked(const View& x, const bool* reduced, const Result* results, std::size_t n);

}  // namespace samesum
