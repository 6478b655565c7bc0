// States that stay from one array to the next take the elements of some sets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "exact/elements.hpp"
#include "exact/methods.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "layout/plan.hpp"
#include "methods/kept_blocks.hpp"
#include "methods/method.hpp"
#include "run/reduce/finish.hpp"
#include "run/reduce/reduce.hpp"
#include "run/states/float_totals.hpp"

namespace samesum {

// Totals of the columns of a tile: integers in units that the column's exponent gives, and totals of what has
// no such sum.

struct KeptTile {
    std::int32_t exponent[tile_pitch], blocks[tile_pitch];
    std::int64_t part[kept_parts][tile_pitch];
    Overflow* overflow;

    static KeptTile& of(void* tile) { return *static_cast<KeptTile*>(tile); }

    void init(std::size_t n) {
        for (std::size_t j = 0; j < n; ++j) exponent[j] = no_exponent, blocks[j] = 0;
        for (auto& each : part) std::memset(each, 0, n * sizeof each[0]);
    }

    template <class Total>
    void add_to(Total&& total, std::size_t j) const {
        total.add({part[0][j], part[1][j], part[2][j], part[3][j]}, exponent[j], blocks[j]);
    }

    // A block that failed has left its column as it was.
    bool is_used(std::size_t j) const {
        return blocks[j] > 0 && (part[0][j] | part[1][j] | part[2][j] | part[3][j]) != 0;
    }

    // Readies column j for `more` blocks with this exponent.
    void make_room(std::size_t j, std::int32_t with, std::int32_t more) {
        if (exponent[j] != with || blocks[j] + more > most_kept_blocks) {
            if (blocks[j] > 0) {
                if (is_used(j)) add_to(overflow->at(j), j);
                for (auto& each : part) each[j] = 0;
            }
            exponent[j] = with;
            blocks[j] = 0;
        }
        blocks[j] += more;
    }

    void join(std::size_t j, const KeptPart& sum) {
        make_room(j, sum.exponent, 1);
        for (std::size_t i = 0; i < kept_parts; ++i) part[i][j] += sum.part[i];
        for (std::size_t i = 0; i < 2; ++i)
            if (sum.deep[i] != 0)
                add_units(overflow->at(j).rest(), sum.deep[i], sum.exponent + deep_units[i]);
    }

    void merge(std::size_t j, const KeptTile& from, std::size_t i) {
        if (const KeptTotal* more = from.overflow->find(i)) overflow->at(j).merge(*more);
        if (from.blocks[i] == 0) return;
        make_room(j, from.exponent[i], from.blocks[i]);
        for (std::size_t k = 0; k < kept_parts; ++k) part[k][j] += from.part[k][i];
    }

    // The whole of column j.
    template <class Total>
    void give_to(Total&& total, std::size_t j) const {
        if (is_used(j)) add_to(total, j);
        if (const KeptTotal* more = overflow->find(j)) total.merge(*more);
    }
};
static_assert(sizeof(KeptTile) <= tile_bytes);

// A part of the outputs, and of their sets the elements that a task takes; `joining` is to be held while
// their states are changed, if others take elements of the same sets.
using TakeRange = std::function<void(const Plan&, const Outputs& part, const Range&, std::mutex* joining)>;

// All elements of `piece`, in tasks on threads as far as they are worth it.
void for_each_range(const View& piece, const bool* reduced, std::size_t most_columns, const TakeRange& take);

// Makes a tile of the elements of a range, then give(j, place) of each of its outputs, whose place among all
// is that; one task at a time.
template <class Give>
void add_range(const Plan& plan, const Method& method, const Outputs& part, const Range& range,
               std::mutex* joining, void* tile, const Give& give, const Chosen& chosen = {}) {
    open_tile(plan, method, part.count(), tile);
    accumulate(plan, method, range, tile, chosen);
    close_tile(plan, method, part.count(), tile);
    const auto lock = joining != nullptr ? std::unique_lock(*joining) : std::unique_lock<std::mutex>();
    for (std::int64_t j = 0; j < part.count(); ++j)
        give(static_cast<std::size_t>(j), static_cast<std::size_t>(place_of(plan, part, j)));
}

// Adds the elements of each reduced set of `piece` to its state; `states` are those of the method, one for
// each output in row-major order. `chosen` says how the method is given the elements of a masked piece.
void add_to_states(const View& piece, const bool* reduced, const Method& method, void* states,
                   const Chosen& chosen = {});

// Exact totals of floats that stay from one array to the next take the elements of some sets.

// Takes elements into columns of a KeptTile, whose `overflow` is set, and finishes nothing.
const Method& kept_method(Format format, Map map);

// Adds map(x) for the elements x of each reduced set of `piece` to its total, one for each output in
// row-major order.
void add_to_totals(const View& piece, const bool* reduced, Map map, FloatTotals& totals);

// Adds map(x) for the elements x of each reduced set of `piece`, which are of any integer format, to its
// total, one for each output in row-major order.
void add_to_totals(const View& piece, const bool* reduced, Map map, WideInteger* totals);

// Sets whose elements come in pieces: states of all outputs stay from one piece to the next.

class Accumulation {
  public:
    // Of `outputs` sets with `count` elements each, by one tier of the methods for this reduction.
    Accumulation(const Reduction& row, Format in, Format out, std::int64_t outputs, std::int64_t count,
                 std::size_t tier);
    Accumulation(const Accumulation&) = delete;
    Accumulation& operator=(const Accumulation&) = delete;

    // Adds some elements of every set: all pieces have the same kept dimensions and the format `in`. A
    // position counts them in the order in which they come.
    void add(const View& piece, const bool* reduced);

    // Adds what another one of the same sets and the same tier was given; nothing may be added to that
    // afterwards.
    void join(Accumulation& other);

    // Writes the results to `out`, C-contiguous. Returns the outputs, counted in that order, of which none
    // could be certified: they need the next tier. Nothing may be added afterwards.
    std::vector<std::int64_t> finish(void* out);

    bool has_begun() const { return !blocks_.empty(); }
    Format in() const { return in_; }
    Format format() const { return target_.how.format; }
    std::int64_t outputs() const { return outputs_; }

  private:
    struct alignas(64) Block {
        std::array<char, tile_bytes> bytes;
    };
    struct Place {
        std::size_t block, column;
    };

    const Method& method() const { return target_.tiers.method[tier_]; }
    void begin(const Plan& plan);
    bool fits(const Plan& plan) const;
    void add_elsewhere(const Plan& plan);
    void find_places();
    void merge(const Plan& plan, const Outputs& part, const void* tile);

    const bool ordered_;
    const Format in_;
    const std::int64_t outputs_;
    const std::size_t tier_;
    Target target_;
    Plan plan_{};  // of the first piece: where the states lie
    std::vector<Outputs> parts_;
    std::vector<std::unique_ptr<Block>> blocks_;  // one for each part
    std::vector<Place> places_;                   // by output, once they are needed
};

}  // namespace samesum
