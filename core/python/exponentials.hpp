// Sums of exponentials that Python keeps, merges and stores. Included by module.cpp alone.
#pragma once

#include "python/products.hpp"
#include "run/exact/exponential_totals.hpp"

namespace samesum::python {

inline void construct_exponentials(ExponentialTotals* self, nb::handle dtype, std::int64_t outputs) {
    const Format in = checked_format(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
    if (is_byte_float(in) || outputs < 0)
        raise("DtypeError",
              "sums of exponentials of " + name_of(in) + ", " + std::to_string(outputs) + " outputs");
    new (self) ExponentialTotals(in, outputs);
}

inline void add_exponentials(ExponentialTotals& totals, nb::handle x, nb::handle axes, nb::handle where) {
    const Sets sets(x, axes, false, where);
    if (sets.x.view.format != totals.in() || sets.outputs != totals.outputs() || sets.x.view.swapped)
        raise("ShapeError", "a chunk has shape " + shape_of(sets.x) + " and dtype " +
                                name_of(sets.x.view.format) + "; the sums are " +
                                std::to_string(totals.outputs()) + " of " + name_of(totals.in()));
    unlocked(sets.bytes(), [&] { totals.add(sets.x.view, sets.reduced); });
}

inline void merge_exponentials(ExponentialTotals& totals, const ExponentialTotals& other) {
    if (totals.in() != other.in() || totals.outputs() != other.outputs())
        raise("ShapeError", "sums of another format or number of outputs cannot be merged");
    totals.merge(other);
}

// In the shape of `like`.
inline nb::object rounded_exponentials(const ExponentialTotals& totals, nb::handle dtype, nb::handle like) {
    PyArrayObject* array = checked_array(like, "like");
    if (PyArray_SIZE(array) != totals.outputs())
        raise("ShapeError", "`like` has to have one element for each output");
    Output output(nb::none(), nullptr, checked_float(dtype), PyArray_NDIM(array), PyArray_DIMS(array));
    totals.round(checked_float(dtype), output.data());
    return output.finished(true);
}

inline nb::bytes encoded_exponentials(const ExponentialTotals& totals) {
    const std::string bytes = totals.encoded();
    return nb::bytes(bytes.data(), bytes.size());
}

inline bool decode_exponentials(ExponentialTotals& totals, const nb::bytes& bytes) {
    return totals.decode(bytes.c_str(), bytes.size());
}

inline void define_exponentials(nb::module_& m) {
    nb::class_<ExponentialTotals>(m, "ExponentialTotals")
        .def("__init__", &construct_exponentials, nb::arg("dtype"), nb::arg("outputs"))
        .def("add", &add_exponentials, nb::arg("x"), nb::arg("axes").none(), nb::arg("where").none())
        .def("merge", &merge_exponentials, nb::arg("other"))
        .def("rounded", &rounded_exponentials, nb::arg("dtype"), nb::arg("like"))
        .def("encoded", &encoded_exponentials)
        .def("decode", &decode_exponentials, nb::arg("encoded"));
}

}  // namespace samesum::python
