// The elements of one line of a scan, some at a time.
#pragma once

#include "layout/scan_plan.hpp"
#include "methods/scan_method.hpp"
#include "select/scan_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

// With elements side by side in native byte order.
class LineElements {
  public:
    static constexpr std::size_t most = triple_elements;

    LineElements(const ScanPlan& plan, const char* in) : plan_(plan), in_(in) {}

    Format format() const { return plan_.in; }

    // n <= most elements from number i on, until the next call.
    const char* at(std::int64_t i, std::size_t n) {
        const std::int64_t end = i + static_cast<std::int64_t>(n);
        if (i / elements_between_questions != end / elements_between_questions && interruption_requested())
            throw Interrupted{};
        return plan_.elements_at(in_ + i * plan_.axis.in, plan_.axis.in, n, room_);
    }

  private:
    const ScanPlan& plan_;
    const char* const in_;
    alignas(64) char room_[most * 8];
};

}  // namespace samesum
