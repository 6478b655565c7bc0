// Products over some dimensions, from Python. Included by module.cpp alone.
#pragma once

#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include "contractions/windows.hpp"
#include "python/reductions.hpp"

namespace samesum::python {

// The places of the elements of some dimensions, in their order, from each of these on.
inline std::vector<std::int64_t> places_of(const View& x, int first, int count,
                                           std::vector<std::int64_t> places = {0}) {
    for (int i = first; i < first + count; ++i) {
        std::vector<std::int64_t> next;
        next.reserve(places.size() * static_cast<std::size_t>(x.shape[i]));
        for (const std::int64_t place : places)
            for (std::int64_t k = 0; k < x.shape[i]; ++k) next.push_back(place + k * x.strides[i]);
        places = std::move(next);
    }
    return places;
}

// An array whose dimensions are three groups.
inline ContractionOperand operand_of(const Input& x, int batch, int outer, int inner, const char* name) {
    if (x.view.rank != batch + outer + inner)
        raise("ShapeError", std::string(name) + " has rank " + std::to_string(x.view.rank) +
                                "; asked for are " + std::to_string(batch) + ", " + std::to_string(outer) +
                                " and " + std::to_string(inner) + " dimensions");
    if (x.view.swapped) raise("DtypeError", std::string(name) + " has the other byte order");
    return {x.view.data, places_of(x.view, 0, batch), places_of(x.view, batch, outer),
            places_of(x.view, batch + outer, inner), x.view.format};
}

inline void check_group(const Input& x, int at, const Input& y, int from, int count) {
    for (int i = 0; i < count; ++i)
        if (x.view.shape[at + i] != y.view.shape[from + i])
            raise("ShapeError", "dimensions of different sizes: those of " + shape_of(x) + " from " +
                                    std::to_string(at) + " on and those of " + shape_of(y) + " from " +
                                    std::to_string(from) + " on");
}

inline bool fits_products(Format in, Format other, Format out) {
    const auto real = [](Format format) { return is_float(format) && !is_byte_float(format); };
    const auto whole = [](Format format) { return !is_float(format) && format != Format::boolean; };
    return real(in) ? other == in && real(out) : whole(in) && whole(other) && whole(out);
}

// Of products alone.
inline void check_formats(const Contraction& call) {
    const auto refuse = [](const std::string& what) { raise("DtypeError", what); };
    if (!fits_products(call.a.format, call.b.format, call.out.format))
        refuse("no products of " + name_of(call.a.format) + " and " + name_of(call.b.format) + " in " +
               name_of(call.out.format));
    const Format added = is_float(call.a.format) ? call.a.format : call.out.format;
    if (call.c.data != nullptr && call.c.format != added)
        refuse("c has dtype " + name_of(call.c.format) + "; it has to be " + name_of(added));
}

inline void check_writeable(const Input& out) {
    if (!PyArray_ISWRITEABLE(out.array)) raise("ShapeError", "out is read-only; it has to be writeable");
}

inline void contract(nb::handle a, nb::handle b, nb::handle c, nb::handle out, int batch, int rows,
                     int columns, int terms, double alpha, double beta) {
    const Input x = input_of(a), y = input_of(b), to = input_of(out);
    Contraction call{operand_of(x, batch, rows, terms, "a"),
                     operand_of(y, batch, columns, terms, "b"),
                     {},
                     operand_of(to, batch, rows, columns, "out"),
                     alpha,
                     beta};
    check_group(x, 0, y, 0, batch);
    check_group(x, 0, to, 0, batch + rows);
    check_group(y, batch, to, batch + rows, columns);
    check_group(x, batch + rows, y, batch + columns, terms);
    if (!is_float(call.a.format) && (alpha != 1 || (beta != 0 && beta != 1)))
        raise("DtypeError", "products of integers have alpha 1 and beta 0 or 1; got " +
                                std::to_string(alpha) + " and " + std::to_string(beta));
    std::optional<Input> z;
    if (!c.is_none() && beta != 0) {
        z = input_of(c);
        call.c = operand_of(*z, batch, rows, columns, "c");
        check_group(*z, 0, to, 0, batch + rows + columns);
    } else {
        call.beta = 0;
    }
    check_formats(call);
    check_writeable(to);
    unlocked(call.multiplications(), [&] { samesum::contract(call); });
}

// Places of a result (batch, groups, so many axes of results, spatial axes): groups are batches, the others
// columns.
inline ContractionOperand results_of(const View& x, int results) {
    const int spatial = x.rank - 2 - results;
    return {x.data, places_of(x, 1, 1), places_of(x, 2, results),
            places_of(x, 2 + results, spatial, places_of(x, 0, 1)), x.format};
}

inline void convolve(nb::handle x, nb::handle weight, nb::handle term, nb::handle out,
                     const std::vector<std::array<std::int64_t, 3>>& axes) {
    Input data = input_of(x), result = input_of(out);
    const Input kernel = input_of(weight);
    const int rank = data.view.rank, spatial = static_cast<int>(axes.size());
    const int results = result.view.rank - spatial - 2;  // axes of the results of a place
    if (spatial == 0 || rank != spatial + 3 || results < 1)
        raise("ShapeError", "x has shape " + shape_of(data) + " and out " + shape_of(result) +
                                "; asked for are three axes before " + std::to_string(spatial));
    Contraction call;
    call.a = operand_of(kernel, 1, results, spatial + 1, "weight");
    check_group(data, 1, kernel, 0, 1);
    check_group(data, 2, kernel, 1 + results, 1);
    check_group(data, 0, result, 0, 2);
    check_group(kernel, 1, result, 2, results);
    std::vector<Taps> taps;
    for (int i = 0; i < spatial; ++i) {
        const auto& [start, step, reach] = axes[static_cast<std::size_t>(i)];
        const int axis = 2 + results + i;
        taps.push_back({start, step, reach, result.view.shape[axis], kernel.view.shape[axis]});
    }
    call.out = results_of(result.view, results);
    std::optional<Input> added;
    std::int64_t strides[max_rank];
    if (!term.is_none()) {
        added = input_of(term);
        if (!spread(*added, result.view.rank, result.view.shape, strides))
            raise("ShapeError",
                  "a term of shape " + shape_of(*added) + " does not broadcast to " + shape_of(result));
        View view = added->view;
        view.rank = result.view.rank, view.shape = result.view.shape, view.strides = strides;
        call.c = results_of(view, results);
        call.beta = 1;
    }
    call.b.format = data.view.format;
    check_formats(call);
    check_writeable(result);
    const Extents extents(data.view);
    unlocked(call.multiplications(), [&] { samesum::convolve(call, data.view, taps); });
}

inline void define_contractions(nb::module_& m) {
    m.def("convolve", &convolve, "x"_a, "weight"_a, "term"_a.none(), "out"_a, "axes"_a);
    m.def("contract", &contract, "a"_a, "b"_a, "c"_a.none(), "out"_a, "batch"_a, "rows"_a, "columns"_a,
          "terms"_a, "alpha"_a, "beta"_a);
}

}  // namespace samesum::python
