#include "run/elementwise.hpp"

#include <algorithm>
#include <cstring>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "exact/products/product.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "select/normalization_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// An operand as its elements lie, in the order of the results.
class Operand {
  public:
    explicit Operand(const View& x)
        : data_(x.data),
          item_(static_cast<std::int64_t>(size_of(x.format))),
          packing_(dims_of(x), size_of(x.format), x.swapped),
          is_direct_(lies_side_by_side(x)),
          is_one_(has_one_element(x)) {}

    bool is_direct() const { return is_direct_; }
    bool is_one() const { return is_one_; }

    // n elements from number `first` on side by side: where they are, or else in `room`.
    const char* elements(std::int64_t first, std::int64_t n, char* room) const {
        if (is_direct_) return data_ + first * item_;
        packing_.copy(data_, first, n, room);
        return room;
    }

  private:
    static Dims dims_of(const View& x) {
        Dims dims;
        for (int i = 0; i < x.rank; ++i)
            if (x.shape[i] != 1) dims.push({x.shape[i], x.strides[i], 0});
        return dims;
    }

    static bool lies_side_by_side(const View& x) {
        std::int64_t step = static_cast<std::int64_t>(size_of(x.format));
        for (int i = x.rank - 1; i >= 0; --i) {
            if (x.shape[i] == 1) continue;
            if (x.strides[i] != step) return false;
            step *= x.shape[i];
        }
        return !x.swapped;
    }

    // The same one everywhere.
    static bool has_one_element(const View& x) {
        for (int i = 0; i < x.rank; ++i)
            if (x.shape[i] != 1 && x.strides[i] != 0) return false;
        return true;
    }

    const char* data_;
    std::int64_t item_;
    Packing packing_;
    bool is_direct_, is_one_;
};

// Results in blocks: compute(first, n, to) writes those of n elements. They are written through the caches:
// past them, which copies blocks, one and two threads took 10 to 50 % longer.
template <class Compute>
void for_each_block(std::int64_t count, Format format, Route route, void* out, const Compute& compute) {
    const std::int64_t item = static_cast<std::int64_t>(size_of(format));
    record(route);
    const std::int64_t block =
        route == Route::elementwise_direct ? elementwise_task_elements : elementwise_copied_elements;
    const auto take = [&](std::int64_t first, std::int64_t n) {
        for (std::int64_t i = first; i < first + n; i += block)
            compute(i, std::min(block, first + n - i), static_cast<char*>(out) + i * item);
    };
    const SharedWork work(count, elementwise_threaded_elements, elementwise_brief_elements);
    for_each_batch(count, elementwise_task_elements, work.threads, take);
}

Route way(bool is_direct) { return is_direct ? Route::elementwise_direct : Route::elementwise_gathered; }

std::int64_t count_of(const View& x) {
    std::int64_t n = 1;
    for (int i = 0; i < x.rank; ++i) n *= x.shape[i];
    return n;
}

}  // namespace

void apply(Unary function, const View& x, void* out) {
    const auto code = static_cast<std::size_t>(function), format = static_cast<std::size_t>(x.format);
    const InstructionSet& set = current_instruction_set();
    const auto method = code < first_smooth ? set.elementwise->unary[code][format]
                                            : set.smooth->unary[code - first_smooth][format];
    const Operand operand(x);
    for_each_block(count_of(x), x.format, way(operand.is_direct()), out,
                   [&](std::int64_t first, std::int64_t n, char* to) {
                       alignas(64) char room[elementwise_copied_elements * 8];
                       method(operand.elements(first, n, room), static_cast<std::size_t>(n), to);
                   });
}

namespace {

// n elements of any format but the floats of eight bits as doubles. Integers beyond 2^53 are rounded.
void widen(Format format, const char* from, std::size_t n, double* to) {
    if (is_float(format))
        return current_instruction_set().elementwise->widen[static_cast<std::size_t>(format)](from, n, to);
    integers_of(from, n, format, to);
}

// Powers of x in blocks of elements side by side.
class Powers {
  public:
    Powers(const View& x, const View& y)
        : x_(x),
          y_(y),
          in_(x.format),
          exponents_(y.format),
          methods_(*current_instruction_set().elementwise) {}

    bool is_direct() const { return x_.is_direct() && y_.is_one(); }

    void compute(std::int64_t first, std::int64_t n, char* to) const {
        alignas(64) char bases[elementwise_copied_elements * 8], some[elementwise_copied_elements * 8];
        alignas(64) double exponents[elementwise_copied_elements];
        const auto count = static_cast<std::size_t>(n);
        const char* const x = x_.elements(first, n, bases);
        const char* const y = y_.elements(first, y_.is_one() ? 1 : n, some);
        const auto format = static_cast<std::size_t>(in_);
        widen(exponents_, y, y_.is_one() ? 1 : count, exponents);
        if (y_.is_one())
            methods_.power_of_one[format](x, exponents[0], count, to);
        else
            methods_.power[format](x, exponents, count, to);
        if (exponents_ == Format::i64 || exponents_ == Format::u64) mend(x, y, count, to);
    }

  private:
    // Powers whose exponents no double holds.
    void mend(const char* x, const char* y, std::size_t n, char* to) const {
        constexpr std::uint64_t exact = std::uint64_t{1} << 53;
        const std::size_t size = size_of(in_);
        for (std::size_t i = 0; i < n; ++i) {
            const auto bits = bits_at<std::uint64_t>(y + (y_.is_one() ? 0 : 8 * i));
            const bool negative = exponents_ == Format::i64 && bits >> 63 != 0;
            const std::uint64_t magnitude = negative ? 0 - bits : bits;
            if (magnitude <= exact) {
                if (y_.is_one()) return;
                continue;
            }
            double base;
            widen(in_, x + size * i, 1, &base);
            store_bits(to, i, integer_power_bits(base, magnitude, negative, in_), size);
        }
    }

    Operand x_, y_;
    Format in_, exponents_;
    const ElementwiseMethods& methods_;
};

}  // namespace

void raise_to_power(const View& x, const View& y, void* out) {
    const Powers powers(x, y);
    for_each_block(count_of(x), x.format, way(powers.is_direct()), out,
                   [&](std::int64_t first, std::int64_t n, char* to) { powers.compute(first, n, to); });
}

namespace {

// One array of several, of which each block is where it is, gathered, or a vector of one element.
struct Combined {
    explicit Combined(const View& x) : operand(x) {
        if (!operand.is_one()) return;
        const std::size_t size = size_of(x.format);
        std::memcpy(one, operand.elements(0, 1, one), size);
        for (std::size_t i = 1; i < vector; ++i) std::memcpy(one + i * size, one, size);
    }

    static constexpr std::size_t vector = 16;  // elements at most
    Operand operand;
    alignas(64) char one[vector * 4];
};

}  // namespace

void combine(const std::vector<Combination>& steps, const std::vector<View>& arrays, void* out) {
    const Format format = arrays[0].format;
    const auto& methods = current_instruction_set().elementwise->arithmetic;
    const std::vector<Combined> all(arrays.begin(), arrays.end());
    const auto compute = [&](std::int64_t first, std::int64_t n, char* to) {
        constexpr std::size_t room_bytes = elementwise_copied_elements * 4;
        alignas(64) char rooms[most_rooms + most_combined][room_bytes];
        const char* places[most_combined + most_rooms];
        std::size_t near[most_combined + most_rooms];
        for (std::size_t i = 0; i < all.size(); ++i) {
            near[i] = all[i].operand.is_one() ? 0 : 1;
            places[i] = near[i] == 0 ? all[i].one : all[i].operand.elements(first, n, rooms[most_rooms + i]);
        }
        for (std::size_t i = 0; i < most_rooms; ++i)
            near[all.size() + i] = 1, places[all.size() + i] = rooms[i];
        for (const Combination& step : steps)
            methods[static_cast<std::size_t>(step.operation)][static_cast<std::size_t>(format)](
                places[step.x], near[step.x], places[step.y], near[step.y], static_cast<std::size_t>(n),
                &step == &steps.back() ? to : rooms[step.to]);
    };
    for_each_block(count_of(arrays[0]), format, Route::elementwise_combined, out, compute);
}

}  // namespace samesum
