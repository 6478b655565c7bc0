// Where the core writes results that have the shape of an array, in the order of its elements. Included by
// what makes such results.
#pragma once

#include "python/axis_order.hpp"
#include "python/outputs.hpp"

namespace samesum::python {

// With axes in the order in which the elements of `x`, or those of `out`, lie.
class OrderedOutput : public Output {
  public:
    OrderedOutput(nb::handle out, const Input& x, Format format, npy_intp* shape) : order_(x.view.rank) {
        const int rank = x.view.rank;
        if (!out.is_none()) {
            PyArrayObject* to = take(out, format, rank, shape);
            const AxisOrder order = AxisOrder::of(to);
            if (PyArray_ISBEHAVED(to) && order.is_dense(to) && !overlap(to, x.array)) {
                memory_ = written_;
                order_ = order;
                return;
            }
            make(format, rank, shape, nullptr);
            return;
        }
        if (PyArray_IS_C_CONTIGUOUS(x.array)) {
            make(format, rank, shape, nullptr);
            return;
        }
        order_ = AxisOrder::of(x.array);
        npy_intp strides[max_rank];
        order_.fill(shape, static_cast<npy_intp>(size_of(format)), strides);
        make(format, rank, shape, strides);
    }

    const AxisOrder& order() const { return order_; }

  private:
    AxisOrder order_;
};

}  // namespace samesum::python
