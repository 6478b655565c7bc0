// Products over some dimensions, from Python. Included by module.cpp alone.
#pragma once

#include "contractions/contraction.hpp"
#include "python/reductions.hpp"

namespace samesum::python {

// The places of the elements of some dimensions, in their order.
inline std::vector<std::int64_t> places_of(const View& x, int first, int count) {
    std::vector<std::int64_t> places{0};
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
    const auto refuse = [](const std::string& what) { raise("DtypeError", what); };
    if (!fits_products(call.a.format, call.b.format, call.out.format))
        refuse("no products of " + name_of(call.a.format) + " and " + name_of(call.b.format) + " in " +
               name_of(call.out.format));
    const bool real = is_float(call.a.format);
    if (!real && (alpha != 1 || (beta != 0 && beta != 1)))
        refuse("products of integers have alpha 1 and beta 0 or 1; got " + std::to_string(alpha) + " and " +
               std::to_string(beta));
    std::optional<Input> z;
    if (!c.is_none() && beta != 0) {
        z = input_of(c);
        call.c = operand_of(*z, batch, rows, columns, "c");
        check_group(*z, 0, to, 0, batch + rows + columns);
        if (call.c.format != (real ? call.a.format : call.out.format))
            refuse("c has dtype " + name_of(call.c.format) + "; it has to be " +
                   name_of(real ? call.a.format : call.out.format));
    } else {
        call.beta = 0;
    }
    if (!PyArray_ISWRITEABLE(to.array)) raise("ShapeError", "out is read-only; it has to be writeable");
    unlocked(call.multiplications(), [&] { samesum::contract(call); });
}

inline void define_contractions(nb::module_& m) {
    m.def("contract", &contract, "a"_a, "b"_a, "c"_a.none(), "out"_a, "batch"_a, "rows"_a, "columns"_a,
          "terms"_a, "alpha"_a, "beta"_a);
}

}  // namespace samesum::python
