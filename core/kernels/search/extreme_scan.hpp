// Cumulative minima and maxima in integer keys whose order is that of IEEE 754's `minimum` and `maximum`: the
// greatest key wins, and that of NaN is the greatest of all.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "kernels/vectors/vectors.hpp"
#include "methods/extreme_scan_method.hpp"

namespace samesum::SAMESUM_ISA {

template <Format format, bool maximum>
struct ExtremeScan {
    static constexpr std::size_t size = size_of(format);
    using Key = std::conditional_t<size == 8, std::int64_t, std::int32_t>;
    static constexpr std::size_t lanes = vector_bytes / sizeof(Key);
    typedef Key Keys __attribute__((vector_size(vector_bytes)));

    using Signed =
        std::conditional_t<size == 1, std::int8_t,
                           std::conditional_t<size == 2, std::int16_t,
                                              std::conditional_t<size == 4, std::int32_t, std::int64_t>>>;
    static constexpr bool is_widened_unsigned = is_unsigned(format) && size < 4;
    using Element = typename std::conditional_t<is_widened_unsigned, std::make_unsigned<Signed>,
                                                std::type_identity<Signed>>::type;
    typedef Element Elements __attribute__((vector_size(lanes * sizeof(Element))));

    static constexpr Key greatest =
                             static_cast<Key>(~(std::make_unsigned_t<Key>{1} << (8 * sizeof(Key) - 1))),
                         least = static_cast<Key>(~greatest);
    static constexpr Key rest = static_cast<Key>(static_cast<Signed>(~sign_bit(format)));

    static constexpr Key last_number() {
        if constexpr (is_float(format))
            return static_cast<Key>(has_infinity(format) ? traits_of(format).overflow
                                                         : traits_of(format).largest);
        return 0;
    }

    static SAMESUM_INLINE Keys better(Keys a, Keys b) { return a > b ? a : b; }

    // Its own inverse: negative floats, whose integers order backwards, have all bits but the sign flipped.
    static SAMESUM_INLINE Keys ordered(Keys x) {
        if constexpr (is_float(format)) return x ^ ((x >> (8 * sizeof(Key) - 1)) & rest);
        if constexpr (is_unsigned(format) && !is_widened_unsigned) return x ^ least;
        return x;
    }
    static SAMESUM_INLINE Keys key(Keys x) {
        const Keys k = maximum ? ordered(x) : ~ordered(x);
        if constexpr (!is_float(format)) return k;
        constexpr Key no_zero = static_cast<Key>(static_cast<Signed>(sign_bit(format)));
        Keys nan = (x & rest) > last_number();
        if constexpr (is_float(format))
            if (!traits_of(format).has_negative_zero) nan |= x == no_zero;
        return nan ? Keys{} + greatest : k;
    }
    static SAMESUM_INLINE Keys value(Keys k) {
        const Keys x = ordered(maximum ? k : ~k);
        if constexpr (is_float(format)) {
            constexpr Key nan = static_cast<Key>(canonical_nan(format));
            return k == greatest ? Keys{} + nan : x;
        }
        return x;
    }

    static SAMESUM_INLINE Keys keys_at(const char* p) {
        return key(__builtin_convertvector(load<Elements>(p), Keys));
    }
    static SAMESUM_INLINE void put(char* p, Keys k) { store(p, __builtin_convertvector(value(k), Elements)); }
    static SAMESUM_INLINE Keys some_keys_at(const char* p, std::size_t n) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
        const std::uint64_t mask = (std::uint64_t{1} << (n * size)) - 1;
        Elements x;
        if constexpr (sizeof x == 64)
            x = reinterpret_cast<Elements>(_mm512_maskz_loadu_epi8(mask, p));
        else if constexpr (sizeof x == 32)
            x = reinterpret_cast<Elements>(_mm256_maskz_loadu_epi8(static_cast<__mmask32>(mask), p));
        else if constexpr (sizeof x == 16)
            x = reinterpret_cast<Elements>(_mm_maskz_loadu_epi8(static_cast<__mmask16>(mask), p));
#else
        Elements x = {};
        __builtin_memcpy(&x, p, n * size);
#endif
        return key(__builtin_convertvector(x, Keys));
    }
    static SAMESUM_INLINE void put_some(char* p, std::size_t n, Keys k) {
        const Elements x = __builtin_convertvector(value(k), Elements);
#if defined(__AVX512BW__) && defined(__AVX512VL__)
        const std::uint64_t mask = (std::uint64_t{1} << (n * size)) - 1;
        if constexpr (sizeof x == 64)
            _mm512_mask_storeu_epi8(p, mask, reinterpret_cast<__m512i>(x));
        else if constexpr (sizeof x == 32)
            _mm256_mask_storeu_epi8(p, static_cast<__mmask32>(mask), reinterpret_cast<__m256i>(x));
        else if constexpr (sizeof x == 16)
            _mm_mask_storeu_epi8(p, static_cast<__mmask16>(mask), reinterpret_cast<__m128i>(x));
#else
        __builtin_memcpy(p, &x, n * size);
#endif
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
        for (std::size_t j = 0; j < n; ++j) first(keys)[j] = least;
    }

    static SAMESUM_INLINE Key greatest_of(Keys v) {
        Key most = v[0];
        for (std::size_t k = 1; k < lanes; ++k) most = v[k] > most ? v[k] : most;
        return most;
    }

    template <bool writes>
    static void line_of(ExtremeKeys& keys, const char* x, std::size_t n, char* out) {
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
        Key most = greatest_of(carry);
        if (i < n) {
            const Keys v = better(Keys{} + most, prefixes(some_keys_at(x, n - i)));
            if constexpr (writes) put_some(out, n - i, v);
            most = v[n - i - 1];
        }
        first(keys)[0] = most;
    }

    static void line(ExtremeKeys& keys, const char* x, std::size_t n, char* out) {
        out != nullptr ? line_of<true>(keys, x, n, out) : line_of<false>(keys, x, n, out);
    }

    // Lines of `length` elements that follow one another, several to a vector.
    template <std::size_t length>
    static void dense_lines(const char* x, std::size_t n, char* out) {
        std::size_t i = 0;
        for (; i + lanes <= n; i += lanes, x += lanes * size, out += lanes * size) {
            prefetch_run<lanes * size>(x);
            put(out, prefixes<length>(keys_at(x)));
        }
        if (i < n) put_some(out, n - i, prefixes<length>(some_keys_at(x, n - i)));
    }

    static void lines(const ScanRows& all) {
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
            first(keys)[0] = least;
            line_of<true>(keys, x, all.n, out);
        }
    }

    template <std::size_t count, bool writes>
    static SAMESUM_INLINE void take_rows(ExtremeKeys& keys, const ScanRows& all, const char* x, char* out) {
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
    static void columns_of(ExtremeKeys& keys, const ScanRows& all) {
        const char* x = all.x;
        char* out = all.out;
        std::size_t r = 0;
        for (; r + 4 <= all.rows; r += 4, x += 4 * all.in, out += writes ? 4 * all.to : 0)
            take_rows<4, writes>(keys, all, x, out);
        for (; r < all.rows; ++r, x += all.in, out += writes ? all.to : 0)
            take_rows<1, writes>(keys, all, x, out);
    }

    static void columns(ExtremeKeys& keys, const ScanRows& all) {
        all.out != nullptr ? columns_of<true>(keys, all) : columns_of<false>(keys, all);
    }

    static void join(ExtremeKeys& keys, const ExtremeKeys& from, std::size_t n) {
        const Key* const other = reinterpret_cast<const Key*>(from.room);
        for (std::size_t j = 0; j < n; ++j) first(keys)[j] = std::max(first(keys)[j], other[j]);
    }

    static constexpr ExtremeScanMethod method() { return {init, line, lines, columns, join}; }
};

}  // namespace samesum::SAMESUM_ISA
