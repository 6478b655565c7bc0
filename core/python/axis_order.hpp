// In which order of the axes the elements of an array lie. Included by outputs.hpp and
// outputs.hpp.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "python/arrays.hpp"

namespace samesum::python {

// The axes of an array from the one with the longest strides to the one with the shortest; as they are where
// elements share their memory.
class AxisOrder {
  public:
    explicit AxisOrder(int rank) : rank_(rank) { std::iota(axis_, axis_ + rank, 0); }

    static AxisOrder of(PyArrayObject* array) {
        AxisOrder order(PyArray_NDIM(array));
        const npy_intp *strides = PyArray_STRIDES(array), *shape = PyArray_DIMS(array);
        for (int i = 0; i < order.rank_; ++i)
            if (strides[i] == 0 && shape[i] > 1) return order;
        const auto longer = [&](int a, int b) { return std::abs(strides[a]) > std::abs(strides[b]); };
        // Axes of one element keep their places among the others.
        int long_axes[max_rank], count = 0;
        for (int i = 0; i < order.rank_; ++i)
            if (shape[i] != 1) long_axes[count++] = i;
        int sorted[max_rank];
        std::copy(long_axes, long_axes + count, sorted);
        std::stable_sort(sorted, sorted + count, longer);
        for (int k = 0; k < count; ++k) order.axis_[long_axes[k]] = sorted[k];
        return order;
    }

    // The elements lie side by side in this order.
    bool is_dense(PyArrayObject* array) const {
        npy_intp step = PyArray_ITEMSIZE(array);
        for (int k = rank_ - 1; k >= 0; --k) {
            const npy_intp n = PyArray_DIM(array, axis_[k]);
            if (n != 1 && PyArray_STRIDE(array, axis_[k]) != step) return false;
            step *= n;
        }
        return true;
    }

    // What lies along one axis ends before the next element along the axes before it begins: no two elements
    // share memory.
    bool is_nested(PyArrayObject* array) const {
        if (PyArray_SIZE(array) == 0) return true;
        npy_intp reach = PyArray_ITEMSIZE(array);
        for (int k = rank_ - 1; k >= 0; --k) {
            const npy_intp n = PyArray_DIM(array, axis_[k]), step = std::abs(PyArray_STRIDE(array, axis_[k]));
            if (n == 1) continue;
            if (step < reach) return false;
            reach += (n - 1) * step;
        }
        return true;
    }

    // Strides of an array of this shape that is dense in this order.
    void fill(const npy_intp* shape, npy_intp step, npy_intp* strides) const {
        for (int k = rank_ - 1; k >= 0; --k) {
            strides[axis_[k]] = step;
            step *= shape[axis_[k]];
        }
    }

    int place_of(int axis) const { return static_cast<int>(std::find(axis_, axis_ + rank_, axis) - axis_); }

    // The same elements with the axes in this order; `room` holds the new shape and strides.
    View applied_to(const View& view, std::int64_t (&room)[2 * max_rank]) const {
        for (int k = 0; k < rank_; ++k) {
            room[k] = view.shape[axis_[k]];
            room[max_rank + k] = view.strides[axis_[k]];
        }
        return {view.data, view.rank, room, room + max_rank, view.format, view.swapped};
    }

  private:
    int rank_;
    int axis_[max_rank];
};

}  // namespace samesum::python
