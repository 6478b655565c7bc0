// Calls that use threads give the bits of one thread; for the sanitizers, on large arrays.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "check.hpp"
#include "kernels/instruction_set.hpp"
#include "run/normalize/normalize.hpp"
#include "run/reduce/reduce.hpp"
#include "run/scans/scan.hpp"
#include "threads/pool.hpp"

namespace {

using namespace samesum;

struct Matrix {
    std::int64_t shape[2], strides[2];
    std::vector<float> x;

    Matrix(std::int64_t rows, std::int64_t columns)
        : shape{rows, columns}, strides{columns * 4, 4}, x(static_cast<std::size_t>(rows * columns)) {
        std::mt19937 random(static_cast<unsigned>(rows));
        // Of very different sizes, so that the order of additions would show.
        for (float& each : x)
            each = std::ldexp(static_cast<float>(static_cast<int>(random())),
                              static_cast<int>(random() % 40) - 50);
    }
    View view() const {
        return {reinterpret_cast<const char*>(x.data()), 2, shape, strides, Format::f32, false};
    }
};

// The bytes of what work(out) writes, by one thread and by several, are the same.
template <class Work>
void compare(std::size_t bytes, const Work& work) {
    std::vector<char> one(bytes), several(bytes);
    const int before = thread_count();
    set_thread_count(1);
    work(one.data());
    set_thread_count(4);
    for (int call = 0; call < 3; ++call) {
        std::memset(several.data(), 0, bytes);
        work(several.data());
        REQUIRE(one == several);
    }
    set_thread_count(before);
}

const Matrix& matrix(int which) {
    static const Matrix all[] = {{1, 300007}, {300, 1001}, {1001, 300}, {37000, 8}, {8, 37000}};
    return all[which];
}

constexpr int matrices = 5;

TEST_CASE("reductions") {
    constexpr Reduction rows[] = {{Map::itself, Combine::sum, Finalize::itself, false},
                                  {Map::square, Combine::sum, Finalize::root, false},
                                  {Map::itself, Combine::product, Finalize::itself, false},
                                  {Map::itself, Combine::maximum, Finalize::itself, false},
                                  {Map::exponential, Combine::sum, Finalize::logarithm, false}};
    for (int which = 0; which < matrices; ++which)
        for (const Reduction& row : rows)
            for (int axes = 1; axes < 4; ++axes) {
                const Matrix& x = matrix(which);
                const bool reduced[] = {(axes & 1) != 0, (axes & 2) != 0};
                const std::int64_t outputs = (reduced[0] ? 1 : x.shape[0]) * (reduced[1] ? 1 : x.shape[1]);
                CAPTURE(which);
                CAPTURE(axes);
                compare(static_cast<std::size_t>(outputs) * 4,
                        [&](char* out) { reduce(x.view(), reduced, row, Format::f32, out); });
            }
}

TEST_CASE("scans and softmax") {
    for (int which = 0; which < matrices; ++which)
        for (int axis = 0; axis < 2; ++axis) {
            const Matrix& x = matrix(which);
            const std::size_t bytes = x.x.size() * 4;
            CAPTURE(which);
            CAPTURE(axis);
            for (const Combine combine : {Combine::sum, Combine::product})
                compare(bytes, [&](char* out) {
                    scan(combine, x.view(), axis, {false, false, false}, Format::f32, out);
                });
            compare(bytes, [&](char* out) { normalize(x.view(), axis, Normalization::softmax, out); });
        }
}

TEST_CASE("every instruction set of this machine gives the same bits") {
    const char* const before = current_instruction_set().name;
    const Matrix& x = matrix(1);
    const bool reduced[] = {false, true};
    const auto sums = [&] {
        std::vector<char> out(300 * 4);
        reduce(x.view(), reduced, {Map::itself, Combine::sum, Finalize::itself, false}, Format::f32,
               out.data());
        return out;
    };
    const std::vector<char> wanted = sums();
    int sets = 0;
    for (std::size_t i = 0; i < instruction_set_count; ++i) {
        if (!select_instruction_set(instruction_sets[i].name)) continue;
        ++sets;
        REQUIRE(sums() == wanted);
    }
    REQUIRE(sets >= 1);
    REQUIRE(select_instruction_set(before));
}

}  // namespace
