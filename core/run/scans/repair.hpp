// Prefixes that could not be certified are made once more, exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "layout/plan.hpp"
#include "methods/method.hpp"
#include "methods/scan_method.hpp"

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

    // Spans line by line, each line from its front, none of which overlap.
    std::vector<Span> take();

  private:
    std::mutex mutex_;
    std::vector<Span> spans_;
};

// Of each column of a tile, the latest run of rows that failed.
class ColumnFailures {
  public:
    // The first column, and the steps from one to the next, in bytes.
    struct Tile {
        const char* in;
        char* out;
        std::int64_t in_stride, out_stride, columns;
    };

    ColumnFailures(Failures& all, const Tile& tile) : all_(all), tile_(tile) {}

    // Rows from `first` on.
    void add(const std::uint8_t* failed, std::int64_t first, std::int64_t rows) {
        if (!any_) std::fill_n(run_, tile_.columns, Run{0, 0});
        any_ = true;
        for (std::int64_t r = first; r < first + rows; ++r) {
            for (std::int64_t j = 0; j < tile_.columns; ++j) {
                if (!*failed++) continue;
                if (run_[j].last != r) pass_on(j), run_[j].first = r;
                run_[j].last = r + 1;
            }
        }
    }

    void finish() {
        for (std::int64_t j = 0; any_ && j < tile_.columns; ++j) pass_on(j);
    }

  private:
    struct Run {
        std::int64_t first, last;
    };

    void pass_on(std::int64_t j) {
        if (run_[j].first == run_[j].last) return;
        all_.add(
            {tile_.in + j * tile_.in_stride, tile_.out + j * tile_.out_stride, run_[j].first, run_[j].last});
    }

    Failures& all_;
    const Tile tile_;
    bool any_ = false;
    Run run_[tile_columns];
};

// Writes the failed prefixes, each line by itself from its front.
void repair(Combine combine, const ScanPlan& plan, const ScanMethod& method, Failures& failures, int threads);

}  // namespace samesum
