// The plan of a call says how elements come to its loops: it is made from the layout alone, and is read here.
#include "run/layouts/staging.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "check.hpp"
#include "elements.hpp"

namespace {

using namespace samesum;

struct Array {
    std::vector<std::int64_t> shape, strides;
    Format format = Format::f32;

    int rank() const { return static_cast<int>(shape.size()); }
    Elements elements() const {
        return {rank(), shape.data(), strides.data(), static_cast<std::int64_t>(size_of(format))};
    }
    View view(const Elements& elements) const {
        return {elements.first(), rank(), shape.data(), strides.data(), format, false};
    }
};

// In words.
std::string text(const Staging& staging) {
    const auto number = [](std::int64_t n) { return std::to_string(n); };
    const Groups& groups = staging.groups;
    const PackedLines& lines = staging.lines;
    switch (staging.load) {
        case Load::groups:
            return number(groups.count) + " groups of " + number(groups.rows) + " x " +
                   number(groups.columns) + ", " + number(groups.together()) + " transposed at a time";
        case Load::packed:
            return number(lines.count()) + " lines of " + number(lines.length()) + ", " +
                   number(lines.together()) + " copied at a time";
        case Load::direct:
            break;
    }
    return "as they lie";
}

std::string scanned(const Array& x, int axis) {
    const Elements elements = x.elements();
    const View view = x.view(elements);
    return text(stage_scan(Combine::sum, view, axis, x.format, nullptr));
}

std::string normalized(const Array& x, int axis) {
    const Elements elements = x.elements();
    const View view = x.view(elements);
    return text(stage_normalization(view, axis, nullptr));
}

TEST_CASE("matrices are taken as they lie") {
    const Array x{{1000, 300}, {1200, 4}};
    for (int axis = 0; axis < 2; ++axis) {
        CHECK(scanned(x, axis) == "as they lie");
        CHECK(normalized(x, axis) == "as they lie");
    }
}

TEST_CASE("small groups of few columns are transposed") {
    const Array x{{1000, 20, 3}, {240, 12, 4}};
    CHECK(scanned(x, 1) == "1000 groups of 20 x 3, 96 transposed at a time");
    CHECK(normalized(x, 1) == "1000 groups of 20 x 3, 96 transposed at a time");
    CHECK(scanned(x, 2) == "as they lie");
    const Array few{{10, 20, 3}, {240, 12, 4}}, wide{{1000, 20, 9}, {720, 36, 4}},
        high{{1000, 400, 3}, {4800, 12, 4}}, apart{{1000, 20, 3}, {480, 24, 8}};
    for (const Array& each : {few, wide, high, apart}) CHECK(normalized(each, 1) == "as they lie");
}

TEST_CASE("groups of float64 sums go as they lie sooner") {
    const Array x{{1000, 50, 5}, {1000, 20, 4}}, wide{{1000, 50, 5}, {2000, 40, 8}, Format::f64};
    CHECK(scanned(x, 1) == "1000 groups of 50 x 5, 24 transposed at a time");
    CHECK(scanned(wide, 1) == "as they lie");
}

TEST_CASE("short lines with gaps are copied") {
    const Array cut{{512, 10, 10}, {4096, 128, 4}}, second{{512, 10}, {80, 8}};
    CHECK(scanned(cut, 2) == "5120 lines of 10, 819 copied at a time");
    CHECK(normalized(cut, 2) == "5120 lines of 10, 819 copied at a time");
    CHECK(scanned(second, 1) == "512 lines of 10, 819 copied at a time");
    const Array few{{512, 5}, {40, 4}}, full{{512, 9}, {40, 4}};
    CHECK(scanned(few, 1) == "512 lines of 5, 1638 copied at a time");
    CHECK(scanned(full, 1) == "as they lie");
    const Array backwards{{512, 10}, {80, -8}}, longer{{512, 100}, {800, 8}};
    CHECK(scanned(backwards, 1) == "as they lie");
    CHECK(scanned(longer, 1) == "as they lie");
}

}  // namespace
