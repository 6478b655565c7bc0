// Exact totals that Python keeps, merges and stores. Included by module.cpp alone.
#pragma once

#include <vector>

#include "arithmetic/rounding.hpp"
#include "python/reductions.hpp"
#include "run/exact/kept_totals.hpp"
#include "run/states/accumulation.hpp"

namespace samesum::python {

// Reductions of arrays that come in pieces, from Python. Included by module.cpp alone.
inline void construct(Accumulation* self, unsigned code, unsigned flags, nb::handle dtype,
                      std::int64_t outputs, std::int64_t count, std::size_t tier) {
    const Format in = format_in(dtype);
    const Reduction row = reduction_of(code, flags);
    new (self) Accumulation(row, in, format_for(row, in, flags, nb::none()), outputs, count, tier);
}

inline void add_piece(Accumulation& total, nb::handle x, nb::handle axes) {
    const Sets sets(x, axes, false);
    if (sets.x.view.format != total.in() || sets.outputs != total.outputs() || sets.count == 0) {
        raise("ShapeError", "a piece has shape " + shape_of(sets.x) + " and dtype " +
                                name_of(sets.x.view.format) + "; the others keep " +
                                std::to_string(total.outputs()) + " elements of " + name_of(total.in()));
    }
    unlocked(sets.bytes(), [&] { total.add(sets.x.view, sets.reduced); });
}

// The results, and which of them are not certified.
inline nb::tuple finished(Accumulation& total) {
    if (!total.has_begun()) raise("ShapeError", "nothing was added; a result needs one piece or more");
    npy_intp shape[] = {total.outputs()};
    Output output(nb::none(), nullptr, total.format(), 1, shape);
    const std::vector<std::int64_t> rest = total.finish(output.data());
    return nb::make_tuple(output.finished(), rest);
}

inline void define_accumulation(nb::module_& m) {
    nb::class_<Accumulation>(m, "Accumulation")
        .def("__init__", &construct, "code"_a, "flags"_a, "dtype"_a, "outputs"_a, "count"_a, "tier"_a)
        .def("add", &add_piece, "x"_a, "axes"_a)
        .def("finish", &finished);
}

// What they are called in messages.
template <class Totals>
constexpr const char* kept_name = std::is_same_v<Totals, ProductTotals> ? "products"
                                  : std::is_same_v<Totals, ExactTotals> ? "totals"
                                                                        : "sums of exponentials";

template <class Totals>
void construct_kept(Totals* self, unsigned map, nb::handle dtype, std::int64_t outputs) {
    const Format in = format_in(dtype);
    if (is_byte_float(in) || map > static_cast<unsigned>(Map::square) || outputs < 0)
        raise("DtypeError", std::string(kept_name<Totals>) + " of " + name_of(in) + ", map " +
                                std::to_string(map) + ", " + std::to_string(outputs) + " outputs");
    new (self) Totals(in, outputs, static_cast<Map>(map));
}

template <class Totals>
void check_chunk(const Totals& totals, const Sets& sets) {
    if (sets.x.view.format != totals.in() || sets.outputs != totals.outputs() || sets.x.view.swapped)
        raise("ShapeError", "a chunk has shape " + shape_of(sets.x) + " and dtype " +
                                name_of(sets.x.view.format) + "; the " + kept_name<Totals> + " are " +
                                std::to_string(totals.outputs()) + " of " + name_of(totals.in()));
}

template <class Totals>
void add_kept(Totals& totals, nb::handle x, nb::handle axes, nb::handle where = nb::none()) {
    const Sets sets(x, axes, false, where);
    check_chunk(totals, sets);
    unlocked(sets.bytes(), [&] { totals.add(sets.x.view, sets.reduced); });
}

template <class Totals>
void merge_kept(Totals& totals, const Totals& other) {
    if (!totals.is_like(other))
        raise("ShapeError", std::string(kept_name<Totals>) +
                                " of another format, map or number of outputs cannot be merged");
    totals.merge(other);
}

inline Format checked_float(nb::handle dtype) {
    const Format out = format_in(dtype);
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
    const bool are_products = std::is_same_v<Totals, ProductTotals>;
    totals.round(are_products ? Finalize::itself : Finalize::logarithm, out, nullptr, output.data());
    return output.finished(true);
}

template <class Totals>
nb::bytes encoded_kept(const Totals& totals, bool is_brief) {
    const std::string bytes = totals.encoded(is_brief);
    return nb::bytes(bytes.data(), bytes.size());
}

template <class Totals>
bool decode_kept(Totals& totals, const nb::bytes& bytes, bool is_brief) {
    return totals.decode(bytes.c_str(), bytes.size(), is_brief);
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

inline PyArrayObject* checked_counts(const ExactTotals& totals, nb::handle counts) {
    PyArrayObject* array = checked_array(counts, "counts");
    if (PyArray_SIZE(array) != totals.outputs() || PyArray_TYPE(array) != NPY_INT64 ||
        !PyArray_ISCARRAY_RO(array))
        raise("ShapeError", "the counts have to be one int64 for each output, C-contiguous");
    return array;
}

// Each with its own number of elements; the shape is that of the counts.
inline nb::object rounded_totals(const ExactTotals& totals, unsigned finalize, nb::handle dtype,
                                 nb::handle counts) {
    PyArrayObject* array = checked_counts(totals, counts);
    const Format out = format_in(dtype);
    Output output(nb::none(), nullptr, out, PyArray_NDIM(array), PyArray_DIMS(array));
    totals.round(static_cast<Finalize>(finalize), out, static_cast<const std::int64_t*>(PyArray_DATA(array)),
                 output.data());
    return output.finished(true);
}

inline nb::object rounded_moments(const ExactTotals& sums, const ExactTotals& squares, unsigned kind,
                                  double correction, nb::handle dtype, nb::handle counts) {
    PyArrayObject* array = checked_counts(sums, counts);
    const Format out = format_in(dtype);
    if (sums.in() != squares.in() || sums.outputs() != squares.outputs() || sums.map() != Map::itself ||
        squares.map() != Map::square)
        raise("ShapeError", "moments need the totals of the elements and of their squares");
    if (!is_float(out) || is_byte_float(out) || kind > static_cast<unsigned>(MomentKind::root_mean_square))
        raise("DtypeError", "moment " + std::to_string(kind) + " of dtype " + name_of(out));
    if (!std::isfinite(correction)) raise("AttributeValueError", "the correction is not finite");
    Output output(nb::none(), nullptr, out, PyArray_NDIM(array), PyArray_DIMS(array));
    sums.round_moments(squares, {static_cast<MomentKind>(kind), out, 0, correction},
                       static_cast<const std::int64_t*>(PyArray_DATA(array)), output.data());
    return output.finished(true);
}

// Arrays of so many elements beside each other whose exact sums the totals are, in rows; None if it takes
// more than `most` rows.
inline nb::object elements_of_totals(const ExactTotals& totals, std::int64_t most) {
    if (!is_float(totals.in()) || most < 0) raise("DtypeError", "integer totals have no elements");
    std::vector<std::uint64_t> bits;
    const std::optional<std::size_t> count = totals.elements(static_cast<std::size_t>(most), bits);
    if (!count) return nb::none();
    const npy_intp shape[] = {static_cast<npy_intp>(*count), static_cast<npy_intp>(totals.outputs())};
    Output output(nb::none(), nullptr, totals.in(), 2, const_cast<npy_intp*>(shape));
    const std::size_t outputs = static_cast<std::size_t>(totals.outputs());
    for (std::size_t k = 0; k < *count; ++k)
        for (std::size_t j = 0; j < outputs; ++j)
            store_bits(output.data(), k * outputs + j, bits[j * static_cast<std::size_t>(most) + k],
                       size_of(totals.in()));
    return output.finished(true);
}

// What all of them have.
template <class Totals>
auto define_kept(nb::module_& m, const char* name) {
    return nb::class_<Totals>(m, name).def("merge", &merge_kept<Totals>, "other"_a);
}

inline void define_states(nb::module_& m) {
    define_kept<ExactTotals>(m, "ExactTotals")
        .def("__init__", &construct_kept<ExactTotals>, "map"_a, "dtype"_a, "outputs"_a)
        .def(
            "add", [](ExactTotals& totals, nb::handle x, nb::handle axes) { add_kept(totals, x, axes); },
            "x"_a, "axes"_a.none())
        .def("rounded", &rounded_totals, "finalize"_a, "dtype"_a, "counts"_a)
        .def("rounded_moments", &rounded_moments, "squares"_a, "kind"_a, "correction"_a, "dtype"_a,
             "counts"_a)
        .def("elements", &elements_of_totals, "most"_a)
        .def("encoded", [](const ExactTotals& totals) { return encoded_kept(totals, true); })
        .def(
            "decode",
            [](ExactTotals& totals, const nb::bytes& bytes) { return decode_kept(totals, bytes, true); },
            "encoded"_a);
    define_kept<ExponentialTotals>(m, "ExponentialTotals")
        .def(
            "__init__",
            [](ExponentialTotals* self, nb::handle dtype, std::int64_t n) {
                construct_kept(self, 0, dtype, n);
            },
            "dtype"_a, "outputs"_a)
        .def("add", &add_kept<ExponentialTotals>, "x"_a, "axes"_a.none(), "where"_a.none())
        .def("rounded", &rounded_kept<ExponentialTotals>, "dtype"_a, "like"_a)
        .def("encoded", [](const ExponentialTotals& totals) { return encoded_kept(totals, true); })
        .def(
            "decode",
            [](ExponentialTotals& totals, const nb::bytes& bytes) {
                return decode_kept(totals, bytes, true);
            },
            "encoded"_a);
    define_kept<ProductTotals>(m, "ProductTotals")
        .def(
            "__init__",
            [](ProductTotals* self, nb::handle dtype, std::int64_t n) { construct_kept(self, 0, dtype, n); },
            "dtype"_a, "outputs"_a)
        .def(
            "add", [](ProductTotals& totals, nb::handle x, nb::handle axes) { add_kept(totals, x, axes); },
            "x"_a, "axes"_a.none())
        .def("scan", &scan_products, "x"_a, "axis"_a, "is_exclusive"_a, "dtype"_a)
        .def("rounded", &rounded_kept<ProductTotals>, "dtype"_a, "like"_a)
        .def("encoded", &encoded_kept<ProductTotals>, "is_brief"_a)
        .def("decode", &decode_kept<ProductTotals>, "encoded"_a, "is_brief"_a);
}

}  // namespace samesum::python
