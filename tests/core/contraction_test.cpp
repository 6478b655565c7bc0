// Products of small whole numbers, whose sums are known, in every way that strips are cut: a run under
// sanitizers sees what is read and written beyond the operands and the memory of tiles.
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.hpp"
#include "contractions/windows.hpp"

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

TEST_CASE("convolutions touch nothing but their elements, however windows lie") {
    // Results, channels, height, width, taps along both axes, stride and zeros before and after.
    constexpr std::int64_t cases[][7] = {{1, 1, 5, 9, 3, 1, 1},   {3, 2, 4, 21, 2, 2, 0},
                                         {5, 1, 3, 33, 5, 3, 2},  {17, 6, 7, 28, 3, 1, 1},
                                         {16, 6, 9, 24, 3, 1, 0}, {18, 4, 6, 31, 5, 1, 2}};
    for (const auto& [results, channels, height, width, taps, stride, pad] : cases) {
        const auto number = [](std::int64_t i) { return static_cast<float>(7 * i % 11 - 5); };
        const std::int64_t rows = (height + 2 * pad - taps) / stride + 1,
                           columns = (width + 2 * pad - taps) / stride + 1, size = channels * taps * taps;
        std::vector<float> x, weights, out(static_cast<std::size_t>(results * rows * columns));
        for (std::int64_t i = 0; i < channels * height * width; ++i) x.push_back(number(i));
        for (std::int64_t i = 0; i < results * size; ++i) weights.push_back(number(3 * i));
        const auto steps = [](std::int64_t n, std::int64_t step) {
            std::vector<std::int64_t> places;
            for (std::int64_t i = 0; i < n; ++i) places.push_back(4 * i * step);
            return places;
        };
        Contraction call;
        call.a = {reinterpret_cast<const char*>(weights.data()),
                  {0},
                  steps(results, size),
                  steps(size, 1),
                  Format::f32};
        call.out = {reinterpret_cast<const char*>(out.data()),
                    {0},
                    steps(results, rows * columns),
                    steps(rows * columns, 1),
                    Format::f32};
        const std::int64_t shape[] = {1, 1, channels, height, width},
                           strides[] = {0, 0, 4 * height * width, 4 * width, 4};
        convolve(call, {reinterpret_cast<const char*>(x.data()), 5, shape, strides, Format::f32, false},
                 {{-pad, stride, 1, rows, taps}, {-pad, stride, 1, columns, taps}});
        std::size_t wrong = 0;
        for (std::int64_t at = 0; at < results * rows * columns; ++at) {
            const std::int64_t r = at / (rows * columns), i = at / columns % rows, j = at % columns;
            float sum = 0;
            for (std::int64_t k = 0; k < size; ++k) {
                const std::int64_t y = i * stride - pad + k / taps % taps, z = j * stride - pad + k % taps;
                if (y < 0 || y >= height || z < 0 || z >= width) continue;
                const std::int64_t place = (k / (taps * taps) * height + y) * width + z;
                sum += weights[static_cast<std::size_t>(r * size + k)] * x[static_cast<std::size_t>(place)];
            }
            wrong += out[static_cast<std::size_t>(at)] != sum;
        }
        CHECK_MESSAGE(wrong == 0, results, " results of ", channels, " channels ", height, " x ", width);
    }
}
