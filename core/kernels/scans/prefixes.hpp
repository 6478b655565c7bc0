// Vectors of elements of a scan in, vectors of prefixes out, also where less than a vector is left.
#pragma once

#include "kernels/accumulators/factors.hpp"
#include "kernels/certify/certify.hpp"
#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/partial.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

template <Format format>
SAMESUM_APART void store_some_prefixes(char* p, std::size_t n, typename Rounding<format>::Bits bits) {
    char last[width * size_of(format)];
    Rounding<format>::store_to(last, 0, bits);
    std::memcpy(p, last, n * size_of(format));
}

// Writes the first n elements of a vector.
template <Format format>
SAMESUM_INLINE void store_prefixes(void* out, std::size_t i, std::size_t n,
                                   typename Rounding<format>::Bits bits) {
    if (n >= width) return Rounding<format>::store_to(out, i, bits);
    char* p = static_cast<char*>(out) + i * size_of(format);
    if constexpr (vector_bytes == 64 && sizeof bits == width * size_of(format))
        store_first(p, bits, n);
    else
        store_some_prefixes<format>(p, n, bits);
}

// Fewer elements than a vector has, and zeros after them.
template <class F>
SAMESUM_APART Doubles some_elements(const char* p, std::size_t n) {
    return first_doubles<F>(p, n);
}

// A vector of elements, zeros if there are fewer.
template <class F>
SAMESUM_INLINE Doubles elements(const char* p, std::size_t n) {
    return n >= width ? F::doubles(p) : some_elements<F>(p, n);
}

// The same of a format narrower than double.
template <class F>
SAMESUM_APART Floats some_floats(const char* p, std::size_t n) {
    return first_floats<F>(p, n);
}

// Rows of a strip of `width` columns, or of fewer if it is not whole, filled up with zeros or with ones;
// `known` rows, or any number if zero.
template <class F, Format format, bool whole, std::size_t known, bool ones = false>
struct StripRows {
    const char* const x;
    char* const out;
    const std::ptrdiff_t in, to;
    const std::size_t left, number, depth;

    SAMESUM_INLINE StripRows(const ScanRows& all, std::size_t j)
        : x(all.x + j * F::size),
          out(all.out + j * size_of(format)),
          in(all.in),
          to(all.to),
          left(all.n - j),
          number(all.rows),
          depth(all.depth) {}
    SAMESUM_INLINE StripRows(const char* x, char* out, std::ptrdiff_t in, std::ptrdiff_t to, std::size_t left,
                             std::size_t number, std::size_t depth)
        : x(x), out(out), in(in), to(to), left(left), number(number), depth(depth) {}
    SAMESUM_INLINE std::size_t count() const { return known > 0 ? known : number; }
    SAMESUM_INLINE Doubles at(std::size_t r) const {
        const char* p = row(r);
        if (whole || left >= width) return F::doubles(p);
        return ones ? padded_with_ones<F>(p, left) : elements<F>(p, left);
    }
    // Of a format narrower than double.
    SAMESUM_INLINE Floats floats(std::size_t r) const {
        return whole || left >= width ? F::floats(row(r)) : some_floats<F>(row(r), left);
    }
    SAMESUM_INLINE void put(std::size_t r, typename Rounding<format>::Bits bits) const {
        char* p = out + static_cast<std::ptrdiff_t>(r) * to;
        store_prefixes<format>(p, 0, whole ? width : left, bits);
    }
    // Where neither need be known.
    SAMESUM_INLINE StripRows<F, format, false, 0, ones> any() const {
        return {x, out, in, to, left, count(), depth};
    }

  private:
    SAMESUM_INLINE const char* row(std::size_t r) const { return x + static_cast<std::ptrdiff_t>(r) * in; }
};

// More rows than scan_rows of whole strips, which ask for those that come.
template <class F, Format format>
struct TallRows : StripRows<F, format, true, 0> {
    using Rows = StripRows<F, format, true, 0>;
    const std::ptrdiff_t next_in, next_out;

    SAMESUM_INLINE TallRows(const ScanRows& all, std::size_t j)
        : Rows(all, j),
          next_in(static_cast<std::ptrdiff_t>(rows_prefetch_distance / (all.n * F::size)) * all.in),
          next_out(static_cast<std::ptrdiff_t>(rows_prefetch_distance / (all.n * F::size)) * all.to) {}
    SAMESUM_INLINE void put(std::size_t r, typename Rounding<format>::Bits bits) const {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(r);
        __builtin_prefetch(this->x + at * this->in + next_in);
        __builtin_prefetch(this->out + at * this->to + next_out, 1);
        Rows::put(r, bits);
    }
};

// What is not finite among these sums is the result.
inline std::size_t accept_special(const double* sums, std::size_t n, Format format, void* out,
                                  std::uint8_t* failed) {
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (!failed[i] || samesum::magnitude(sums[i]) < infinity) continue;
        store_bits(out, i, round_bits(sums[i], format), size_of(format));
        failed[i] = 0;
        ++accepted;
    }
    return accepted;
}

}  // namespace samesum::SAMESUM_ISA
