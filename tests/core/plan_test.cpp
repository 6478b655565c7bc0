// A plan visits every element of a view once, for the output that it belongs to, whatever the layout.
#include "layout/plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "check.hpp"
#include "elements.hpp"

namespace {

using samesum::Dims;
using samesum::Format;
using samesum::LayoutHints;
using samesum::Offsets;
using samesum::Plan;
using samesum::Shape;
using samesum::View;

constexpr int most_rank = 4;

// The address of an element and the number of its output.
using Visit = std::pair<std::int64_t, std::int64_t>;

struct Array {
    int rank;
    std::array<std::int64_t, most_rank> shape, strides;
    std::array<bool, most_rank> reduced;

    Elements elements() const { return {rank, shape.data(), strides.data(), 4}; }
    View view(const Elements& elements) const {
        return {elements.first(), rank, shape.data(), strides.data(), Format::f32, false};
    }
};

std::vector<Visit> expected(const Array& x) {
    std::vector<Visit> visits;
    const std::int64_t count =
        std::accumulate(x.shape.begin(), x.shape.begin() + x.rank, std::int64_t{1}, std::multiplies<>());
    for (std::int64_t number = 0; number < count; ++number) {
        std::int64_t rest = number, address = 0, out = 0, out_stride = 1;
        for (int i = x.rank - 1; i >= 0; --i) {
            const std::int64_t at = rest % x.shape[i];
            rest /= x.shape[i];
            address += at * x.strides[i];
            if (x.reduced[i]) continue;
            out += at * out_stride;
            out_stride *= x.shape[i];
        }
        visits.emplace_back(address, out);
    }
    return visits;
}

// In the order in which the loops of the plan take the elements of each output.
std::vector<Visit> visited(const Plan& plan, const Elements& elements) {
    std::vector<Visit> visits;
    const std::int64_t start = plan.data - elements.first();
    const std::int64_t kept = plan.kept.count(), reduced = plan.reduced.count();
    for (std::int64_t k = 0; k < kept; ++k) {
        const Offsets set = offsets_at(plan.kept, k);
        for (std::int64_t r = 0; r < reduced; ++r) {
            const Offsets row = offsets_at(plan.reduced, r);
            for (std::int64_t i = 0; i < plan.inner.size; ++i)
                visits.emplace_back(start + set.in + row.in + i * plan.inner.in,
                                    plan.out + set.out + row.out + i * plan.inner.out);
        }
    }
    return visits;
}

// Strides of a permuted, cut, mirrored or repeated C-contiguous array; all elements of 4 bytes.
Array drawn(std::mt19937& random) {
    const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    Array x{};
    x.rank = below(most_rank + 1);
    std::array<int, most_rank> order{0, 1, 2, 3};
    std::shuffle(order.begin(), order.begin() + x.rank, random);
    std::int64_t stride = 4;
    for (int i = 0; i < x.rank; ++i) {
        const int axis = order[static_cast<std::size_t>(i)];
        const std::int64_t size = 1 + below(below(4) == 0 ? 40 : 5), gap = 1 + (below(3) == 0 ? below(3) : 0);
        x.shape[axis] = size;
        x.strides[axis] = below(8) == 0 ? 0 : below(5) == 0 ? -stride * gap : stride * gap;
        x.reduced[axis] = below(2) == 0;
        stride *= size * gap;
    }
    return x;
}

TEST_CASE("a plan visits each element once, for its own output") {
    std::mt19937 random(20261125);
    for (int i = 0; i < 20000; ++i) {
        const Array x = drawn(random);
        LayoutHints hints;
        hints.ordered = i % 3 == 0;
        hints.least_lane = 1 + i % 40;
        const Elements elements = x.elements();
        const Plan plan = plan_reduction(x.view(elements), x.reduced.data(), hints);
        std::vector<Visit> wanted = expected(x), found = visited(plan, elements);
        CAPTURE(i);
        std::sort(wanted.begin(), wanted.end());
        std::sort(found.begin(), found.end());
        REQUIRE(found == wanted);
    }
}

TEST_CASE("an ordered plan takes the elements of each set in row-major order") {
    std::mt19937 random(20261126);
    for (int i = 0; i < 20000; ++i) {
        const Array x = drawn(random);
        LayoutHints hints;
        hints.ordered = true;
        const Elements elements = x.elements();
        const Plan plan = plan_reduction(x.view(elements), x.reduced.data(), hints);
        std::vector<Visit> wanted = expected(x), found = visited(plan, elements);
        const auto by_output = [](const Visit& a, const Visit& b) { return a.second < b.second; };
        std::stable_sort(wanted.begin(), wanted.end(), by_output);
        std::stable_sort(found.begin(), found.end(), by_output);
        CAPTURE(i);
        REQUIRE(found == wanted);
    }
}

TEST_CASE("a walk gives the offsets of one index after the other, from any index on") {
    std::mt19937 random(20261127);
    for (int i = 0; i < 2000; ++i) {
        const Array x = drawn(random);
        Dims dims;
        for (int axis = 0; axis < x.rank; ++axis) dims.push({x.shape[axis], x.strides[axis], axis + 1});
        const std::int64_t count = dims.count();
        samesum::Walk walk(dims, 0);
        for (std::int64_t index = 0; index < count; ++index, walk.next()) {
            const Offsets here = offsets_at(dims, index);
            const samesum::Walk from(dims, index);
            REQUIRE(here.in == walk.in());
            REQUIRE(here.out == walk.out());
            REQUIRE(here.in == from.in());
            REQUIRE(here.out == from.out());
        }
    }
}

}  // namespace
