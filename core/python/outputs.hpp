// Where the core writes, and in which order of the axes. Included by what makes results.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <numeric>
#include <utility>

#include "python/arrays.hpp"
#include "python/result_memory.hpp"

namespace samesum::python {

inline bool overlap(PyArrayObject* a, PyArrayObject* b) {
    const auto extent = [](PyArrayObject* array) {
        const char *low = PyArray_BYTES(array), *high = low + PyDataType_ELSIZE(PyArray_DESCR(array));
        for (int i = 0; i < PyArray_NDIM(array); ++i) {
            const npy_intp reach = (PyArray_DIM(array, i) - 1) * PyArray_STRIDE(array, i);
            (reach < 0 ? low : high) += reach;
        }
        return std::pair(low, high);
    };
    if (PyArray_SIZE(a) == 0 || PyArray_SIZE(b) == 0) return false;
    const auto [a_low, a_high] = extent(a);
    const auto [b_low, b_high] = extent(b);
    return a_low < b_high && b_low < a_high;
}

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

// The scalar of NumPy with the value at `data`; `base` is the array that it lies in, which only types of
// other libraries ask for.
inline nb::object scalar_of(void* data, PyArray_Descr* descr, PyObject* base) {
    nb::object value = nb::steal(PyArray_Scalar(data, descr, base));
    if (!value.is_valid()) throw nb::python_error();
    return value;
}

// Where the core writes, and how that becomes what the caller gets.
class Output {
  public:
    // C-contiguous. `x` and all `others` that are not null are read while the results are written.
    Output(nb::handle out, PyArrayObject* x, Format format, int rank, npy_intp* shape,
           std::initializer_list<PyArrayObject*> others = {}) {
        if (!out.is_none()) {
            take(out, format, rank, shape);
            const auto is_read = [&](PyArrayObject* each) {
                return each != nullptr && overlap(array_of(out), each);
            };
            if (PyArray_ISCARRAY(array_of(out)) && !is_read(x) &&
                std::none_of(others.begin(), others.end(), is_read)) {
                memory_ = given_;
                return;
            }
        }
        make(format, rank, shape, nullptr);
    }

    // With the axes of x in the order in which its elements lie, or in that of `out`.
    Output(nb::handle out, const Input& x, Format format, npy_intp* shape) : order_(x.view.rank) {
        const int rank = x.view.rank;
        if (!out.is_none()) {
            take(out, format, rank, shape);
            const AxisOrder order = AxisOrder::of(array_of(out));
            if (PyArray_ISBEHAVED(array_of(out)) && order.is_dense(array_of(out)) &&
                !overlap(array_of(out), x.array)) {
                memory_ = given_;
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
    void* data() const { return PyArray_DATA(array_of(memory_)); }

    // With `scalar` a result of rank 0 that was not given is a scalar of NumPy.
    nb::object finished(bool scalar = false) {
        if (!given_.is_valid() && scalar && PyArray_NDIM(array_of(memory_)) == 0)
            return scalar_of(data(), PyArray_DESCR(array_of(memory_)), memory_.ptr());
        if (!given_.is_valid() || given_.is(memory_)) return memory_;
        if (PyArray_CopyInto(array_of(given_), array_of(memory_)) < 0) throw nb::python_error();
        return given_;
    }

  private:
    void take(nb::handle out, Format format, int rank, const npy_intp* shape) {
        check(out, format, rank, shape);
        given_ = nb::borrow(out);
    }

    void make(Format format, int rank, npy_intp* shape, npy_intp* strides) {
        const npy_intp bytes = PyArray_MultiplyList(shape, rank) * static_cast<npy_intp>(size_of(format));
        std::optional<ResultMemory> blocks;
        if (bytes >= static_cast<npy_intp>(least_block) && cache_limit() > 0) blocks.emplace();
        memory_ = nb::steal(
            PyArray_NewFromDescr(&PyArray_Type, descr_of(format), rank, shape, strides, nullptr, 0, nullptr));
        if (!memory_.is_valid()) throw nb::python_error();
    }

    static void check(nb::handle out, Format format, int rank, const npy_intp* shape) {
        PyArrayObject* array = checked_array(out, "out");
        const std::optional<Format> found = format_of(PyArray_DESCR(array));
        if (!found || *found != format) {
            raise("DtypeError", "out has dtype " + text(reinterpret_cast<PyObject*>(PyArray_DESCR(array))) +
                                    "; the result has " + name_of(format));
        }
        const bool fits =
            PyArray_NDIM(array) == rank && PyArray_CompareLists(PyArray_DIMS(array), shape, rank);
        if (!fits) {
            raise("ShapeError",
                  "out has shape " + text(out.attr("shape")) + "; the result has " + shape_text(rank, shape));
        }
        if (!PyArray_ISWRITEABLE(array)) raise("ShapeError", "out is read-only; it has to be writeable");
        if (!PyArray_IS_C_CONTIGUOUS(array) && !AxisOrder::of(array).is_nested(array)) {
            raise("ShapeError", "out of shape " + text(out.attr("shape")) + " has the strides " +
                                    text(out.attr("strides")) +
                                    ", with which elements may share memory; each needs its own");
        }
    }

    static std::string shape_text(int rank, const npy_intp* shape) {
        std::string s = "(";
        for (int i = 0; i < rank; ++i)
            s += std::to_string(shape[i]) + (rank == 1 ? "," : i + 1 < rank ? ", " : "");
        return s + ")";
    }

    nb::object given_, memory_;
    AxisOrder order_{0};
};

}  // namespace samesum::python
