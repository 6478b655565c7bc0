#include <algorithm>

#include "run/reduce/finish.hpp"
#include "run/states/kept_states.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

bool equal_outputs(const Dim& a, const Dim& b) { return a.size == b.size && a.out == b.out; }

}  // namespace

Accumulation::Accumulation(const Reduction& row, Format in, Format out, std::int64_t outputs,
                           std::int64_t count, std::size_t tier)
    : ordered_(is_position(row.combine)),
      in_(in),
      outputs_(outputs),
      tier_(tier),
      target_{choose_tiers(row, in, out, count), {row.finalize, out, count}, nullptr} {}

void Accumulation::begin(const Plan& plan) {
    plan_ = plan;
    parts_ = parts_of(plan, method().max_columns);
    for (const Outputs& part : parts_) {
        blocks_.push_back(std::make_unique_for_overwrite<Block>());
        open_tile(plan, method(), part.count(), blocks_.back().get());
    }
}

bool Accumulation::fits(const Plan& plan) const {
    return plan.shape == plan_.shape && plan.fold == plan_.fold && plan.out == plan_.out &&
           plan.kept.rank == plan_.kept.rank &&
           (plan.shape == Shape::lanes || equal_outputs(plan.inner, plan_.inner)) &&
           std::equal(plan.kept.dim, plan.kept.dim + plan.kept.rank, plan_.kept.dim, equal_outputs);
}

void Accumulation::add(const View& piece, const bool* reduced) {
    const FloatingPointScope scope;
    const Plan plan = plan_reduction(piece, reduced, {.ordered = ordered_});
    if (blocks_.empty()) begin(plan);
    if (!fits(plan)) return add_elsewhere(plan);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Outputs& o = parts_[i];
        accumulate(plan, method(), {o.outer, o.first, o.last, 0, plan.reduced_count}, blocks_[i].get());
    }
}

void Accumulation::find_places() {
    if (!places_.empty()) return;
    places_.resize(static_cast<std::size_t>(outputs_));
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        for (std::int64_t j = 0; j < parts_[i].count(); ++j)
            places_[static_cast<std::size_t>(place_of(plan_, parts_[i], j))] = {i,
                                                                                static_cast<std::size_t>(j)};
    }
}

// The columns of a closed tile, of outputs of another plan.
void Accumulation::merge(const Plan& plan, const Outputs& part, const void* tile) {
    for (std::int64_t j = 0; j < part.count(); ++j) {
        const Place& to = places_[static_cast<std::size_t>(place_of(plan, part, j))];
        method().merge(blocks_[to.block].get(), to.column, tile, static_cast<std::size_t>(j), 1);
    }
}

// A piece whose loops differ from those of the first one: to states of its own, which are merged.
void Accumulation::add_elsewhere(const Plan& plan) {
    find_places();
    const TileScope scope;
    for (const Outputs& part : parts_of(plan, method().max_columns)) {
        open_tile(plan, method(), part.count(), scope.tile());
        accumulate(plan, method(), {part.outer, part.first, part.last, 0, plan.reduced_count}, scope.tile());
        close_tile(plan, method(), part.count(), scope.tile());
        merge(plan, part, scope.tile());
    }
}

void Accumulation::join(Accumulation& other) {
    const FloatingPointScope scope;
    find_places();
    for (std::size_t i = 0; i < other.parts_.size(); ++i) {
        const Outputs& part = other.parts_[i];
        void* const tile = other.blocks_[i].get();
        close_tile(other.plan_, method(), part.count(), tile);
        merge(other.plan_, part, tile);
    }
}

std::vector<std::int64_t> Accumulation::finish(void* out) {
    const FloatingPointScope scope;
    target_.out = static_cast<char*>(out);
    std::vector<std::int64_t> rest;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Outputs& part = parts_[i];
        void* const tile = blocks_[i].get();
        close_tile(plan_, method(), part.count(), tile);
        std::uint8_t failed[most_columns];
        if (finish_outputs(plan_, target_, tier_, tile, part, failed) == 0) continue;
        for (std::int64_t j = 0; j < part.count(); ++j) {
            if (failed[j]) rest.push_back(place_of(plan_, part, j));
        }
    }
    std::sort(rest.begin(), rest.end());
    return rest;
}

}  // namespace samesum
