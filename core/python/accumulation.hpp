// Reductions of arrays that come in pieces, from Python. Included by module.cpp alone.
#pragma once

#include <vector>

#include "python/reductions.hpp"
#include "run/states/accumulation.hpp"

namespace samesum::python {

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
        .def("__init__", &construct, nb::arg("code"), nb::arg("flags"), nb::arg("dtype"), nb::arg("outputs"),
             nb::arg("count"), nb::arg("tier"))
        .def("add", &add_piece, nb::arg("x"), nb::arg("axes"))
        .def("finish", &finished);
}

}  // namespace samesum::python
