// Succeeds where a product and a sum are rounded one by one: the error bounds are those of two operations.
#include <cfloat>

#if defined(__FAST_MATH__)
#error "samesum cannot be compiled with -ffast-math or -Ofast: its results would not be exact"
#endif
static_assert(FLT_EVAL_METHOD == 0, "float and double have to be computed in their own precision");

using Pair = double __attribute__((vector_size(16)));

// One function each, so that what an instruction set has can be looked up in them.
extern "C" double product_less(double a, double b, double c) { return a * b - c; }
extern "C" void products_less(Pair* a, const Pair* b, const Pair* c) { *a = *a * *b - *c; }

int main(int argc, char**) {
    // (1 + 2^-30)^2 is 1 + 2^-29 + 2^-60, of which the last term is rounded off.
    const double x = 1 + argc * 0x1p-30, rounded = 1 + argc * 0x1p-29;
    Pair pair = {x, x};
    const Pair factor = {x, x}, less = {rounded, rounded};
    products_less(&pair, &factor, &less);
    return product_less(x, x, rounded) != 0 || pair[0] != 0 || pair[1] != 0;
}
