#include "run/exact_sums.hpp"

#include <algorithm>
#include <bit>

#include "exact/elements.hpp"
#include "exact/methods.hpp"
#include "kernels/instruction_set.hpp"

namespace samesum {

namespace {

template <class Total>
void add_exactly(Total& total, const char* x, std::size_t n, Format in) {
    if (!total.is_finite()) return add_elements(total, x, n, in);
    const std::size_t index = static_cast<std::size_t>(in);
    const Sum sum = current_instruction_set().scans->real[index][index].total(x, n).sum;
    if (sum.bound == 0 && magnitude(sum.hi) < __builtin_huge_val()) {
        add_double(total, sum.hi);
        add_double(total, sum.lo);
        return;
    }
    add_elements(total, x, n, in);
}

template <Format format>
struct ExactSums {
    static constexpr std::size_t size = size_of(format);
    // Columns that are untangled together, and from one to the next of them, in elements.
    static constexpr std::size_t together = 8, pitch = scan_elements + 8;

    static Superaccumulator* states(void* tile) { return static_cast<Superaccumulator*>(tile); }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        const char* p = static_cast<const char*>(x);
        for (std::size_t i = 0; i < n; i += scan_elements)
            add_block(states(tile)[j], p + i * size, std::min(scan_elements, n - i), format);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        const char* p = static_cast<const char*>(x);
        const bool is_whole = reinterpret_cast<std::uintptr_t>(p) % size == 0 &&
                              row_stride % static_cast<std::ptrdiff_t>(size) == 0;
        if (rows < few_rows || !is_whole)
            return exact_method(format, Map::itself).columns(tile, x, row_stride, rows, n);
        for (std::size_t r = 0; r < rows; r += scan_elements) {
            const char* row = p + static_cast<std::ptrdiff_t>(r) * row_stride;
            add_rows(tile, row, row_stride, std::min(scan_elements, rows - r), n);
        }
    }

    static void add_rows(void* tile, const char* p, std::ptrdiff_t row_stride, std::size_t rows,
                         std::size_t n) {
        const auto untangle = current_instruction_set().untangling->any[std::countr_zero(size)];
        alignas(64) char runs[together * pitch * size];
        for (std::size_t j = 0; j < n; j += together) {
            const std::size_t now = std::min(together, n - j);
            untangle(p + j * size, row_stride / static_cast<std::ptrdiff_t>(size), now, rows, runs, pitch);
            for (std::size_t k = 0; k < now; ++k)
                add_block(states(tile)[j + k], runs + k * pitch * size, rows, format);
        }
    }

    static Method method() {
        Method m = exact_method(format, Map::itself);
        m.lanes = each_lane<lane>;
        m.columns = columns;
        return m;
    }

  private:
    static constexpr std::size_t few_rows = 16;
};

}  // namespace

void add_block(Superaccumulator& total, const char* x, std::size_t n, Format in) {
    add_exactly(total, x, n, in);
}

void add_block(RunningTotal& total, const char* x, std::size_t n, Format in) { add_exactly(total, x, n, in); }

const Method& exact_sum_method(Format in) {
    static const Method methods[] = {ExactSums<Format::f16>::method(), ExactSums<Format::bf16>::method(),
                                     ExactSums<Format::f32>::method(), ExactSums<Format::f64>::method()};
    return methods[static_cast<std::size_t>(in)];
}

}  // namespace samesum
