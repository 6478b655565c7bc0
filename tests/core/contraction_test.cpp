// Products of small whole numbers, whose sums are known, in every way that strips are cut: a run under
// sanitizers sees what is read and written beyond the operands and the memory of tiles.
#include "contractions/contraction.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

#include "check.hpp"

namespace {

using namespace samesum;

// Float32 numbers (row, column), in memory that holds nothing else, and what each place is.
struct Numbers {
    std::vector<float> elements;
    std::vector<std::int64_t> rows, columns;

    // Runs of columns that lie `gap` elements apart; or the terms of each column side by side.
    Numbers(std::size_t m, std::size_t n, std::size_t run, std::size_t gap, bool turned) {
        const std::size_t pitch = n + n / run * gap;
        for (std::size_t i = 0; i < m; ++i)
            rows.push_back(static_cast<std::int64_t>(4 * i * (turned ? 1 : pitch)));
        for (std::size_t j = 0; j < n; ++j)
            columns.push_back(static_cast<std::int64_t>(4 * (turned ? j * m : j + j / run * gap)));
        elements.assign(static_cast<std::size_t>(rows.back() + columns.back()) / 4 + 1, 0);
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) at(i, j) = static_cast<float>((7 * i + 5 * j) % 11) - 5;
    }
    float& at(std::size_t i, std::size_t j) {
        return elements[static_cast<std::size_t>(rows[i] + columns[j]) / 4];
    }
    const char* data() const { return reinterpret_cast<const char*>(elements.data()); }
};

}  // namespace

TEST_CASE("products touch nothing but their elements, however columns lie") {
    for (const std::size_t m : {1, 2, 3, 5, 17, 33}) {
        for (const auto& [run, n] :
             {std::pair<std::size_t, std::size_t>{3, 9}, {5, 120}, {8, 13}, {11, 24}, {24, 29}, {600, 600}}) {
            for (const std::size_t k : {1, 40, 133}) {
                for (const bool turned : {false, true}) {
                    Numbers a(m, k, k, 0, false), b(k, n, run, 3, turned), out(m, n, n, 0, false);
                    Contraction call;
                    call.a = {a.data(), {0}, a.rows, a.columns, Format::f32};
                    call.b = {b.data(), {0}, b.columns, b.rows, Format::f32};
                    call.out = {out.data(), {0}, out.rows, out.columns, Format::f32};
                    contract(call);
                    std::size_t wrong = 0;
                    for (std::size_t i = 0; i < m; ++i) {
                        for (std::size_t j = 0; j < n; ++j) {
                            float sum = 0;
                            for (std::size_t t = 0; t < k; ++t) sum += a.at(i, t) * b.at(t, j);
                            wrong += out.at(i, j) != sum;
                        }
                    }
                    CHECK_MESSAGE(wrong == 0, m, " x ", n, ", ", k, " terms, runs of ", run);
                }
            }
        }
    }
}
