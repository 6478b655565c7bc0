// Cumulative minima and maxima in integer keys whose order is that of IEEE 754's `minimum` and `maximum`: the
// greatest key wins, and that of NaN is the greatest of all.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/vectors/partial.hpp"
#include "methods/extreme_scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// Elements of `size` bytes: integers, whose minima are maxima of keys with all bits flipped, or floats.
template <std::size_t size, bool is_real, bool maximum = true>
struct ExtremeScan {
    using Key = std::conditional_t<size == 8, std::int64_t, std::int32_t>;
    static constexpr std::size_t lanes = vector_bytes / sizeof(Key);
    typedef Key Keys __attribute__((vector_size(vector_bytes)));

    using Element =
        std::conditional_t<size == 1, std::int8_t,
                           std::conditional_t<size == 2, std::int16_t,
                                              std::conditional_t<size == 4, std::int32_t, std::int64_t>>>;
    typedef Element Elements __attribute__((vector_size(lanes * sizeof(Element))));

    static constexpr Key greatest = std::numeric_limits<Key>::max(), least = std::numeric_limits<Key>::min();
    static constexpr Key magnitude = std::numeric_limits<Element>::max();

    static constexpr Key identity = maximum ? least : greatest, key_of_nan = ~identity;

    static SAMESUM_INLINE Keys better(Keys a, Keys b) { return maximum ? (a > b ? a : b) : (a < b ? a : b); }

    // Its own inverse: negative floats, whose integers order backwards, have all bits but the sign flipped.
    static SAMESUM_INLINE Keys ordered(Keys x) { return x ^ ((x >> (8 * sizeof(Key) - 1)) & magnitude); }

    Key flip, last_number, nan, no_zero;

    explicit SAMESUM_INLINE ExtremeScan(const ExtremeOrder& order)
        : flip(static_cast<Key>(order.flip)),
          last_number(static_cast<Key>(order.last_number)),
          nan(static_cast<Key>(order.nan)),
          no_zero(static_cast<Key>(order.no_zero)) {}

    SAMESUM_INLINE Keys key(Keys x) const {
        if constexpr (!is_real) return x ^ flip;
        Keys is_nan = (x & magnitude) > last_number;
        if constexpr (size == 1) is_nan |= x == no_zero;
        return is_nan ? Keys{} + key_of_nan : ordered(x);
    }
    SAMESUM_INLINE Keys value(Keys k) const {
        if constexpr (!is_real) return k ^ flip;
        return k == key_of_nan ? Keys{} + nan : ordered(k);
    }

    SAMESUM_INLINE Keys keys_at(const char* p) const {
        return key(__builtin_convertvector(load<Elements>(p), Keys));
    }
    SAMESUM_INLINE void put(char* p, Keys k) const { store(p, __builtin_convertvector(value(k), Elements)); }
    SAMESUM_INLINE Keys some_keys_at(const char* p, std::size_t n) const {
        const Elements x = load_first<Elements>(p, n);
        return key(__builtin_convertvector(x, Keys));
    }
    SAMESUM_INLINE void put_some(char* p, std::size_t n, Keys k) const {
        store_first(p, __builtin_convertvector(value(k), Elements), n);
    }

    // Elements keep their places or come from `distance` before, if that is in the same line of `length`.
    template <std::size_t distance, std::size_t length, std::size_t... i>
    static SAMESUM_INLINE Keys moved(Keys v, std::index_sequence<i...>) {
        return __builtin_shufflevector(v, v, static_cast<int>(i % length < distance ? i : i - distance)...);
    }
    template <std::size_t length = lanes, std::size_t distance = 1>
    static SAMESUM_INLINE Keys prefixes(Keys v) {
        if constexpr (distance < length)
            return prefixes<length, 2 * distance>(
                better(v, moved<distance, length>(v, std::make_index_sequence<lanes>{})));
        return v;
    }
    template <std::size_t... i>
    static SAMESUM_INLINE Keys last(Keys v, std::index_sequence<i...>) {
        return __builtin_shufflevector(v, v, static_cast<int>(lanes - 1 + 0 * i)...);
    }

    static SAMESUM_INLINE Key* first(ExtremeKeys& keys) { return reinterpret_cast<Key*>(keys.room); }

    static void init(ExtremeKeys& keys, std::size_t n) {
        for (std::size_t j = 0; j < n; ++j) first(keys)[j] = identity;
    }

    static SAMESUM_INLINE Key best_of(Keys v) {
        Key best = v[0];
        for (std::size_t k = 1; k < lanes; ++k) best = (v[k] > best) == maximum ? v[k] : best;
        return best;
    }

    template <bool writes>
    SAMESUM_INLINE void line_of(ExtremeKeys& keys, const char* x, std::size_t n, char* out) const {
        Keys carry = Keys{} + first(keys)[0];
        std::size_t i = 0;
        for (; i + lanes <= n; i += lanes, x += lanes * size, out += writes ? lanes * size : 0) {
            prefetch_run<lanes * size>(x);
            if constexpr (writes) {
                const Keys v = prefixes(keys_at(x));
                put(out, better(v, carry));
                carry = better(carry, last(v, std::make_index_sequence<lanes>{}));
            } else {
                carry = better(carry, keys_at(x));
            }
        }
        Key most = best_of(carry);
        if (i < n) {
            const Keys v = better(Keys{} + most, prefixes(some_keys_at(x, n - i)));
            if constexpr (writes) put_some(out, n - i, v);
            most = v[n - i - 1];
        }
        first(keys)[0] = most;
    }

    static void line(const ExtremeOrder& order, ExtremeKeys& keys, const char* x, std::size_t n, char* out) {
        const ExtremeScan scan(order);
        out != nullptr ? scan.template line_of<true>(keys, x, n, out)
                       : scan.template line_of<false>(keys, x, n, out);
    }

    // Lines of `length` elements that follow one another, several to a vector.
    template <std::size_t length>
    SAMESUM_INLINE void dense_lines(const char* x, std::size_t n, char* out) const {
        std::size_t i = 0;
        for (; i + lanes <= n; i += lanes, x += lanes * size, out += lanes * size) {
            prefetch_run<lanes * size>(x);
            put(out, prefixes<length>(keys_at(x)));
        }
        if (i < n) put_some(out, n - i, prefixes<length>(some_keys_at(x, n - i)));
    }

    static void lines(const ExtremeOrder& order, const ScanRows& all) {
        const ExtremeScan scan(order);
        scan.all_lines(all);
    }

    SAMESUM_INLINE void all_lines(const ScanRows& all) const {
        const bool is_dense = all.in == static_cast<std::ptrdiff_t>(all.n * size) && all.to == all.in;
        if (is_dense && all.n == 2) return dense_lines<2>(all.x, all.rows * all.n, all.out);
        if constexpr (lanes >= 4)
            if (is_dense && all.n == 4) return dense_lines<4>(all.x, all.rows * all.n, all.out);
        if constexpr (lanes >= 8)
            if (is_dense && all.n == 8) return dense_lines<8>(all.x, all.rows * all.n, all.out);
        const char* x = all.x;
        char* out = all.out;
        for (std::size_t r = 0; r < all.rows; ++r, x += all.in, out += all.to) {
            if (all.n < lanes) {
                prefetch_run<lanes * size>(x);
                put_some(out, all.n, prefixes(some_keys_at(x, all.n)));
                continue;
            }
            ExtremeKeys keys;
            first(keys)[0] = identity;
            line_of<true>(keys, x, all.n, out);
        }
    }

    template <std::size_t count, bool writes>
    SAMESUM_INLINE void take_rows(ExtremeKeys& keys, const ScanRows& all, const char* x, char* out) const {
        const auto row = [](std::size_t r) { return static_cast<std::ptrdiff_t>(r); };
        const std::ptrdiff_t ahead = (all.n * size < 512 ? 32 : 4) * all.in;
        for (std::size_t j = 0; j < all.n; j += lanes) {
            const std::size_t now = all.n - j;
            Key* const at = first(keys) + j;
            Keys best = load<Keys>(at);
            for (std::size_t r = 0; r < count; ++r) {
                const char* const p = x + row(r) * all.in + j * size;
                char* const to = writes ? out + row(r) * all.to + j * size : nullptr;
                __builtin_prefetch(p + ahead);
                best = better(best, now < lanes ? some_keys_at(p, now) : keys_at(p));
                if constexpr (writes) now < lanes ? put_some(to, now, best) : put(to, best);
            }
            store(at, best);
        }
    }

    template <bool writes>
    SAMESUM_INLINE void columns_of(ExtremeKeys& keys, const ScanRows& all) const {
        const char* x = all.x;
        char* out = all.out;
        std::size_t r = 0;
        for (; r + 4 <= all.rows; r += 4, x += 4 * all.in, out += writes ? 4 * all.to : 0)
            take_rows<4, writes>(keys, all, x, out);
        for (; r < all.rows; ++r, x += all.in, out += writes ? all.to : 0)
            take_rows<1, writes>(keys, all, x, out);
    }

    static void columns(const ExtremeOrder& order, ExtremeKeys& keys, const ScanRows& all) {
        const ExtremeScan scan(order);
        all.out != nullptr ? scan.template columns_of<true>(keys, all)
                           : scan.template columns_of<false>(keys, all);
    }

    static void join(ExtremeKeys& keys, const ExtremeKeys& from, std::size_t n) {
        const Key* const other = reinterpret_cast<const Key*>(from.room);
        for (std::size_t j = 0; j < n; ++j)
            first(keys)[j] =
                maximum ? std::max(first(keys)[j], other[j]) : std::min(first(keys)[j], other[j]);
    }

    static constexpr ExtremeScanMethod method() { return {init, line, lines, columns, join}; }
};

}  // namespace samesum::SAMESUM_ISA
