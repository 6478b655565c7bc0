#include "run/scans/interleaved_scan.hpp"

#include <algorithm>
#include <cstdint>

#include "layout/copy.hpp"
#include "run/reduce/accumulate.hpp"
#include "select/routes.hpp"
#include "select/scan_thresholds.hpp"

namespace samesum {

namespace {

constexpr std::int64_t unit = static_cast<std::int64_t>(scan_lines);

}  // namespace

InterleavedScan::InterleavedScan(const ScanPlan& plan, const ScanMethod& method, const ScanTarget& target,
                                 const RowScan& rows)
    : plan_(plan), method_(method), target_(target), rows_(rows), lines_(neighbours()) {}

std::int64_t InterleavedScan::neighbours() const {
    const std::int64_t n = plan_.inner.size, size = static_cast<std::int64_t>(size_of(plan_.in)),
                       out_size = static_cast<std::int64_t>(size_of(plan_.format)),
                       turn = plan_.axis.in < 0 ? -n : n;
    if (plan_.lines.rank == 0 || plan_.columns || plan_.swapped || n < 2 || n >= unit) return 1;
    for (int i = 0; i < plan_.lines.rank; ++i)
        if (plan_.lines.dim[i].in % size != 0) return 1;
    const bool beside = plan_.inner.in == size && plan_.axis.in == turn * size &&
                        plan_.inner.out == out_size && plan_.axis.out == turn * out_size &&
                        reinterpret_cast<std::uintptr_t>(plan_.data) % size_of(plan_.in) == 0;
    return beside ? n : 1;
}

// Some elements of each line at a time, which are scanned as one run, from the front of the last line in
// memory where that comes first.
class InterleavedScan::Pieces {
  public:
    Pieces(const InterleavedScan& scan, const char* in, char* out, Carry* carries)
        : scan_(scan),
          plan_(scan.plan_),
          method_(scan.method_),
          in_(in),
          out_(out),
          lines_(scan.lines_),
          from_(lines_ == 1          ? plan_.axis.in
                : scan.is_reversed() ? -item()
                                     : item()),
          to_(lines_ == 1          ? plan_.axis.out
              : scan.is_reversed() ? -result()
                                   : result()),
          first_(lines_ > 1 && scan.is_reversed() ? lines_ - 1 : 0),
          gathers_(from_ != item() || plan_.swapped),
          direct_(to_ == result() && !scan.target_.streams()) {
        if (carries == nullptr)
            method_.init(scope_.tile(), scan_lines);
        else
            start(carries);
    }

    bool run(std::int64_t begin, std::int64_t end) {
        const std::int64_t rows = std::max<std::int64_t>(1, piece_elements / (unit * lines_)) * unit;
        // A piece that is done line by line takes as long as some others.
        std::int64_t refusals = refused_pieces;
        for (std::int64_t i = begin; i < end; i += rows) {
            const std::int64_t n = std::min(rows, end - i);
            if (takes(i, n)) continue;
            if (refusals-- == 0) return false;
            put_results();
            scan_each(i, n);
        }
        put_results();
        return true;
    }

    void finish(Carry* carries) const {
        Carry now[scan_lines];
        method_.carries(scope_.tile(), now, static_cast<std::size_t>(lines_));
        for (std::int64_t k = 0; k < lines_; ++k) carries[k] = now[place_of(k)];
    }

  private:
    // Of these many the sums that are found need not be made finer, and prefixes go on together.
    static constexpr std::int64_t piece_elements = 256, kept_elements = 4 * piece_elements;
    static_assert(piece_elements >= unit * unit);

    std::int64_t item() const { return static_cast<std::int64_t>(size_of(plan_.in)); }
    std::int64_t result() const { return static_cast<std::int64_t>(size_of(plan_.format)); }

    // Of a line among those of a run.
    std::int64_t place_of(std::int64_t line) const { return first_ > 0 ? first_ - line : line; }

    void start(const Carry* carries) {
        Carry turns[scan_lines];
        for (std::int64_t j = 0; j < unit; ++j) turns[j] = carries[place_of(j % lines_)];
        method_.start(scope_.tile(), turns, scan_lines);
    }

    bool takes(std::int64_t i, std::int64_t n) {
        const std::size_t count = static_cast<std::size_t>(n * lines_);
        const char* x = in_ + i * plan_.axis.in + first_ * item();
        if (gathers_) {
            gather(x, from_, count, size_of(plan_.in), plan_.swapped, gathered_);
            x = gathered_;
        }
        if (!direct_ && kept_ + n * lines_ > kept_elements) put_results();
        char* const to = out_ + i * plan_.axis.out + first_ * result();
        if (kept_ == 0) kept_to_ = to;
        char* const prefixes = direct_ ? to : results_ + kept_ * result();
        const InterleavedLines some{x, prefixes, static_cast<std::size_t>(lines_),
                                    static_cast<std::size_t>(n)};
        if (!method_.interleaved(scope_.tile(), some)) return false;
        if (!direct_) kept_ += n * lines_;
        return true;
    }

    void put_results() {
        if (kept_ > 0) scan_.target_.put(results_, static_cast<std::size_t>(kept_), kept_to_, to_);
        kept_ = 0;
    }

    // Line by line.
    void scan_each(std::int64_t i, std::int64_t n) {
        record(Route::scan_line_by_line);
        Carry now[scan_lines];
        finish(now);
        for (std::int64_t k = 0; k < lines_; ++k) {
            const char* const in = in_ + k * plan_.inner.in;
            Carry total;
            scan_.rows_.total(in, i, i + n, &total);
            scan_.rows_.scan(in, out_ + k * plan_.inner.out, i, i + n, now[k], &total);
            method_.join(now[k], total);
        }
        start(now);
    }

    const InterleavedScan& scan_;
    const ScanPlan& plan_;
    const ScanMethod& method_;
    const char* const in_;
    char* const out_;
    const std::int64_t lines_, from_, to_, first_;
    const bool gathers_, direct_;
    TileScope scope_;
    std::int64_t kept_ = 0;  // results that have not been put where they belong
    char* kept_to_ = nullptr;
    alignas(64) char gathered_[piece_elements * 8], results_[kept_elements * 8];
};

bool InterleavedScan::scan(const char* in, char* out, std::int64_t begin, std::int64_t end,
                           Carry* carries) const {
    Pieces pieces(*this, in, out, carries);
    if (!pieces.run(begin, std::min(end, plan_.written))) return false;
    if (carries != nullptr && end < plan_.written) pieces.finish(carries);
    return true;
}

}  // namespace samesum
