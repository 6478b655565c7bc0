// Where elements and the bytes of their mask lie.
#pragma once

#include "layout/plan.hpp"
#include "run/masks/masked.hpp"

namespace samesum {

// Where an element and its byte of the mask are, from one index of some dimensions to the next.
class Places {
  public:
    Places(const Dims& dims, const char* x, const char* mask, std::int64_t first)
        : x_(x), start_(mask), masks_(mask_dims(dims)), in_(dims, first), mask_(masks_, first) {}
    // The first element of each output.
    Places(const Plan& plan, std::int64_t first) : Places(plan.kept, plan.data, plan.mask, first) {}

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

inline const char* moved(const char* mask, std::int64_t step) {
    return mask == nullptr ? nullptr : mask + step;
}

// Memory for a block.
struct Rooms {
    alignas(64) char x[MaskedElements::most_bytes];
    alignas(64) std::uint8_t mask[MaskedElements::most_elements];
};

}  // namespace samesum
