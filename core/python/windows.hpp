// Reductions of windows, of several arrays and of rows by their labels, from Python. Included by module.cpp
// alone.
#pragma once

#include <string>
#include <vector>

#include "python/elementwise.hpp"
#include "python/outputs.hpp"
#include "python/reductions.hpp"
#include "run/segments/segments.hpp"
#include "run/windows/windows.hpp"

namespace samesum::python {

// The windows along one axis: which axis, the distance of neighbours in a window, and three rows of int64:
// the first element of each window, how many elements it has, and its factor of what a mean divides by.
inline WindowAxis window_axis(nb::handle dilation, nb::handle table, std::int64_t size) {
    PyArrayObject* const rows = checked_array(table, "a table of windows");
    const bool fits = PyArray_NDIM(rows) == 2 && PyArray_DIM(rows, 0) == 3 &&
                      PyArray_TYPE(rows) == NPY_INT64 && PyArray_ISCARRAY_RO(rows);
    if (!fits) raise("ShapeError", "a table of windows has three contiguous rows of int64");
    const std::int64_t n = PyArray_DIM(rows, 1), step = nb::cast<std::int64_t>(dilation);
    const auto* const first = static_cast<const std::int64_t*>(PyArray_DATA(rows));
    const WindowAxis axis{n, step, first, first + n, first + 2 * n};
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t count = axis.count[i];
        const bool inside = step >= 1 && count >= 0 && axis.weight[i] >= count &&
                            (count == 0 || (axis.first[i] >= 0 && axis.first[i] < size &&
                                            count - 1 <= (size - 1 - axis.first[i]) / step));
        if (!inside)
            raise("ShapeError", "window " + std::to_string(i) + " of " + std::to_string(count) +
                                    " elements from " + std::to_string(axis.first[i]) + " on, " +
                                    std::to_string(step) + " apart, does not lie in an axis of " +
                                    std::to_string(size) + " elements");
    }
    return axis;
}

// axes: (axis, dilation, table) of those that have windows; steps: of the index that a position becomes, one
// for each axis of x, or None.
inline nb::object reduce_windows(unsigned code, nb::handle x, unsigned flags, const nb::list& axes,
                                 nb::handle steps) {
    Input input = input_of(x);
    const Extents extents(input.view);
    const Reduction row = reduction_of(code, flags);
    const Format format = format_for(row, input.view.format, flags, nb::none());
    const int rank = input.view.rank;
    WindowAxis given[max_rank];
    std::int64_t index_steps[max_rank] = {};
    npy_intp shape[max_rank], outputs = 1;
    for (int i = 0; i < rank; ++i) given[i] = {input.view.shape[i]};
    for (nb::handle each : axes) {
        const int axis = checked_axis(each[0], rank);
        given[axis] = window_axis(each[1], each[2], input.view.shape[axis]);
    }
    if (is_position(row.combine) == steps.is_none())
        raise("AttributeValueError", "positions, and nothing else, have steps of an index");
    for (int i = 0; i < rank; ++i) {
        outputs *= shape[i] = given[i].outputs;
        if (!steps.is_none()) index_steps[i] = nb::cast<std::int64_t>(steps[nb::int_(i)]);
    }
    OrderedOutput output(nb::none(), input, format, shape);
    if (outputs > 0) {
        std::int64_t room[2 * max_rank], ordered_steps[max_rank];
        const View view = output.order().applied_to(input.view, room);
        WindowAxis ordered[max_rank];
        for (int i = 0; i < rank; ++i) {
            ordered[output.order().place_of(i)] = given[i];
            ordered_steps[output.order().place_of(i)] = index_steps[i];
        }
        const WindowCall call{view, ordered, steps.is_none() ? nullptr : ordered_steps,
                              row,  format,  output.data()};
        const auto bytes = static_cast<std::int64_t>(size_of(input.view.format));
        unlocked(std::max<std::int64_t>(input.count, outputs) * bytes,
                 [&] { samesum::reduce_windows(call); });
    }
    return output.finished();
}

// Reduces one or more arrays of one type, which broadcast together, element by element.
inline nb::object reduce_terms(unsigned code, const nb::list& arrays, unsigned flags) {
    std::vector<Input> terms;
    for (nb::handle each : arrays) terms.push_back(input_of(each));
    if (terms.empty()) raise("ShapeError", "one array at least is needed");
    for (const Input& each : terms) {
        if (each.view.format != terms[0].view.format)
            raise("DtypeError", "the arrays have the types " + name_of(terms[0].view.format) + " and " +
                                    name_of(each.view.format) + "; one type is needed");
    }
    const Reduction row = reduction_of(code, flags);
    const Format format = format_for(row, terms[0].view.format, flags, nb::none());
    if (is_position(row.combine)) raise("AttributeValueError", "positions have no meaning here");
    Broadcast all(terms);
    Output output(nb::none(), terms[0].array, format, all.rank, all.shape);
    if (all.count > 0) {
        const auto bytes = static_cast<std::int64_t>(terms.size() * size_of(terms[0].view.format));
        unlocked(all.count * bytes, [&] {
            samesum::reduce_terms(all.views.data(), all.views.size(), row, format, output.data());
        });
    }
    return output.finished();
}

inline void define_windows(nb::module_& m) {
    m.def("reduce_windows", &reduce_windows, "code"_a, "x"_a, "flags"_a, "axes"_a, or_none("steps"));
    m.def("reduce_terms", &reduce_terms, "code"_a, "arrays"_a, "flags"_a);
}

inline PyArrayObject* checked_dense(nb::handle object, const char* what, int rank) {
    PyArrayObject* array = checked_array(object, what);
    if (PyArray_NDIM(array) != rank || !PyArray_ISCARRAY_RO(array))
        raise("ShapeError", std::string(what) +
                                " has to be C-contiguous, aligned, of native byte order and rank " +
                                std::to_string(rank) + "; its shape is " + text(object.attr("shape")));
    return array;
}

inline Labels labels_of(nb::handle object, std::int64_t segments, bool negative) {
    PyArrayObject* array = checked_dense(object, "labels", 1);
    const std::optional<Format> format = format_of(PyArray_DESCR(array));
    if (format != Format::i32 && format != Format::i64)
        raise("DtypeError", "labels have to be int32 or int64; got " +
                                text(reinterpret_cast<PyObject*>(PyArray_DESCR(array))));
    return {PyArray_DATA(array), format == Format::i32, negative, PyArray_DIM(array, 0), segments};
}

// Writes the results of all segments that have rows to `out`, whose shape is (outer, segments, columns); that
// of `x` is (outer, rows, columns). Returns the first row whose label names no segment and the first segment
// without rows, or -1.
inline nb::tuple reduce_segments(unsigned code, unsigned flags, double correction, nb::handle x,
                                 nb::handle labels, bool negative, nb::handle self, nb::handle out) {
    Reduction row = reduction_of(code, flags);
    if (is_position(row.combine)) raise("UnsupportedOperator", "segments have no positions of extremes");
    row.correction = correction;
    PyArrayObject *from = checked_dense(x, "x", 3), *to = checked_dense(out, "out", 3);
    const Format in = checked_format(PyArray_DESCR(from));
    const nb::handle dtype = reinterpret_cast<PyObject*>(PyArray_DESCR(to));
    const Format found = checked_format(PyArray_DESCR(to)),
                 format = is_logical(row.combine) ? Format::boolean : format_for(row, in, flags, dtype);
    PyArrayObject* further = self.is_none() ? nullptr : checked_dense(self, "self", 3);
    const npy_intp *shape = PyArray_DIMS(from), *results = PyArray_DIMS(to);
    const Labels all = labels_of(labels, results[1], negative);
    const bool fits = format == found && PyArray_ISWRITEABLE(to) && shape[0] == results[0] &&
                      shape[2] == results[2] && shape[1] == all.rows && !overlap(from, to);
    const bool further_fits =
        further == nullptr ||
        (checked_format(PyArray_DESCR(further)) == in &&
         PyArray_CompareLists(PyArray_DIMS(further), results, 3) && !overlap(further, to));
    if (!fits || !further_fits)
        raise("ShapeError", "x of shape " + text(x.attr("shape")) + ", labels of shape " +
                                text(labels.attr("shape")) + " and results of shape " +
                                text(out.attr("shape")) + " do not fit together");
    const SegmentCall call{PyArray_BYTES(from),
                           in,
                           shape[0],
                           shape[2],
                           all,
                           further == nullptr ? nullptr : PyArray_BYTES(further),
                           row,
                           format,
                           PyArray_BYTES(to)};
    SegmentReport report;
    unlocked(PyArray_NBYTES(from) + PyArray_NBYTES(to), [&] { report = samesum::reduce_segments(call); });
    return nb::make_tuple(report.first_bad_label, report.empty);
}

inline void define_segments(nb::module_& m) {
    m.def("reduce_segments", &reduce_segments, "code"_a, "flags"_a, "correction"_a, "x"_a, "labels"_a,
          "negative"_a, "initial"_a.none(), "out"_a);
}

}  // namespace samesum::python
