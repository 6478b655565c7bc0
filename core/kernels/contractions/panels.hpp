// Panels of operands: term after term, rows side by side.
#pragma once

#include <iterator>
#include <type_traits>

#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/transpose.hpp"
#include "methods/contraction_method.hpp"

namespace samesum::SAMESUM_ISA {

// The loads of a format that float32 holds.
template <Format format>
using Narrow = std::conditional_t<format == Format::f16, Float16,
                                  std::conditional_t<format == Format::bf16, Bfloat16, Float32>>;

// How elements of a format become numbers of a panel, one or `width` at a time.
template <class To, class F>
struct FloatsTo {
    static constexpr std::size_t size = F::size, together = width;
    static SAMESUM_INLINE To one(const char* p) {
        if constexpr (F::format == Format::f32) return static_cast<To>(load<float>(p));
        if constexpr (F::format == Format::f64) return static_cast<To>(load<double>(p));
        char padded[width * F::size];
        pad<F>(p, 1, padded);
        return static_cast<To>(F::doubles(padded)[0]);
    }
    using Vector = std::conditional_t<sizeof(To) == 8, Doubles, Floats>;
    static SAMESUM_INLINE Vector vector(const char* p) {
        if constexpr (sizeof(To) == 8)
            return F::doubles(p);
        else
            return F::floats(p);
    }
    static SAMESUM_INLINE void some(const char* p, To* to) { store(to, vector(p)); }
};

template <class To, class From>
struct IntegersTo {
    static constexpr std::size_t size = sizeof(From), together = 1;
    static SAMESUM_INLINE To one(const char* p) { return static_cast<To>(load<From>(p)); }
    static SAMESUM_INLINE void some(const char* p, To* to) { *to = one(p); }
};

// Rows whose terms are neighbours: squares of them are transposed in registers.
template <std::size_t panel, class To, class Elements>
void pack_transposed(const OperandPart& part, To* place) {
    using V = typename Elements::Vector;
    const std::size_t n = part.row_count, terms = part.term_count;
    const char* row[(panel + width - 1) / width * width];
    for (std::size_t r = 0; r < std::size(row); ++r)
        row[r] = part.data + part.rows[r < n ? r : n - 1] + part.terms[0];
    std::size_t k = 0;
    for (; k + width <= terms; k += width, place += width * panel) {
        for_each_of<(panel + width - 1) / width>([&](std::size_t group) SAMESUM_INLINED {
            const std::size_t r = group * width;
            V square[width];
            for (std::size_t i = 0; i < width; ++i)
                square[i] = Elements::vector(row[r + i] + k * Elements::size);
            Square<V>::transpose(square);
            for (std::size_t i = 0; i < width; ++i)
                __builtin_memcpy(place + i * panel + r, square + i,
                                 (panel - r < width ? panel - r : width) * sizeof(To));
        });
    }
    for (; k < terms; ++k, place += panel)
        for (std::size_t r = 0; r < panel; ++r) place[r] = Elements::one(row[r] + k * Elements::size);
}

template <std::size_t panel, class To, class Elements>
void pack_panel(const OperandPart& part, void* to) {
    To* place = static_cast<To*>(to);
    const std::size_t n = part.row_count, terms = part.term_count;
    const auto ends_run = [&](std::size_t r) {
        return part.rows[r] - part.rows[r - 1] != static_cast<std::int64_t>(Elements::size);
    };
    struct {
        std::size_t first, end;
    } runs[panel];
    std::size_t count = 0;
    for (std::size_t r = 0; r < n; ++r) {
        if (r == 0 || ends_run(r)) runs[count++] = {r, r};
        runs[count - 1].end = r + 1;
    }
    if constexpr (Elements::together > 1)
        if (count > 1 && are_neighbours(part.terms, terms, Elements::size))
            return pack_transposed<panel, To, Elements>(part, place);
    for (std::size_t k = 0; k < terms; ++k, place += panel) {
        const char* const p = part.data + part.terms[k];
        if (count == 1 && n == panel) {
            const char* const q = p + part.rows[0];
            constexpr std::size_t whole = panel / Elements::together * Elements::together;
            for (std::size_t r = 0; r < whole; r += Elements::together)
                Elements::some(q + r * Elements::size, place + r);
            for (std::size_t r = whole; r < panel; ++r) place[r] = Elements::one(q + r * Elements::size);
            continue;
        }
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t r = runs[i].first;
            const char* q = p + part.rows[r];
            for (; r + Elements::together <= runs[i].end;
                 r += Elements::together, q += Elements::together * Elements::size)
                Elements::some(q, place + r);
            for (; r < runs[i].end; ++r, q += Elements::size) place[r] = Elements::one(q);
        }
        for (std::size_t r = n; r < panel; ++r) place[r] = To{};
    }
}

template <std::size_t panel, class To>
void pack_floats(const OperandPart& part, void* to) {
    in_format_within<Format::f32>(
        part.format, [&]<Format format>() { pack_panel<panel, To, FloatsTo<To, Narrow<format>>>(part, to); });
}

template <std::size_t panel, class To>
void pack_integers(const OperandPart& part, void* to) {
    const auto pack = [&]<class From>(From) { pack_panel<panel, To, IntegersTo<To, From>>(part, to); };
    switch (part.format) {
        case Format::i8:
            return pack(std::int8_t{});
        case Format::i16:
            return pack(std::int16_t{});
        case Format::i32:
            return pack(std::int32_t{});
        case Format::i64:
            return pack(std::int64_t{});
        case Format::u8:
            return pack(std::uint8_t{});
        case Format::u16:
            return pack(std::uint16_t{});
        case Format::u32:
            return pack(std::uint32_t{});
        default:
            return pack(std::uint64_t{});
    }
}

// The terms of one row.
template <class To, class F>
void gather_row(const OperandPart& part, To* to) {
    using Elements = FloatsTo<To, F>;
    const char* const p = part.data + part.rows[0];
    const std::size_t n = part.term_count;
    std::size_t k = 0;
    if (n == 0) return;
    if (part.terms[n - 1] == part.terms[0] && n > 1 && part.terms[1] == part.terms[0]) {
        const To first = Elements::one(p + part.terms[0]);
        while (k < n && part.terms[k] == part.terms[0]) to[k++] = first;
    } else if (are_neighbours(part.terms, n, F::size)) {
        for (; k + width <= n; k += width) Elements::some(p + part.terms[k], to + k);
    }
    for (; k < n; ++k) to[k] = Elements::one(p + part.terms[k]);
}

inline void gather_terms(const OperandPart& part, Format to_format, void* to) {
    const auto run = [&]<class To, class F>(To, F) { gather_row<To, F>(part, static_cast<To*>(to)); };
    const bool wide = to_format == Format::f64;
    switch (part.format) {
        case Format::f16:
            return wide ? run(double{}, Float16{}) : run(float{}, Float16{});
        case Format::bf16:
            return wide ? run(double{}, Bfloat16{}) : run(float{}, Bfloat16{});
        case Format::f32:
            return wide ? run(double{}, Float32{}) : run(float{}, Float32{});
        default:
            return run(double{}, Float64{});
    }
}

}  // namespace samesum::SAMESUM_ISA
