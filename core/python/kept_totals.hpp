// Exact products and sums of exponentials that Python keeps, merges and stores. Included by module.cpp alone.
#pragma once

#include "python/reductions.hpp"
#include "run/exact/kept_totals.hpp"

namespace samesum::python {

// What they are called in messages.
template <class Totals>
constexpr const char* kept_name = std::is_same_v<Totals, ProductTotals> ? "products" : "sums of exponentials";

template <class Totals>
void construct_kept(Totals* self, nb::handle dtype, std::int64_t outputs) {
    const Format in = checked_format(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
    if (is_byte_float(in) || outputs < 0)
        raise("DtypeError", std::string(kept_name<Totals>) + " of " + name_of(in) + ", " +
                                std::to_string(outputs) + " outputs");
    new (self) Totals(in, outputs);
}

template <class Totals>
void check_chunk(const Totals& totals, const Sets& sets) {
    if (sets.x.view.format != totals.in() || sets.outputs != totals.outputs() || sets.x.view.swapped)
        raise("ShapeError", "a chunk has shape " + shape_of(sets.x) + " and dtype " +
                                name_of(sets.x.view.format) + "; the " + kept_name<Totals> + " are " +
                                std::to_string(totals.outputs()) + " of " + name_of(totals.in()));
}

template <class Totals>
void add_kept(Totals& totals, nb::handle x, nb::handle axes, nb::handle where) {
    const Sets sets(x, axes, false, where);
    check_chunk(totals, sets);
    unlocked(sets.bytes(), [&] { totals.add(sets.x.view, sets.reduced); });
}

template <class Totals>
void merge_kept(Totals& totals, const Totals& other) {
    if (totals.in() != other.in() || totals.outputs() != other.outputs())
        raise("ShapeError",
              std::string(kept_name<Totals>) + " of another format or number of outputs cannot be merged");
    totals.merge(other);
}

inline Format checked_float(nb::handle dtype) {
    const Format out = checked_format(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
    if (!is_float(out) || is_byte_float(out))
        raise("DtypeError", "exact products rounded to " + name_of(out));
    return out;
}

// In the shape of `like`.
template <class Totals>
nb::object rounded_kept(const Totals& totals, nb::handle dtype, nb::handle like) {
    PyArrayObject* array = checked_array(like, "like");
    if (PyArray_SIZE(array) != totals.outputs())
        raise("ShapeError", "`like` has to have one element for each output");
    const Format out = checked_float(dtype);
    Output output(nb::none(), nullptr, out, PyArray_NDIM(array), PyArray_DIMS(array));
    totals.round(out, output.data());
    return output.finished(true);
}

inline nb::bytes bytes_of(const std::string& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

template <class Totals>
auto define_kept(nb::module_& m, const char* name) {
    return nb::class_<Totals>(m, name)
        .def("__init__", &construct_kept<Totals>, "dtype"_a, "outputs"_a)
        .def("merge", &merge_kept<Totals>, "other"_a)
        .def("rounded", &rounded_kept<Totals>, "dtype"_a, "like"_a);
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

inline void define_kept_totals(nb::module_& m) {
    define_kept<ExponentialTotals>(m, "ExponentialTotals")
        .def("add", &add_kept<ExponentialTotals>, "x"_a, "axes"_a.none(), "where"_a.none())
        .def("encoded", [](const ExponentialTotals& totals) { return bytes_of(totals.encoded(true)); })
        .def(
            "decode",
            [](ExponentialTotals& totals, const nb::bytes& bytes) {
                return totals.decode(bytes.c_str(), bytes.size(), true);
            },
            "encoded"_a);
    define_kept<ProductTotals>(m, "ProductTotals")
        .def(
            "add",
            [](ProductTotals& totals, nb::handle x, nb::handle axes) {
                add_kept(totals, x, axes, nb::none());
            },
            "x"_a, "axes"_a.none())
        .def("scan", &scan_products, "x"_a, "axis"_a, "is_exclusive"_a, "dtype"_a)
        .def(
            "encoded",
            [](const ProductTotals& totals, bool is_brief) { return bytes_of(totals.encoded(is_brief)); },
            "is_brief"_a)
        .def(
            "decode",
            [](ProductTotals& totals, const nb::bytes& bytes, bool is_brief) {
                return totals.decode(bytes.c_str(), bytes.size(), is_brief);
            },
            "encoded"_a, "is_brief"_a);
}

}  // namespace samesum::python
