// Where the core writes. Included by what makes results.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "python/arrays.hpp"
#include "python/axis_order.hpp"
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

}  // namespace samesum::python
