// Sums of floats of at most 24 bits in one word for each place: a multiple of one unit, and a count.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/instruction_set.hpp"
#include "run/segments/placed_blocks.hpp"
#include "run/segments/placed_room.hpp"

namespace samesum {

// What all places hand on: sums of multiples above their counts, in two words each. The memory is made for
// the first place whose word is full.
class CountedSpill {
  public:
    using Total = __int128;
    static constexpr int count_bits = 36;  // of a total
    struct State {
        std::int64_t word = 0;  // sums of counted multiples
    };

    explicit CountedSpill(std::size_t places) : places_(places) {}

    static Total widened(std::int64_t word) {
        return (Total{word >> samesum::count_bits} << count_bits) + (word & most);
    }
    void look_at(State& state, std::int64_t place) {
        if ((state.word & most) == most) [[unlikely]]
            take(state, place);
    }
    Total total(const State& state, std::int64_t place) const {
        const Total own = widened(state.word);
        return totals_ == nullptr ? own : own + totals_[place];
    }

  private:
    static constexpr std::int64_t most = (std::int64_t{1} << samesum::count_bits) - 1;

    [[gnu::noinline]] void take(State& state, std::int64_t place) {
        if (totals_ == nullptr)
            totals_ = room_.emplace(places_ * sizeof(Total)).template make<Total>(places_);
        totals_[place] += widened(state.word);
        state.word = 0;
    }

    std::size_t places_;
    std::optional<PlacedRoom> room_;
    Total* totals_ = nullptr;
};

// Each element counts as the multiple of the unit nearest to it, off by half a unit at most: exact sums of
// multiples are off by half of one for each element. (Lemma 78)
struct CountedSum {
    using Spill = CountedSpill;
    using State = CountedSpill::State;
    using Total = CountedSpill::Total;
    struct Way {
        double anchor, unit;
        bool is_exact = true;  // every element is a multiple
    };

    static bool suits(const PlacedRange& range) {
        return is_sum_or_mean(range) && range.terms < std::ldexp(1.0, CountedSpill::count_bits);
    }
    // The greatest multiple has 51 bits.
    static Way way_for(const PlacedRange& range) {
        const double unit = std::ldexp(1.0, std::ilogb(range.greatest > 0 ? range.greatest : 1) + 1 - 51);
        return {unit * 0x1.8p52, unit};
    }
    static void join(Way& way, const Way& other) { way.is_exact = way.is_exact && other.is_exact; }

    static bool is_empty(Total total) { return total == 0; }
    static void join(Total& total, Total other) { total += other; }
    static bool finish(Total total, const Way& way, const PlacedRange& range, std::uint64_t& bits) {
        const Total sum = total >> CountedSpill::count_bits;
        const auto n =
            static_cast<double>(static_cast<std::int64_t>(total - (sum << CountedSpill::count_bits)));
        const double hi = static_cast<double>(sum), lo = static_cast<double>(sum - static_cast<Total>(hi));
        return round_total(hi * way.unit, lo * way.unit, way.is_exact ? 0 : n * way.unit * 0.5, n, range,
                           bits);
    }
};

struct CountedBlock {
    static_assert(placed_block <= exact_elements);
    alignas(64) std::int64_t counted[placed_block];

    void take(const char* x, std::size_t n, Format format, CountedSum::Way& way) {
        const auto counted_about =
            current_instruction_set().exact_blocks->counted[static_cast<std::size_t>(format)];
        way.is_exact &= counted_about(x, n, way.anchor, counted);
    }
    void add(CountedSum::State& state, std::size_t i) const { state.word += counted[i]; }
    void add(CountedSum::Total& total, std::size_t i) const { total += CountedSpill::widened(counted[i]); }
};

}  // namespace samesum
