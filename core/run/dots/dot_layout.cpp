#include "run/dots/dot_layout.hpp"

#include <algorithm>
#include <cstdlib>

#include "arithmetic/division.hpp"
#include "select/pair_thresholds.hpp"

namespace samesum {

namespace {

bool goes_backwards(std::int64_t a, std::int64_t b) { return a < 0 || (a == 0 && b < 0); }

void turn_vectors(DotCall& call) {
    if (call.length == 1) call.a.step = call.b.step = static_cast<std::int64_t>(size_of(call.format));
    if (!goes_backwards(call.a.step, call.b.step)) return;
    for (DotOperand* x : {&call.a, &call.b}) {
        x->data += (call.length - 1) * x->step;
        x->step = -x->step;
    }
}

// Returns how many results the first one moves by.
std::int64_t turn_kept(DotCall& call) {
    std::int64_t offset = 0;
    for (int i = 0; i < call.rank; ++i) {
        DotDim& d = call.kept[i];
        if (!goes_backwards(d.a, d.b)) continue;
        call.a.data += (d.size - 1) * d.a;
        call.b.data += (d.size - 1) * d.b;
        offset += (d.size - 1) * d.out;
        d = {d.size, -d.a, -d.b, -d.out};
    }
    return offset;
}

void order_kept(DotCall& call) {
    DotDim* const end =
        std::remove_if(call.kept, call.kept + call.rank, [](const DotDim& d) { return d.size == 1; });
    call.rank = static_cast<int>(end - call.kept);
    std::stable_sort(call.kept, end, [](const DotDim& x, const DotDim& y) {
        return std::abs(x.a) + std::abs(x.b) > std::abs(y.a) + std::abs(y.b);
    });
    int last = -1;
    for (int i = 0; i < call.rank; ++i) {
        const DotDim d = call.kept[i];
        DotDim& before = call.kept[std::max(last, 0)];
        if (last >= 0 && before.a == d.a * d.size && before.b == d.b * d.size && before.out == d.out * d.size)
            before = {before.size * d.size, d.a, d.b, d.out};
        else
            call.kept[++last] = d;
    }
    call.rank = last + 1;
}

void swap_operands(DotCall& call) {
    std::swap(call.a, call.b);
    for (int i = 0; i < call.rank; ++i) std::swap(call.kept[i].a, call.kept[i].b);
}

// Elements of an operand in memory.
std::int64_t elements_of(const DotCall& call, std::int64_t DotDim::* stride, std::int64_t step) {
    std::int64_t n = step != 0 ? call.length : 1;
    for (int i = 0; i < call.rank; ++i) n *= call.kept[i].*stride != 0 ? call.kept[i].size : 1;
    return n;
}

}  // namespace

DotLayout::DotLayout(const DotCall& call) : DotCall(call), count(1), fold(1) {
    turn_vectors(*this);
    out_offset = turn_kept(*this);
    order_kept(*this);
    for (int i = 0; i < rank; ++i) count *= kept[i].size;
    if (side().a == 0 && side().b != 0) swap_operands(*this);
    const std::int64_t of_a = elements_of(*this, &DotDim::a, a.step),
                       of_b = elements_of(*this, &DotDim::b, b.step);
    const bool repeats = side().b == 0 && !b.swapped;
    const std::int64_t copied_as_lanes = (lies(a, a.step) ? 0 : of_a) + (lies(b, b.step) ? 0 : of_b);
    const std::int64_t copied_as_columns =
        (lies(a, side().a) ? 0 : of_a) + (repeats || lies(b, side().b) ? 0 : of_b);
    by_columns = rank > 0 && (copied_as_columns < copied_as_lanes ||
                              (copied_as_columns == copied_as_lanes && length < dot_least_lane));
    const std::int64_t row = side().size * static_cast<std::int64_t>(size());
    const bool is_dense = copied_as_columns == 0 && !repeats && a.step == row && b.step == row;
    if (by_columns && is_dense && side().size < dot_folded_columns)
        fold = std::min(8 * divided_up(dot_fold_columns, 8 * side().size), length);
}

DotWalk::DotWalk(const DotLayout& all, std::int64_t index) : all_(all) {
    for (int i = all.rank - 1; i >= 0; --i) {
        const DotDim& d = all.kept[i];
        at_[i] = index % d.size;
        index /= d.size;
        a_ += at_[i] * d.a;
        b_ += at_[i] * d.b;
        out_ += at_[i] * d.out;
    }
}

void DotWalk::skip(std::int64_t n) {
    for (int i = all_.rank - 1; i >= 0; --i, n = 1) {
        const DotDim& d = all_.kept[i];
        a_ += n * d.a;
        b_ += n * d.b;
        out_ += n * d.out;
        at_[i] += n;
        if (at_[i] < d.size) return;
        at_[i] = 0;
        a_ -= d.a * d.size;
        b_ -= d.b * d.size;
        out_ -= d.out * d.size;
    }
}

}  // namespace samesum
