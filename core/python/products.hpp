// Exact products that Python keeps, merges, stores and continues. Included by module.cpp alone.
#pragma once

#include "python/reductions.hpp"
#include "run/exact/exact_products.hpp"

namespace samesum::python {

inline void construct_products(ProductTotals* self, nb::handle dtype, std::int64_t outputs) {
    const Format in = checked_format(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
    if (is_byte_float(in) || outputs < 0)
        raise("DtypeError", "exact products of " + name_of(in) + ", " + std::to_string(outputs) + " outputs");
    new (self) ProductTotals(in, outputs);
}

inline void check_chunk(const ProductTotals& products, const Sets& sets) {
    if (sets.x.view.format != products.in() || sets.outputs != products.outputs() || sets.x.view.swapped)
        raise("ShapeError", "a chunk has shape " + shape_of(sets.x) + " and dtype " +
                                name_of(sets.x.view.format) + "; the products are " +
                                std::to_string(products.outputs()) + " of " + name_of(products.in()));
}

inline void multiply_products(ProductTotals& products, nb::handle x, nb::handle axes) {
    const Sets sets(x, axes, false);
    check_chunk(products, sets);
    unlocked(sets.bytes(), [&] { products.add(sets.x.view, sets.reduced); });
}

inline Format checked_float(nb::handle dtype) {
    const Format out = checked_format(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
    if (!is_float(out) || is_byte_float(out))
        raise("DtypeError", "exact products rounded to " + name_of(out));
    return out;
}

inline nb::object scan_products(ProductTotals& products, nb::handle x, nb::handle axis, bool is_exclusive,
                                nb::handle dtype) {
    const Sets sets(x, axis, false);
    check_chunk(products, sets);
    const int along = checked_axis(axis, sets.x.view.rank);
    const Format out = checked_float(dtype);
    Output output(nb::none(), nullptr, out, sets.x.view.rank, PyArray_DIMS(sets.x.array));
    unlocked(sets.bytes(), [&] { products.scan(sets.x.view, along, is_exclusive, out, output.data()); });
    return output.finished();
}

inline void merge_products(ProductTotals& products, const ProductTotals& other) {
    if (products.in() != other.in() || products.outputs() != other.outputs())
        raise("ShapeError", "products of another format or number of outputs cannot be merged");
    products.merge(other);
}

// In the shape of `like`.
inline nb::object rounded_products(const ProductTotals& products, nb::handle dtype, nb::handle like) {
    PyArrayObject* array = checked_array(like, "like");
    if (PyArray_SIZE(array) != products.outputs())
        raise("ShapeError", "`like` has to have one element for each output");
    const Format out = checked_float(dtype);
    Output output(nb::none(), nullptr, out, PyArray_NDIM(array), PyArray_DIMS(array));
    products.round(out, output.data());
    return output.finished(true);
}

inline nb::bytes encoded_products(const ProductTotals& products, bool is_brief) {
    const std::string bytes = products.encoded(is_brief);
    return nb::bytes(bytes.data(), bytes.size());
}

inline bool decode_products(ProductTotals& products, const nb::bytes& bytes, bool is_brief) {
    return products.decode(bytes.c_str(), bytes.size(), is_brief);
}

inline void define_products(nb::module_& m) {
    nb::class_<ProductTotals>(m, "ProductTotals")
        .def("__init__", &construct_products, nb::arg("dtype"), nb::arg("outputs"))
        .def("add", &multiply_products, nb::arg("x"), nb::arg("axes").none())
        .def("scan", &scan_products, nb::arg("x"), nb::arg("axis"), nb::arg("is_exclusive"), nb::arg("dtype"))
        .def("merge", &merge_products, nb::arg("other"))
        .def("rounded", &rounded_products, nb::arg("dtype"), nb::arg("like"))
        .def("encoded", &encoded_products, nb::arg("is_brief"))
        .def("decode", &decode_products, nb::arg("encoded"), nb::arg("is_brief"));
}

}  // namespace samesum::python
