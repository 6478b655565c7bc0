// Panels of operands: term after term, rows side by side.
#pragma once

#include <algorithm>

#include "kernels/vectors/float_formats.hpp"
#include "methods/contraction_method.hpp"

namespace samesum::SAMESUM_ISA {

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
    static SAMESUM_INLINE void some(const char* p, To* to) {
        if constexpr (sizeof(To) == 8)
            store(to, F::doubles(p));
        else
            store(to, F::floats(p));
    }
};

template <class To, class From>
struct IntegersTo {
    static constexpr std::size_t size = sizeof(From), together = 1;
    static SAMESUM_INLINE To one(const char* p) { return static_cast<To>(load<From>(p)); }
    static SAMESUM_INLINE void some(const char* p, To* to) { *to = one(p); }
};

SAMESUM_INLINE bool are_neighbours(const std::int64_t* offsets, std::size_t n, std::size_t size) {
    for (std::size_t i = 1; i < n; ++i)
        if (offsets[i] - offsets[0] != static_cast<std::int64_t>(i * size)) return false;
    return true;
}

template <std::size_t panel, class To, class Elements>
void pack_panel(const OperandPart& part, void* to) {
    To* place = static_cast<To*>(to);
    const std::size_t n = part.row_count, terms = part.term_count;
    if (n < panel) std::fill_n(place, panel * terms, To{});
    if (are_neighbours(part.rows, n, Elements::size)) {
        for (std::size_t k = 0; k < terms; ++k, place += panel) {
            const char* const p = part.data + part.rows[0] + part.terms[k];
            std::size_t r = 0;
            for (; r + Elements::together <= n; r += Elements::together)
                Elements::some(p + r * Elements::size, place + r);
            for (; r < n; ++r) place[r] = Elements::one(p + r * Elements::size);
        }
        return;
    }
    for (std::size_t r = 0; r < n; ++r) {
        const char* const p = part.data + part.rows[r];
        for (std::size_t k = 0; k < terms; ++k) place[k * panel + r] = Elements::one(p + part.terms[k]);
    }
}

template <std::size_t panel>
void pack_doubles(const OperandPart& part, void* to) {
    in_format_within<Format::f32>(part.format, [&]<Format format>() {
        using F = std::conditional_t<format == Format::f16, Float16,
                                     std::conditional_t<format == Format::bf16, Bfloat16, Float32>>;
        pack_panel<panel, double, FloatsTo<double, F>>(part, to);
    });
}

template <std::size_t panel>
void pack_floats(const OperandPart& part, void* to) {
    in_format_within<Format::f32>(part.format, [&]<Format format>() {
        using F = std::conditional_t<format == Format::f16, Float16,
                                     std::conditional_t<format == Format::bf16, Bfloat16, Float32>>;
        pack_panel<panel, float, FloatsTo<float, F>>(part, to);
    });
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
