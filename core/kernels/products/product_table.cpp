// Products: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/integers/modular_scan.hpp"
#include "kernels/product_scans/product_scan.hpp"
#include "kernels/products/product.hpp"
#include "kernels/scans/widened_scan.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer, class Total>
constexpr void fill_modular(ProductMethods& m, Format format, std::size_t wide) {
    const std::size_t index = static_cast<std::size_t>(format) - static_cast<std::size_t>(Format::i8);
    m.modular[index][wide] = ModularProduct<BitsOfModular<Integer, Total>, Total>::method();
}

template <class Integer>
constexpr void fill_integer(ProductMethods& m, Format format) {
    fill_modular<Integer, std::make_unsigned_t<Integer>>(m, format, 0);
    fill_modular<Integer, std::uint64_t>(m, format, 1);
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
    fill_all_modular_scans<true>(m.scan_modular);
    fill_integer<std::int8_t>(m, Format::i8);
    fill_integer<std::int16_t>(m, Format::i16);
    fill_integer<std::int32_t>(m, Format::i32);
    fill_integer<std::int64_t>(m, Format::i64);
    fill_integer<std::uint8_t>(m, Format::u8);
    fill_integer<std::uint16_t>(m, Format::u16);
    fill_integer<std::uint32_t>(m, Format::u32);
    fill_integer<std::uint64_t>(m, Format::u64);
    return m;
}

extern const ProductMethods products;
const ProductMethods products = all_products();

}  // namespace samesum::SAMESUM_ISA
