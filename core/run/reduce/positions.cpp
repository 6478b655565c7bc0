#include "run/reduce/positions.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "run/room.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

std::int64_t distance(const View& x, int i) { return x.strides[i] == 0 ? INT64_MAX : std::abs(x.strides[i]); }

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
void find_mirrored(const View& x, const bool* reduced, const Reduction& row, FindPositions find,
                   std::int64_t* out) {
    record(Route::mirrored);
    View forwards = x;
    std::int64_t strides[max_rank], outputs = 1, count = 1;
    for (int i = 0; i < x.rank; ++i) {
        strides[i] = reduced[i] ? -x.strides[i] : x.strides[i];
        if (reduced[i]) forwards.data += x.strides[i] * (x.shape[i] - 1);
        (reduced[i] ? count : outputs) *= x.shape[i];
    }
    forwards.strides = strides;
    Reduction own = row;
    own.last = !row.last;
    find_positions(forwards, reduced, own, find, out);
    for (std::int64_t k = 0; k < outputs; ++k) out[k] = count - 1 - out[k];
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
    TwoStages(const View& x, const bool* reduced, const Split& split, const Reduction& row)
        : x_(x), row_(row), behind_(split.behind) {
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

    void find_by(FindPositions find, std::int64_t* out) {
        record(Route::two_stages);
        const std::int64_t n = front_.count(), size = static_cast<std::int64_t>(size_of(x_.format));
        within_.resize(static_cast<std::size_t>(n));
        find_positions(x_, is_behind_, row_, find, within_.data());
        const Room winners(static_cast<std::size_t>(n * size));
        Walk place(front_, 0);
        for (std::int64_t k = 0; k < n; ++k, place.next()) {
            const char* winner = x_.data + place.in() + offsets_at(back_, within(k)).in;
            std::memcpy(winners.get() + k * size, winner, static_cast<std::size_t>(size));
        }
        find_winners(find, winners.get(), size, out);
        join(out);
    }

  private:
    std::int64_t within(std::int64_t k) const { return within_[static_cast<std::size_t>(k)]; }

    // They follow one another: their array is best taken as it lies.
    void find_winners(FindPositions find, const char* winners, std::int64_t size, std::int64_t* out) const {
        std::int64_t shape[max_rank], strides[max_rank], stride = size;
        for (int i = front_.rank - 1; i >= 0; --i) {
            shape[i] = front_.dim[i].size;
            strides[i] = stride;
            stride *= shape[i];
        }
        find_positions({winners, front_.rank, shape, strides, x_.format, x_.swapped}, is_before_, row_, find,
                       out);
    }

    void join(std::int64_t* out) const {
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
            out[k] = out[k] * behind_ + within(place.in() + offsets_at(before, out[k]).in);
    }

    const View x_;
    const Reduction row_;
    const std::int64_t behind_;
    Dims front_, back_;              // of the array
    bool is_behind_[max_rank] = {};  // by dimension of the array
    bool is_before_[max_rank] = {};  // by dimension of `front_`
    std::vector<std::int64_t> within_;
};

}  // namespace

bool place_lone_elements(const View& x, const bool* reduced, const Result& result) {
    std::int64_t elements = 1, bytes = static_cast<std::int64_t>(size_of(result.format));
    for (int i = 0; i < x.rank; ++i) (reduced[i] ? elements : bytes) *= x.shape[i];
    if (!is_position(result.row.combine) || elements != 1) return false;
    record(Route::lone_positions);
    char* const out = static_cast<char*>(result.out);
    auto task = [&](std::size_t t, std::size_t) {
        const std::int64_t first = static_cast<std::int64_t>(t) * zeroed_bytes;
        std::memset(out + first, 0,
                    static_cast<std::size_t>(std::min<std::int64_t>(zeroed_bytes, bytes - first)));
    };
    for_each_task(static_cast<std::size_t>((bytes + zeroed_bytes - 1) / zeroed_bytes),
                  static_cast<std::size_t>(thread_count()), task);
    return true;
}

void find_positions(const View& x, const bool* reduced, const Reduction& row, FindPositions find,
                    std::int64_t* out) {
    const Split split = split_of(x, reduced);
    if (is_mirrored(x, reduced))
        find_mirrored(x, reduced, row, find, out);
    else if (split.at >= 0 && reduced[split.at] && split.behind >= least_behind_stage)
        TwoStages(x, reduced, split, row).find_by(find, out);
    else
        find(x, reduced, row, out);
}

}  // namespace samesum
