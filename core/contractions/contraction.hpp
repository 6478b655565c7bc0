// Products of two arrays: sums of products over some dimensions, each result rounded once.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/format.hpp"

namespace samesum {

// An array by the places of its elements: at data + batch[g] + outer[i] + inner[j], in bytes.
struct ContractionOperand {
    const char* data = nullptr;
    std::vector<std::int64_t> batch, outer, inner;
    Format format = Format::f32;
};

// out[g, m, n] = alpha * (sum over k of a[g, m, k] * b[g, n, k]) + beta * c[g, m, n], in whole or real
// numbers, rounded once; of integers modulo 2^bits of the result, where alpha is 1 and beta 0 or 1. Places of
// the result are those of `out`, whose data nothing else may share.
struct Contraction {
    ContractionOperand a, b, c, out;  // c has no data where beta is 0
    double alpha = 1, beta = 0;

    std::int64_t multiplications() const {
        const auto size = [](const std::vector<std::int64_t>& of) {
            return static_cast<std::int64_t>(of.size());
        };
        return size(out.batch) * size(out.outer) * size(out.inner) * size(a.inner);
    }
};

void contract(Contraction& call);

}  // namespace samesum
