// Reductions of rows by their labels, from Python. Included by module.cpp alone.
#pragma once

#include "python/reductions.hpp"
#include "run/segments/segments.hpp"

namespace samesum::python {

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
