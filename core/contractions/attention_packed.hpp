// Keys and values of attention as its kernels take them.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "arithmetic/division.hpp"
#include "contractions/attention.hpp"
#include "kernels/instruction_set.hpp"
#include "run/tiles.hpp"

namespace samesum {

// Memory that grows.
class Numbers {
  public:
    double* of(std::size_t count) {
        if (!room_ || count > size_) room_.emplace((size_ = count) * sizeof(double));
        return get();
    }
    double* get() const { return reinterpret_cast<double*>(room_->get()); }

  private:
    std::optional<Scratch> room_;
    std::size_t size_ = 0;
};

// n numbers, some bytes apart.
inline void widen_numbers(Format format, const char* p, std::int64_t step, std::int64_t n, double* to) {
    const auto method = current_instruction_set().elementwise->widen[static_cast<std::size_t>(format)];
    if (n == 1 || step == static_cast<std::int64_t>(size_of(format)))
        return method(p, static_cast<std::size_t>(n), to);
    for (std::int64_t j = 0; j < n; ++j) method(p + j * step, 1, to + j);
}

// The first keys of a batch and their values, and which of these are not finite: those are packed as zeros.
struct PackedKeys {
    struct Odd {
        std::int64_t key, column;
        double value;
    };

    const char *key = nullptr, *value = nullptr;
    std::int64_t count = -1;
    Numbers keys, norms, values, greatest;
    std::vector<Odd> odd;

    // Those from these places on, unless they are packed already.
    void take(const AttentionCall& call, const char* of_keys, const char* of_values, std::int64_t n) {
        if (key == of_keys && value == of_values && count == n) return;
        key = of_keys, value = of_values, count = n;
        const AttentionMethods& method = *current_instruction_set().attention;
        const auto size = [](std::int64_t each) { return static_cast<std::size_t>(each); };
        const std::size_t lanes = rounded_up(size(n), method.lanes), terms = size(call.size),
                          columns = size(call.columns), padded = rounded_up(columns, method.lanes);
        method.pack[static_cast<std::size_t>(call.key.format)](
            {key, call.key.row, call.key.term, size(n), terms}, keys.of(lanes * terms));
        method.norms(keys.get(), size(n), terms, norms.of(lanes));
        double* const panels = values.of(padded * size(n));
        method.pack[static_cast<std::size_t>(call.value.format)](
            {value, call.value.term, call.value.row, columns, size(n)}, panels);
        std::vector<std::uint8_t> is_odd(padded);
        method.clear(panels, columns, size(n), is_odd.data());
        method.greatest(panels, columns, size(n), greatest.of(padded));
        odd.clear();
        for (std::int64_t c = 0; c < call.columns; ++c) {
            for (std::int64_t j = 0; is_odd[size(c)] != 0 && j < n; ++j) {
                double x;
                widen_numbers(call.value.format, value + j * call.value.row + c * call.value.term, 0, 1, &x);
                if (!std::isfinite(x)) odd.push_back({j, c, x});
            }
        }
    }
};

}  // namespace samesum
