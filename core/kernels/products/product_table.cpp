// Products: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/integers/modular_product.hpp"
#include "kernels/product_scans/product_scan.hpp"
#include "kernels/products/product.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

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
