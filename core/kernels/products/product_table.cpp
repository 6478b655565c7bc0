// Products: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/integers/modular_totals.hpp"
#include "kernels/product_scans/product_scan.hpp"
#include "kernels/products/product.hpp"
#include "kernels/scans/widened_scan.hpp"
#include "methods/method.hpp"
#include "methods/scan_method.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

// Products of integers modulo 2^k and their prefixes, in plain loops.

// The low bits of a product come from those of its factors alone: 64 bits serve all results.
template <class Integer>
struct ModularProduct {
    static constexpr std::size_t size = sizeof(Integer);

    static std::uint64_t* products(void* tile) { return static_cast<std::uint64_t*>(tile); }

    static SAMESUM_INLINE std::uint64_t element(const char* p, std::size_t i) {
        return static_cast<std::uint64_t>(load<Integer>(p + i * size));
    }

    static std::uint64_t product_of(const char* p, std::size_t n) {
        constexpr std::size_t step = 4 * width;
        std::uint64_t part[step], product = 1;
        for (std::uint64_t& factor : part) factor = 1;
        for (; n >= step; n -= step, p += step * size) {
            prefetch_run<step * size>(p);
            for (std::size_t k = 0; k < step; ++k) part[k] *= element(p, k);
        }
        for (const std::uint64_t factor : part) product *= factor;
        for (std::size_t k = 0; k < n; ++k) product *= element(p, k);
        return product;
    }

    static SAMESUM_INLINE void multiply(std::uint64_t* products, const char* p, std::size_t n) {
#pragma GCC ivdep
        for (std::size_t j = 0; j < n; ++j) products[j] *= element(p, j);
    }

    static void init(void* tile, std::size_t n) {
        for (std::size_t j = 0; j < n; ++j) products(tile)[j] = 1;
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        products(tile)[j] *= product_of(static_cast<const char*>(x), n);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows; ++r, p += row_stride) multiply(products(tile), p, n);
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        products(tile)[j] *= static_cast<const std::uint64_t*>(from)[i];
    }

    static Carry total(const void* x, std::size_t n) {
        Carry carry;
        carry.integer = product_of(static_cast<const char*>(x), n);
        return carry;
    }

    static void join(Carry& carry, const Carry& part) {
        carry.integer = static_cast<std::uint64_t>(carry.integer) * static_cast<std::uint64_t>(part.integer);
    }

    static std::size_t row(const Carry& carry, const Carry&, const void* x, std::size_t n, Format format,
                           void* out, std::uint8_t*) {
        std::uint64_t prefixes[scan_elements], product = static_cast<std::uint64_t>(carry.integer);
        for (std::size_t i = 0; i < n; ++i) prefixes[i] = product *= element(static_cast<const char*>(x), i);
        put_low_bytes(prefixes, n, static_cast<char*>(out), size_of(format));
        return 0;
    }

    static std::size_t scan_row(void* tile, const void* x, std::size_t n, std::size_t, Format format,
                                void* out, std::uint8_t*) {
        multiply(products(tile), static_cast<const char*>(x), n);
        put_low_bytes(products(tile), n, static_cast<char*>(out), size_of(format));
        return 0;
    }

    static constexpr Method method() {
        return {tile_columns,      init,
                each_lane<lane>,   columns,
                each_merge<merge>, ModularTotals<std::uint64_t>::finish};
    }

    static constexpr ScanMethod scan() {
        Carry one;
        one.integer = 1;
        return {one, total, join, row, init, each_row<scan_row>};
    }
};

template <class... Integers>
constexpr void fill_modular(ProductMethods& m) {
    std::size_t i = 0;
    ((m.modular[i] = ModularProduct<Integers>::method(),
      m.scan_modular[i++] = ModularProduct<Integers>::scan()),
     ...);
}

template <class F>
constexpr void fill_real(ProductMethods& m) {
    m.real[static_cast<std::size_t>(F::format)] = RealProduct<F>::method();
    m.triple[static_cast<std::size_t>(F::format)] = TripleProduct<F>::lanes;
}

constexpr ProductMethods all_products() {
    ProductMethods m{};
    fill_real<Float16>(m);
    fill_real<Bfloat16>(m);
    fill_real<Float32>(m);
    fill_real<Float64>(m);
    fill_scans<RealProductScan>(m.scan_real);
    fill_modular<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                 std::uint32_t, std::uint64_t>(m);
    return m;
}

extern const ProductMethods products;
const ProductMethods products = all_products();

}  // namespace samesum::SAMESUM_ISA
