// Exact totals of floats of many sets.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "exact/totals/kept_total.hpp"
#include "formats/format.hpp"
#include "methods/kept_blocks.hpp"
#include "methods/method.hpp"

namespace samesum {

// Totals of some of n sets, made where they are asked for, by several threads too.
class Overflow {
  public:
    static constexpr std::size_t page = 64;

    explicit Overflow(std::size_t n) : pages_((n + page - 1) / page) {}
    Overflow(const Overflow&) = delete;
    ~Overflow() {
        for (auto& each : pages_) delete[] each.load(std::memory_order_relaxed);
    }

    KeptTotal& at(std::size_t j) {
        auto& found = pages_[j / page];
        KeptTotal* totals = found.load(std::memory_order_acquire);
        if (totals == nullptr) {
            auto made = std::make_unique<KeptTotal[]>(page);
            if (found.compare_exchange_strong(totals, made.get(), std::memory_order_acq_rel))
                totals = made.release();
        }
        return totals[j % page];
    }

    const KeptTotal* find(std::size_t j) const {
        const KeptTotal* totals = pages_[j / page].load(std::memory_order_acquire);
        return totals == nullptr ? nullptr : totals + j % page;
    }

  private:
    std::vector<std::atomic<KeptTotal*>> pages_;
};

// Of each set the integers of a few blocks, as many of them as sums of its format have as a rule, and an
// overflow for the rest: the state of a short chunk takes little memory. Threads add to different sets.
class FloatTotals {
  public:
    explicit FloatTotals(Format format = Format::f64, Map map = Map::itself, std::size_t n = 0)
        : parts_(parts_of(format, map)), exponent_(n), blocks_(n), part_(n * parts_), overflow_(n) {}

    std::size_t size() const { return blocks_.size(); }

    // The total of one set.
    struct Of {
        FloatTotals& all;
        std::size_t j;

        void add(const std::int64_t (&part)[kept_parts], std::int32_t exponent, std::int32_t blocks) const {
            if (!all.takes(j, part, exponent, blocks)) all.overflow_.at(j).add(part, exponent, blocks);
        }
        void merge(const KeptTotal& other) const { all.overflow_.at(j).merge(other); }
    };
    Of of(std::size_t j) { return {*this, j}; }

    // Of the same format and map.
    void merge(const FloatTotals& other) {
        for (std::size_t first = 0; first < size(); first += Overflow::page) {
            const std::size_t last = std::min(first + Overflow::page, size());
            const bool is_joined = joins(other, first, last),
                       has_more = other.overflow_.find(first) != nullptr;
            for (std::size_t j = first; j < last && !(is_joined && !has_more); ++j) {
                if (!is_joined && other.blocks_[j] > 0)
                    of(j).add(other.parts(j).part, other.exponent_[j], other.blocks_[j]);
                if (has_more) of(j).merge(*other.overflow_.find(j));
            }
        }
    }

    KeptTotal operator[](std::size_t j) const {
        KeptTotal total;
        if (blocks_[j] > 0) total.add(parts(j).part, exponent_[j], blocks_[j]);
        if (const KeptTotal* more = overflow_.find(j)) total.merge(*more);
        return total;
    }

  private:
    // Sums on one grid are exact in double as a rule; squares of float64 have low words.
    static constexpr std::size_t parts_of(Format format, Map map) {
        if (format == Format::f64) return map == Map::square ? kept_parts : 2;
        return map == Map::square ? 2 : 1;
    }

    struct Parts {
        std::int64_t part[kept_parts] = {};
    };
    Parts parts(std::size_t j) const {
        Parts found;
        for (std::size_t i = 0; i < parts_; ++i) found.part[i] = part_[j * parts_ + i];
        return found;
    }

    // Whether all of these sets need no other scale, which then are joined: loops of vectors.
    bool joins(const FloatTotals& other, std::size_t first, std::size_t last) {
        std::int16_t others = 0;
        for (std::size_t j = first; j < last; ++j) {
            const bool is_one = blocks_[j] == 0 || other.blocks_[j] == 0,
                       is_alike = exponent_[j] == other.exponent_[j] &&
                                  blocks_[j] + other.blocks_[j] <= most_kept_blocks;
            others = static_cast<std::int16_t>(others | !(is_one | is_alike));
        }
        if (others != 0) return false;
        for (std::size_t j = first; j < last; ++j) {
            exponent_[j] = blocks_[j] == 0 ? other.exponent_[j] : exponent_[j];
            blocks_[j] = static_cast<std::int16_t>(blocks_[j] + other.blocks_[j]);
        }
        for (std::size_t k = first * parts_; k < last * parts_; ++k) part_[k] += other.part_[k];
        return true;
    }

    // Whether there is a place for these parts, which then are taken.
    bool takes(std::size_t j, const std::int64_t (&part)[kept_parts], std::int32_t exponent,
               std::int32_t blocks) {
        for (std::size_t i = parts_; i < kept_parts; ++i)
            if (part[i] != 0) return false;
        const auto scale = CommonScale::of(exponent_[j], blocks_[j], exponent, blocks, most_kept_blocks);
        if (!scale) return false;
        for (std::size_t i = 0; i < parts_; ++i) {
            std::int64_t& mine = part_[j * parts_ + i];
            mine = (mine << scale->mine) + (part[i] << scale->others);
        }
        exponent_[j] = static_cast<std::int16_t>(scale->exponent);
        blocks_[j] = static_cast<std::int16_t>(scale->blocks);
        return true;
    }

    const std::size_t parts_;
    std::vector<std::int16_t> exponent_, blocks_;
    std::vector<std::int64_t> part_;
    Overflow overflow_;
};

}  // namespace samesum
