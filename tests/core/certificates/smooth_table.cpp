// The certificates of further functions of each element, compiled as table.cpp is.
#include "certificates/certificates.hpp"
#include "kernels/elementwise/circular_functions.hpp"
#include "kernels/elementwise/error_functions.hpp"
#include "kernels/elementwise/smooth_functions.hpp"

namespace samesum::SAMESUM_ISA {

// What is known before anything is rounded, for the tests of the bounds.
template <class Function>
static BoundedWord known(SmoothStep step, Doubles x) {
    const Doubles none = {};
    if constexpr (Function::has_close) {
        if (step == SmoothStep::close) {
            const BoundedWord found = Function::close(x);
            return {chosen(x < 0, negative(found.y), found.y), found.bound};
        }
    }
    if (step == SmoothStep::quick) return {{quick_of_one<Function>(x), none}, none};
    return {Function::precise(x), none};
}

template <class Function>
static void certify(SmoothStep step, const Table& x, const Table& to) {
    for (std::size_t j = 0; j < to.n; j += width) {
        const BoundedWord found = known<Function>(step, load<Doubles>(x.row(0) + j));
        store(to.row(0) + j, found.y.hi);
        store(to.row(1) + j, found.y.lo);
        store(to.row(2) + j, found.bound);
    }
}

void certify_smooth(Unary function, SmoothStep step, const Table& x, const Table& to);
void certify_smooth(Unary function, SmoothStep step, const Table& x, const Table& to) {
    constexpr void (*of[])(SmoothStep, const Table&, const Table&) = {
        certify<SigmoidFunction>,     certify<TanhFunction>,       certify<ErfFunction>,
        certify<GeluFunction>,        certify<GeluTanhFunction>,   certify<SoftplusFunction>,
        certify<CircularFunction<0>>, certify<CircularFunction<1>>};
    of[static_cast<std::size_t>(function) - first_smooth](step, x, to);
}

}  // namespace samesum::SAMESUM_ISA
