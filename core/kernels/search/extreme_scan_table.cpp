// Cumulative minima and maxima: the methods of one instruction set, compiled as table.cpp is. In integer keys
// whose order is that of IEEE 754's `minimum` and `maximum`: the greatest key wins, and that of NaN is the
// greatest of all.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "kernels/loops/prefixes.hpp"
#include "kernels/vectors/partial.hpp"
#include "methods/scan_method.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

// How the bits of elements become keys: formats of one size share their code. Keys narrower than these
// numbers take the low bits of them.
struct ExtremeOrder {
    std::int64_t flip;         // of integers: the bits that change, so that the greatest key wins
    std::int64_t last_number;  // of floats: greater magnitudes are NaN
    std::int64_t nan;          // of floats: the canonical one
    std::int64_t no_zero;  // of floats of eight bits: the code that is NaN in the place of a negative zero

    static constexpr ExtremeOrder of(Format format, bool maximum) {
        const auto extended = [format](std::uint64_t bits) {
            const std::size_t unused = 64 - 8 * size_of(format);
            return static_cast<std::int64_t>(bits << unused) >> unused;
        };
        const std::int64_t turned = maximum ? 0 : -1;
        if (!is_float(format))
            return {is_unsigned(format) ? turned ^ extended(sign_bit(format)) : turned, 0, 0, 0};
        const FloatTraits& traits = traits_of(format);
        constexpr std::int64_t none = 0x100;
        return {0, extended(has_infinity(format) ? traits.overflow : traits.largest), extended(traits.nan),
                traits.has_negative_zero ? none : extended(sign_bit(format))};
    }
};

// Elements of `bytes` bytes: integers, whose minima are maxima of keys with all bits flipped, or floats.
template <std::size_t bytes, bool is_real, bool maximum = true>
struct ExtremeScan {
    using Key = std::conditional_t<bytes == 8, std::int64_t, std::int32_t>;
    typedef Key Keys __attribute__((vector_size(vector_bytes)));
    using Vector = Keys;
    static constexpr std::size_t size = bytes, result_size = bytes, elements = vector_bytes / sizeof(Key);

    using Element =
        std::conditional_t<size == 1, std::int8_t,
                           std::conditional_t<size == 2, std::int16_t,
                                              std::conditional_t<size == 4, std::int32_t, std::int64_t>>>;
    typedef Element Elements __attribute__((vector_size(elements * sizeof(Element))));

    static constexpr Key greatest = std::numeric_limits<Key>::max(), least = std::numeric_limits<Key>::min();
    static constexpr Key magnitude = std::numeric_limits<Element>::max();

    static constexpr Key identity = maximum ? least : greatest, key_of_nan = ~identity;

    // What a scan of vectors asks for (kernels/loops/prefixes.hpp): a key joins itself without a change.
    static SAMESUM_INLINE Keys joined(Keys a, Keys b) { return maximum ? (a > b ? a : b) : (a < b ? a : b); }
    static SAMESUM_INLINE Keys none(Keys v) { return v; }

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

    SAMESUM_INLINE Keys all(const char* p) const {
        return key(__builtin_convertvector(load<Elements>(p), Keys));
    }
    SAMESUM_INLINE void put(char* p, Keys k) const { store(p, __builtin_convertvector(value(k), Elements)); }
    SAMESUM_INLINE Keys first(const char* p, std::size_t n) const {
        return key(__builtin_convertvector(load_first<Elements>(p, n), Keys));
    }
    SAMESUM_INLINE void put_first(char* p, Keys k, std::size_t n) const {
        store_first(p, __builtin_convertvector(value(k), Elements), n);
    }

    static void init(void* tile, std::size_t n) { std::fill_n(static_cast<Key*>(tile), n, identity); }

    static SAMESUM_INLINE Key best_of(Keys v) {
        Key best = v[0];
        for (std::size_t k = 1; k < elements; ++k) best = (v[k] > best) == maximum ? v[k] : best;
        return best;
    }

    // The keys of whole vectors of a line; without `writes` no more than the best of each place is known.
    template <bool writes>
    SAMESUM_INLINE Keys scan_vectors(Keys best, const char* x, std::size_t n, char* out) const {
        const auto take = [&](std::size_t i) SAMESUM_INLINED {
            prefetch_run<elements * size>(x + i * size);
            return all(x + i * size);
        };
        if constexpr (writes)
            return scan_line<ExtremeScan>(
                n, best, take, [&](std::size_t i, Keys v) SAMESUM_INLINED { put(out + i * size, v); });
        for (std::size_t i = 0; i < n; i += elements) best = joined(best, take(i));
        return best;
    }

    template <bool writes>
    SAMESUM_INLINE Key line_of(Key before, const char* x, std::size_t n, char* out) const {
        const std::size_t whole = n / elements * elements, rest = n - whole;
        const Key best = best_of(scan_vectors<writes>(Keys{} + before, x, whole, out));
        if (rest == 0) return best;
        const Keys v = joined(Keys{} + best, prefixes_of<ExtremeScan>(first(x + whole * size, rest)));
        if constexpr (writes) put_first(out + whole * size, v, rest);
        return v[rest - 1];
    }

    // Without `out` the best key alone is known, which is returned.
    static SAMESUM_APART Key line(const ExtremeOrder& order, Key before, const void* x, std::size_t n,
                                  void* out) {
        const ExtremeScan scan(order);
        const char* const p = static_cast<const char*>(x);
        return out != nullptr ? scan.template line_of<true>(before, p, n, static_cast<char*>(out))
                              : scan.template line_of<false>(before, p, n, nullptr);
    }

    // Lines of `length` elements that follow one another, several to a vector.
    template <std::size_t length>
    SAMESUM_INLINE void dense_lines(const char* x, std::size_t n, char* out) const {
        std::size_t i = 0;
        for (; i + elements <= n; i += elements) {
            prefetch_run<elements * size>(x + i * size);
            put(out + i * size, prefixes_of_groups<ExtremeScan, length>(all(x + i * size)));
        }
        if (i < n)
            put_first(out + i * size, prefixes_of_groups<ExtremeScan, length>(first(x + i * size, n - i)),
                      n - i);
    }

    SAMESUM_APART void lines(const ScanRows& all) const {
        const bool is_dense = all.in == static_cast<std::ptrdiff_t>(all.n * size) && all.to == all.in;
        if (is_dense && all.n == 2) return dense_lines<2>(all.x, all.rows * all.n, all.out);
        if constexpr (elements >= 4)
            if (is_dense && all.n == 4) return dense_lines<4>(all.x, all.rows * all.n, all.out);
        if constexpr (elements >= 8)
            if (is_dense && all.n == 8) return dense_lines<8>(all.x, all.rows * all.n, all.out);
        const char* x = all.x;
        char* out = all.out;
        for (std::size_t r = 0; r < all.rows; ++r, x += all.in, out += all.to) {
            if (all.n < elements) {
                prefetch_run<elements * size>(x);
                put_first(out, prefixes_of<ExtremeScan>(first(x, all.n)), all.n);
                continue;
            }
            line_of<true>(identity, x, all.n, out);
        }
    }

    static SAMESUM_APART void columns(const ExtremeOrder& order, void* tile, const ScanRows& all) {
        scan_columns_of<true, size == 8 ? 4 : 2>(ExtremeScan(order), static_cast<Key*>(tile), all,
                                                 rows_together(all, size));
    }
};

// The method of one format.
template <Format format, bool maximum>
struct ExtremeScanOf {
    static constexpr ExtremeOrder order = ExtremeOrder::of(format, maximum);
    static constexpr bool is_greatest = !is_float(format) || maximum;  // of keys
    using Scan = ExtremeScan<size_of(format), is_float(format), is_greatest>;

    static constexpr Carry carry_of(typename Scan::Key key) {
        Carry carry;
        carry.integer = key;
        return carry;
    }
    static typename Scan::Key key_of(const Carry& carry) {
        return static_cast<typename Scan::Key>(carry.integer);
    }

    static Carry total(const void* x, std::size_t n) {
        return carry_of(Scan::line(order, Scan::identity, x, n, nullptr));
    }
    static void join(Carry& carry, const Carry& part) {
        if ((part.integer > carry.integer) == is_greatest) carry = part;
    }
    static std::size_t row(const Carry& carry, const Carry&, const void* x, std::size_t n, Format, void* out,
                           std::uint8_t*) {
        Scan::line(order, key_of(carry), x, n, out);
        return 0;
    }
    static std::size_t columns(void* tile, const ScanRows& rows) {
        Scan::columns(order, tile, rows);
        return 0;
    }
    static void lines(const ScanRows& rows) { Scan(order).lines(rows); }

    static constexpr ScanMethod method() {
        ScanMethod m{carry_of(Scan::identity), total, join, row, Scan::init, columns};
        m.whole_lines = lines;
        m.takes_tall = true;
        return m;
    }
};

template <std::size_t... i>
constexpr ExtremeScanMethods all_extreme_scans(std::index_sequence<i...>) {
    return {{{ExtremeScanOf<static_cast<Format>(i), false>::method(),
              ExtremeScanOf<static_cast<Format>(i), true>::method()}...}};
}

extern const ExtremeScanMethods extreme_scans;
const ExtremeScanMethods extreme_scans = all_extreme_scans(std::make_index_sequence<format_count>{});

}  // namespace samesum::SAMESUM_ISA
