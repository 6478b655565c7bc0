#include "run/reduce/positions.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

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

// What is left to do once the positions of a simpler array are known.
class Stage {
  public:
    Stage() = default;
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    virtual ~Stage() = default;

    // The simpler array.
    virtual const View& view() const = 0;
    virtual const bool* reduced() const = 0;
    virtual bool last() const = 0;
    // Where its positions go, if those of this stage go to `out`.
    virtual std::int64_t* within(std::int64_t* out) = 0;
    virtual void finish(FindPositions find, std::int64_t* out) = 0;
};

// All reduced dimensions run backwards: the first of equal ones is then the last one forwards.
class Mirror final : public Stage {
  public:
    Mirror(const View& x, const bool* reduced, bool last) : forwards_(x), last_(!last) {
        for (int i = 0; i < x.rank; ++i) {
            reduced_[i] = reduced[i];
            strides_[i] = reduced[i] ? -x.strides[i] : x.strides[i];
            if (reduced[i]) forwards_.data += x.strides[i] * (x.shape[i] - 1);
            (reduced[i] ? count_ : outputs_) *= x.shape[i];
        }
        forwards_.strides = strides_;
    }

    const View& view() const override { return forwards_; }
    const bool* reduced() const override { return reduced_; }
    bool last() const override { return last_; }
    std::int64_t* within(std::int64_t* out) override { return out; }
    void finish(FindPositions, std::int64_t* out) override {
        for (std::int64_t k = 0; k < outputs_; ++k) out[k] = count_ - 1 - out[k];
    }

  private:
    View forwards_;
    const bool last_;
    bool reduced_[max_rank];
    std::int64_t strides_[max_rank], outputs_ = 1, count_ = 1;
};

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
class TwoStages final : public Stage {
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

    const View& view() const override { return x_; }
    const bool* reduced() const override { return is_behind_; }
    bool last() const override { return row_.last; }
    std::int64_t* within(std::int64_t*) override {
        within_ = std::make_unique_for_overwrite<std::int64_t[]>(static_cast<std::size_t>(front_.count()));
        return within_.get();
    }

    void finish(FindPositions find, std::int64_t* out) override {
        const std::int64_t n = front_.count(), size = static_cast<std::int64_t>(size_of(x_.format));
        const auto winners = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(n * size));
        Walk place(front_, 0);
        for (std::int64_t k = 0; k < n; ++k, place.next()) {
            const char* winner = x_.data + place.in() + offsets_at(back_, within_[k]).in;
            std::memcpy(winners.get() + k * size, winner, static_cast<std::size_t>(size));
        }
        find_winners(find, winners.get(), size, out);
        join(out);
    }

  private:
    // They follow one another: their array is best taken as it lies.
    void find_winners(FindPositions find, const char* winners, std::int64_t size, std::int64_t* out) const {
        std::int64_t shape[max_rank], strides[max_rank], stride = size;
        for (int i = front_.rank - 1; i >= 0; --i) {
            shape[i] = front_.dim[i].size;
            strides[i] = stride;
            stride *= shape[i];
        }
        find({winners, front_.rank, shape, strides, x_.format, x_.swapped}, is_before_, row_, out);
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
            out[k] = out[k] * behind_ + within_[place.in() + offsets_at(before, out[k]).in];
    }

    const View x_;
    const Reduction row_;
    const std::int64_t behind_;
    Dims front_, back_;              // of the array
    bool is_behind_[max_rank] = {};  // by dimension of the array
    bool is_before_[max_rank] = {};  // by dimension of `front_`
    std::unique_ptr<std::int64_t[]> within_;
};

// The stage of an array that is not best taken as it lies.
std::unique_ptr<Stage> stage_of(const View& x, const bool* reduced, const Reduction& row) {
    if (is_mirrored(x, reduced)) {
        record(Route::mirrored);
        return std::make_unique<Mirror>(x, reduced, row.last);
    }
    const Split split = split_of(x, reduced);
    if (split.at < 0 || !reduced[split.at] || split.behind < least_behind_stage) return nullptr;
    record(Route::two_stages);
    return std::make_unique<TwoStages>(x, reduced, split, row);
}

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

void find_in_stages(const View& x, const bool* reduced, const Reduction& row, FindPositions find,
                    std::int64_t* out) {
    std::vector<std::unique_ptr<Stage>> stages;
    std::vector<std::int64_t*> to{out};
    const View* simplest = &x;
    Reduction own = row;
    while (std::unique_ptr<Stage> stage = stage_of(*simplest, reduced, own)) {
        to.push_back(stage->within(to.back()));
        simplest = &stage->view();
        reduced = stage->reduced();
        own.last = stage->last();
        stages.push_back(std::move(stage));
    }
    find(*simplest, reduced, own, to.back());
    for (std::size_t i = stages.size(); i-- > 0;) stages[i]->finish(find, to[i]);
}

}  // namespace samesum
