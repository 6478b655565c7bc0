// Where the core writes. Included by what makes results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <utility>

#include "memory/blocks.hpp"
#include "python/arrays.hpp"

namespace samesum::python {

// outputs.hpp.

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

// Large results of NumPy in blocks that are kept for a moment. Included by outputs.hpp and module.cpp.
inline PyDataMem_Handler result_handler{"samesum",
                                        1,
                                        {nullptr, [](void*, std::size_t bytes) { return take_block(bytes); },
                                         [](void*, std::size_t count, std::size_t size) -> void* {
                                             if (size > 0 && count > SIZE_MAX / size) return nullptr;
                                             void* const block = take_block(count * size);
                                             if (block != nullptr) std::memset(block, 0, count * size);
                                             return block;
                                         },
                                         [](void*, void* block, std::size_t bytes) {
                                             return block == nullptr ? take_block(bytes)
                                                                     : resize_block(block, bytes);
                                         },
                                         [](void*, void* block, std::size_t) {
                                             if (block != nullptr) give_block(block);
                                         }}};

// While it lives, NumPy takes the memory of new arrays of this thread from the blocks, unless the program has
// chosen an allocator of its own.
class ResultMemory {
  public:
    ResultMemory() {
        const nb::object current = nb::steal(PyDataMem_GetHandler());
        const auto* handler = static_cast<const PyDataMem_Handler*>(
            current.is_valid() ? PyCapsule_GetPointer(current.ptr(), "mem_handler") : nullptr);
        if (handler == nullptr) throw nb::python_error();
        if (std::strcmp(handler->name, "default_allocator") != 0) return;
        const nb::object own = nb::steal(PyCapsule_New(&result_handler, "mem_handler", nullptr));
        before_ = nb::steal(PyDataMem_SetHandler(own.ptr()));
        if (!before_.is_valid()) throw nb::python_error();
    }
    ~ResultMemory() {
        if (before_.is_valid()) Py_XDECREF(PyDataMem_SetHandler(before_.ptr()));
    }
    ResultMemory(const ResultMemory&) = delete;
    ResultMemory& operator=(const ResultMemory&) = delete;

  private:
    nb::object before_;
};

inline void define_result_memory(nb::module_& m) {
    m.def("set_cache_limit", &set_cache_limit, "n"_a);
    m.def("cache_limit", &cache_limit);
    m.def("cached_bytes", &cached_bytes);
}

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
            PyArrayObject* to = take(out, format, rank, shape);
            const auto is_read = [&](PyArrayObject* each) { return each != nullptr && overlap(to, each); };
            if (PyArray_ISCARRAY(to) && !is_read(x) && std::none_of(others.begin(), others.end(), is_read)) {
                memory_ = written_;
                return;
            }
        }
        make(format, rank, shape, nullptr);
    }

    void* data() const { return PyArray_DATA(array_of(memory_)); }

    // With `scalar` a result of rank 0 that was not given is a scalar of NumPy.
    nb::object finished(bool scalar = false) {
        if (!given_.is_valid() && scalar && PyArray_NDIM(array_of(memory_)) == 0)
            return scalar_of(data(), PyArray_DESCR(array_of(memory_)), memory_.ptr());
        if (!given_.is_valid()) return memory_;
        if (!written_.is(memory_) && PyArray_CopyInto(array_of(written_), array_of(memory_)) < 0)
            throw nb::python_error();
        return given_;
    }

  protected:
    Output() = default;

    // The array that is written: `out`, or what shares the memory of a tensor of another library.
    PyArrayObject* take(nb::handle out, Format format, int rank, const npy_intp* shape) {
        given_ = nb::borrow(out);
        written_ = PyArray_Check(out.ptr())
                       ? given_
                       : nb::module_::import_("samesum.engine.arrays").attr("as_out")(out);
        check(written_, format, rank, shape);
        return array_of(written_);
    }

    void make(Format format, int rank, npy_intp* shape, npy_intp* strides) {
        const npy_intp bytes = PyArray_MultiplyList(shape, rank) * static_cast<npy_intp>(size_of(format));
        std::optional<ResultMemory> blocks;
        if (bytes >= static_cast<npy_intp>(least_block) && cache_limit() > 0) blocks.emplace();
        memory_ = nb::steal(
            PyArray_NewFromDescr(&PyArray_Type, descr_of(format), rank, shape, strides, nullptr, 0, nullptr));
        if (!memory_.is_valid()) throw nb::python_error();
    }

    nb::object given_, written_, memory_;

  private:
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
};

// Where the core writes results that have the shape of an array, in the order of its elements. Included by
// what makes such results.

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
