#include "run/stages.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"

namespace samesum {

namespace {

std::int64_t distance(const View& x, int i) { return x.strides[i] == 0 ? INT64_MAX : std::abs(x.strides[i]); }

std::int64_t outputs_of(const View& x, const bool* reduced) {
    std::int64_t n = 1;
    for (int i = 0; i < x.rank; ++i) n *= reduced[i] ? 1 : x.shape[i];
    return n;
}

bool is_mirrored(const View& x, const bool* reduced) {
    bool any = false;
    for (int i = 0; i < x.rank; ++i) {
        if (!reduced[i] || x.shape[i] == 1) continue;
        if (x.strides[i] >= 0) return false;
        any = true;
    }
    return any;
}

// All reduced dimensions run backwards: the first of equal ones is then the last one forwards.
void reduce_mirrored(const View& x, const bool* reduced, const Reduction& row, std::int64_t* out) {
    View forwards = x;
    std::int64_t strides[max_rank], count = 1;
    for (int i = 0; i < x.rank; ++i) {
        strides[i] = reduced[i] ? -x.strides[i] : x.strides[i];
        if (!reduced[i]) continue;
        forwards.data += x.strides[i] * (x.shape[i] - 1);
        count *= x.shape[i];
    }
    forwards.strides = strides;
    Reduction other = row;
    other.last = !row.last;
    reduce(forwards, reduced, other, Format::i64, out);
    for (std::int64_t k = 0; k < outputs_of(x, reduced); ++k) out[k] = count - 1 - out[k];
}

struct Split {
    int at;               // the dimension that is nearest in memory: it is reduced, and not the last such one
    std::int64_t behind;  // elements of the reduced dimensions after it
};

Split split_of(const View& x, const bool* reduced) {
    Split split{-1, 1};
    for (int i = 0; i < x.rank; ++i) {
        if (x.shape[i] == 1) continue;
        if (split.at < 0 || distance(x, i) < distance(x, split.at))
            split = {i, 1};
        else if (reduced[i])
            split.behind *= x.shape[i];
    }
    return split;
}

// The dimensions behind the split are reduced first, for each place in those before it; then the winners are
// reduced. A position is counted in those behind within those before.
class TwoStages {
  public:
    TwoStages(const View& x, const bool* reduced, const Split& split) : x_(x), behind_(split.behind) {
        for (int i = 0; i < x.rank; ++i) {
            const Dim d{x.shape[i], x.strides[i], 0};
            is_behind_[i] = reduced[i] && i > split.at;
            if (is_behind_[i]) {
                back_.push(d);
            } else {
                is_before_[front_.rank] = reduced[i];
                front_.push(d);
            }
        }
    }

    void run(const Reduction& row, std::int64_t* out) {
        const std::int64_t n = front_.count(), size = static_cast<std::int64_t>(size_of(x_.format));
        const auto positions = std::make_unique_for_overwrite<std::int64_t[]>(static_cast<std::size_t>(n));
        std::int64_t* const within = positions.get();
        reduce(x_, is_behind_, row, Format::i64, within);
        const auto winners = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(n * size));
        Walk place(front_, 0);
        for (std::int64_t k = 0; k < n; ++k, place.next()) {
            const char* winner = x_.data + place.in() + offsets_at(back_, within[k]).in;
            std::memcpy(winners.get() + k * size, winner, static_cast<std::size_t>(size));
        }
        reduce_winners(row, winners.get(), size, out);
        join(within, out);
    }

  private:
    void reduce_winners(const Reduction& row, const char* winners, std::int64_t size, std::int64_t* out) {
        std::int64_t shape[max_rank], strides[max_rank], stride = size;
        for (int i = front_.rank - 1; i >= 0; --i) {
            shape[i] = front_.dim[i].size;
            strides[i] = stride;
            stride *= shape[i];
        }
        const View view{winners, front_.rank, shape, strides, x_.format, x_.swapped};
        reduce(view, is_before_, row, Format::i64, out);
    }

    void join(const std::int64_t* within, std::int64_t* out) const {
        Dims kept, before;  // in places
        std::int64_t stride = 1;
        for (int i = front_.rank - 1; i >= 0; --i) {
            (is_before_[i] ? before : kept).push({front_.dim[i].size, stride, 0});
            stride *= front_.dim[i].size;
        }
        std::reverse(kept.dim, kept.dim + kept.rank);
        std::reverse(before.dim, before.dim + before.rank);
        Walk place(kept, 0);
        for (std::int64_t k = 0; k < kept.count(); ++k, place.next())
            out[k] = out[k] * behind_ + within[place.in() + offsets_at(before, out[k]).in];
    }

    const View& x_;
    const std::int64_t behind_;
    Dims front_, back_;              // of the array
    bool is_behind_[max_rank] = {};  // by dimension of the array
    bool is_before_[max_rank] = {};  // by dimension of `front_`
};

}  // namespace

bool reduce_in_stages(const View& x, const bool* reduced, const Reduction& row, void* out) {
    std::int64_t* positions = static_cast<std::int64_t*>(out);
    if (is_mirrored(x, reduced)) {
        record(Route::mirrored);
        reduce_mirrored(x, reduced, row, positions);
        return true;
    }
    const Split split = split_of(x, reduced);
    if (split.at < 0 || !reduced[split.at] || split.behind < least_behind_stage) return false;
    record(Route::two_stages);
    TwoStages(x, reduced, split).run(row, positions);
    return true;
}

}  // namespace samesum
