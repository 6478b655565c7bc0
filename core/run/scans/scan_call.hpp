// One call of a scan: what its loops share.
#pragma once

#include "layout/scan_plan.hpp"
#include "methods/method.hpp"
#include "methods/scan_method.hpp"
#include "run/scans/repair.hpp"

namespace samesum {

const ScanMethod& scan_method(Combine combine, Format in, Format out);

// How many threads share it.
int threads_for(const ScanPlan& plan);

struct ScanCall {
    ScanCall(Combine combine, const ScanPlan& plan);

    const Combine combine;
    const ScanPlan& plan;
    const ScanMethod& method;
    const std::uint64_t initial;  // the bits of what the empty set gives: zero or one
    const bool streams;  // the prefixes lie side by side, and are so many that they pass by the caches
    Failures failures;

    // Prefixes so many bytes apart are written at once where they belong; others are put there.
    bool writes(std::int64_t stride) const { return stride == plan.result() && !streams; }
    void put(const char* results, std::size_t n, char* to, std::int64_t stride) const;
    // Before the first prefixes of neighbouring lines, where something is wanted there.
    void write_initial(char* first_prefix, std::int64_t lines) const;
    // Of n prefixes of a line from number `from` on, whose flags are `step` apart, all from the first one
    // that failed to the last.
    void add_failures(const char* in, char* out, std::int64_t from, const std::uint8_t* failed,
                      std::int64_t n, std::int64_t step = 1);
};

// The loops, each of which has a file of its own.
bool lines_are_short(const ScanCall& call);
void scan_short_lines(ScanCall& call, int threads);
void scan_columns(ScanCall& call, int threads);

}  // namespace samesum
