// One call of a scan: what its loops share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "layout/plan.hpp"
#include "methods/method.hpp"
#include "methods/scan_method.hpp"
#include "select/scan_thresholds.hpp"

namespace samesum {

// Prefixes that could not be certified are made once more, exactly.

// Blocks of lines whose prefixes could not be certified; they are made exactly
// afterwards.
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
void repair(Combine combine, const ScanPlan& plan, Failures& failures, int threads);

struct ScanCall {
    ScanCall(Combine combine, const ScanPlan& plan);

    const Combine combine;
    const ScanPlan& plan;
    const Format scanned;  // which holds elements and prefixes
    const ScanMethod& method;
    void (*const widen)(const char* p, std::size_t n, char* to);  // elements become those; null if they are
    const std::uint64_t initial;  // the bits of what the empty set gives: zero or one
    const bool streams;  // the prefixes lie side by side, and are so many that they pass by the caches
    Failures failures;

    // n <= scan_elements elements so many bytes apart side by side, as they are scanned: where they lie, or
    // in `buffer`, which has room for another vector.
    const char* elements_at(const char* p, std::int64_t stride, std::size_t n, char* buffer,
                            std::int64_t ahead = 0) const;
    // Prefixes so many bytes apart are written at once where they belong; others are put there.
    bool writes(std::int64_t stride, bool streamed = false) const {
        return stride == plan.result() && (streamed || !streams);
    }
    void put(const char* results, std::size_t n, char* to, std::int64_t stride) const;
    // Before the first prefixes of neighbouring lines, where something is wanted there.
    void write_initial(char* first_prefix, std::int64_t lines) const;
    // Of n prefixes of a line from number `from` on, all from the first one that failed to the last.
    void add_failures(const char* in, char* out, std::int64_t from, const std::uint8_t* failed,
                      std::int64_t n);
};

// The loops, each of which has a file of its own.
bool lines_are_short(const ScanCall& call);
void scan_short_lines(ScanCall& call, int threads);
void scan_columns(ScanCall& call, int threads);

// Elements of lines block after block: by vectors along one line, or several lines side by side.

// Elements of a line in one call of the methods along it.
constexpr std::int64_t scan_block = static_cast<std::int64_t>(scan_elements);

// Elements [begin, end) of a line, after `carry`; the totals of their blocks, if they are known.
void scan_line(ScanCall& call, const char* in, char* out, std::int64_t begin, std::int64_t end, Carry carry,
               const Carry* totals);

// The total of these elements, and those of their blocks.
Carry line_total(const ScanCall& call, const char* in, std::int64_t begin, std::int64_t end, Carry* totals);

// Elements of a line from number `begin` on.
struct LinePart {
    const char* in;  // the front of the line
    char* out;
    std::int64_t begin;
};

// Elements of each line in one call: their results stay in the cache until they are written.
constexpr std::int64_t elements_side_by_side = scan_together;
static_assert(elements_side_by_side <= scan_block);

// The prefixes of `n` elements of each line of `count` <= scan_lines parts, whose columns of the tile are
// ready.
void scan_side_by_side(ScanCall& call, void* tile, const LinePart* parts, std::size_t count, std::int64_t n);

// Lines that are few or long: their chunks are handed out in order, and each waits for the carry of the one
// before.

class LongScan {
  public:
    // Elements that one thread takes at a time: they stay in its cache between the two passes over them.
    static constexpr std::int64_t chunk_blocks = part_blocks * static_cast<std::int64_t>(scan_lines),
                                  chunk_elements = chunk_blocks * scan_block;

    explicit LongScan(ScanCall& call);

    // Whether parts of a line, of so many elements, are scanned side by side.
    bool takes_parts_of(std::int64_t elements) const {
        return method_.least_part > 0 && elements >= static_cast<std::int64_t>(method_.least_part);
    }
    void run(int threads);
    void run_line(const char* in, char* out, int threads) const;

  private:
    struct Line;
    void run_chunk(Line& line, std::int64_t chunk) const;
    void scan_chunk(const Line& line, std::int64_t begin, std::int64_t end, Carry carry,
                    const Carry* totals) const;
    void scan_parts(const Line& line, std::int64_t begin, std::int64_t blocks, Carry& carry,
                    const Carry* totals) const;

    ScanCall& call_;
    const ScanPlan& plan_;
    const ScanMethod& method_;
    std::int64_t part_;  // elements of each line in a part of a whole chunk
};

}  // namespace samesum
