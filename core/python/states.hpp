// Exact totals that Python keeps, merges and stores. Included by module.cpp alone.
#pragma once

#include <vector>

#include "arithmetic/rounding.hpp"
#include "python/reductions.hpp"
#include "run/exact/exact_totals.hpp"
#include "run/states/accumulation.hpp"

namespace samesum::python {

// Reductions of arrays that come in pieces, from Python. Included by module.cpp alone.
inline void construct(Accumulation* self, unsigned code, unsigned flags, nb::handle dtype,
                      std::int64_t outputs, std::int64_t count, std::size_t tier) {
    const Format in = checked_format(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
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

inline void construct_totals(ExactTotals* self, unsigned map, nb::handle dtype, std::int64_t outputs) {
    const Format in = checked_format(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
    if (is_byte_float(in) || map > static_cast<unsigned>(Map::square) || outputs < 0)
        raise("DtypeError", "exact totals of " + name_of(in) + ", map " + std::to_string(map) + ", " +
                                std::to_string(outputs) + " outputs");
    new (self) ExactTotals(in, static_cast<Map>(map), outputs);
}

inline void add_to_totals(ExactTotals& totals, nb::handle x, nb::handle axes) {
    const Sets sets(x, axes, false);
    if (sets.x.view.format != totals.in() || sets.outputs != totals.outputs())
        raise("ShapeError", "a chunk has shape " + shape_of(sets.x) + " and dtype " +
                                name_of(sets.x.view.format) + "; the totals are " +
                                std::to_string(totals.outputs()) + " of " + name_of(totals.in()));
    unlocked(sets.bytes(), [&] { totals.add(sets.x.view, sets.reduced); });
}

inline void merge_totals(ExactTotals& totals, const ExactTotals& other) {
    if (totals.in() != other.in() || totals.map() != other.map() || totals.outputs() != other.outputs())
        raise("ShapeError", "totals of another format, map or number of outputs cannot be merged");
    totals.merge(other);
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
    const Format out = checked_format(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
    Output output(nb::none(), nullptr, out, PyArray_NDIM(array), PyArray_DIMS(array));
    totals.round(static_cast<Finalize>(finalize), out, static_cast<const std::int64_t*>(PyArray_DATA(array)),
                 output.data());
    return output.finished(true);
}

inline nb::object rounded_moments(const ExactTotals& sums, const ExactTotals& squares, unsigned kind,
                                  double correction, nb::handle dtype, nb::handle counts) {
    PyArrayObject* array = checked_counts(sums, counts);
    const Format out = checked_format(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
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

inline nb::bytes encoded_totals(const ExactTotals& totals) {
    const std::string bytes = totals.encoded();
    return nb::bytes(bytes.data(), bytes.size());
}

inline bool decode_totals(ExactTotals& totals, const nb::bytes& bytes) {
    return totals.decode(bytes.c_str(), bytes.size());
}

inline void define_states(nb::module_& m) {
    nb::class_<ExactTotals>(m, "ExactTotals")
        .def("__init__", &construct_totals, "map"_a, "dtype"_a, "outputs"_a)
        .def("add", &add_to_totals, "x"_a, "axes"_a.none())
        .def("merge", &merge_totals, "other"_a)
        .def("rounded", &rounded_totals, "finalize"_a, "dtype"_a, "counts"_a)
        .def("rounded_moments", &rounded_moments, "squares"_a, "kind"_a, "correction"_a, "dtype"_a,
             "counts"_a)
        .def("elements", &elements_of_totals, "most"_a)
        .def("encoded", &encoded_totals)
        .def("decode", &decode_totals, "encoded"_a);
}

}  // namespace samesum::python
