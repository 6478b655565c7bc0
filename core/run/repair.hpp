// Prefixes that could not be certified are made once more, exactly.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "kernels/method.hpp"
#include "layout/scan_plan.hpp"

namespace samesum {

// Blocks of lines whose prefixes could not be certified; they are made exactly afterwards.
class Failures {
  public:
    // Prefixes [first, last) of the line that starts at these places.
    struct Span {
        const char* in;
        char* out;
        std::int64_t first, last;
    };

    void add(const Span& span) {
        const std::lock_guard lock(mutex_);
        spans_.push_back(span);
    }

    // Spans line by line, each line from its front.
    std::vector<Span> take();

  private:
    std::mutex mutex_;
    std::vector<Span> spans_;
};

// Writes the failed prefixes, each line by itself from its front.
void repair(Combine combine, const ScanPlan& plan, Failures& failures, int threads);

}  // namespace samesum
