// All dimensions of the sets of a plan, with the inner one in its place.
#pragma once

#include "layout/plan.hpp"

namespace samesum {

// From one set to the next.
inline Dims kept_dims(const Plan& plan) {
    Dims dims = plan.kept;
    if (plan.shape == Shape::columns) dims.push(plan.inner);
    return dims;
}

// From one element of a set to the next.
inline Dims reduced_dims(const Plan& plan) {
    Dims dims = plan.reduced;
    if (plan.shape == Shape::lanes) dims.push(plan.inner);
    return dims;
}

// Those of `more` within those of `dims`.
inline Dims joined(Dims dims, const Dims& more) {
    for (int i = 0; i < more.rank; ++i) dims.push(more.dim[i]);
    return dims;
}

}  // namespace samesum
