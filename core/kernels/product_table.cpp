// Products: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/method.hpp"

namespace samesum::SAMESUM_ISA {

constexpr ProductMethods all_products() {
    ProductMethods m{};
    return m;
}

extern const ProductMethods products;
const ProductMethods products = all_products();

}  // namespace samesum::SAMESUM_ISA
