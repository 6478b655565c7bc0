// Sets whose elements come in pieces: states of all outputs stay from one piece to the next.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "layout/plan.hpp"
#include "run/reduce/finish.hpp"
#include "run/reduce/reduce.hpp"

namespace samesum {

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
