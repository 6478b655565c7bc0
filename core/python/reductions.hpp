// Reductions from Python: which types and shapes they give, and what is refused. Included by module.cpp
// alone.
#pragma once

#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "python/arrays.hpp"
#include "python/outputs.hpp"
#include "run/reduce/reduce.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum::python {

// Masks of Python: which elements of an array a reduction takes. Included by reductions.hpp alone.
inline std::string shape_of(PyArrayObject* array) {
    return text(nb::handle(reinterpret_cast<PyObject*>(array)).attr("shape"));
}

// `where`, of any shape that broadcasts to that of the array; without one all elements are chosen.
class Mask {
  public:
    Mask(nb::handle where, Input& x) {
        if (where.is_none()) return;
        input_ = input_of(where);
        const View& view = input_->view;
        if (view.format != Format::boolean)
            raise("DtypeError", "where has dtype " + name_of(view.format) + "; allowed is bool");
        if (!spread(*input_, x.view.rank, x.view.shape, strides_)) {
            raise("ShapeError", "where has shape " + shape_of(input_->array) +
                                    ", which does not broadcast to " + shape_of(x.array));
        }
        x.view.mask = view.data;
        x.view.mask_strides = strides_;
    }
    Mask(const Mask&) = delete;
    Mask& operator=(const Mask&) = delete;

    // Null without a mask.
    PyArrayObject* array() const { return input_ ? input_->array : nullptr; }

  private:
    std::optional<Input> input_;
    std::int64_t strides_[max_rank];
};

// Runs work on so many bytes without the interpreter's lock where it may use threads or is long enough to
// matter.
template <class Work>
void unlocked(std::int64_t bytes, Work&& work) {
    try {
        if (bytes >= unlocked_bytes) {
            const nb::gil_scoped_release release;
            const Interruptible interruptible;
            work();
        } else {
            work();
        }
    } catch (const Interrupted&) {
        throw nb::python_error();  // set by the signal handler
    }
}

inline std::string shape_of(const Input& x) {
    return text(nb::handle(reinterpret_cast<PyObject*>(x.array)).attr("shape"));
}

inline bool is_logical(Combine combine) {
    return combine == Combine::logical_and || combine == Combine::logical_or;
}

inline std::string no_extreme_of_empty(const Reduction& row) {
    const bool minimum = row.combine == Combine::minimum || row.combine == Combine::minimum_position;
    return std::string("no ") + (is_position(row.combine) ? "position of a " : "") +
           (minimum ? "minimum" : "maximum") + " of an empty set: ";
}

inline bool refuses_empty(const Reduction& row, unsigned flags) {
    return (flags & Flag::refuse_empty) != 0 || is_position(row.combine);
}

inline void check_empty(const Reduction& row, Format format, unsigned flags, const Input& x) {
    if (refuses_empty(row, flags))
        raise("ShapeError", no_extreme_of_empty(row) + "the shape is " + shape_of(x));
    if (row.finalize == Finalize::over_count && !is_float(format)) {
        raise("ShapeError",
              "no mean of an empty set in " + name_of(format) + ": the shape is " + shape_of(x));
    }
}

inline bool takes_byte_floats(const Reduction& row) {
    const bool sum = (row.combine == Combine::sum || row.combine == Combine::spread) &&
                     row.map != Map::exponential && row.finalize != Finalize::logarithm;
    return sum || is_extreme(row.combine);
}

inline Format format_for(const Reduction& row, Format in, unsigned flags, nb::handle dtype) {
    if (is_byte_float(in) && !takes_byte_floats(row)) {
        raise("DtypeError", name_of(in) + " is accepted by sum, mean, var, std, min, max and the norms only");
    }
    if (is_logical(row.combine)) return Format::boolean;
    if (is_position(row.combine)) return Format::i64;
    if (row.combine == Combine::spread) flags |= Flag::real;
    const Format format = result_format(in, flags, dtype);
    if (is_extreme(row.combine) && format != in) {
        raise("DtypeError", "an extreme of " + name_of(in) + " has its type; asked for " + name_of(format));
    }
    if (format == Format::boolean && !is_extreme(row.combine)) {
        raise("DtypeError", "bool has no sum or product; allowed are integer and float dtypes");
    }
    if (row.combine == Combine::spread && !is_float(format)) {
        raise("DtypeError", "a variance has no integer type; asked for " + name_of(format));
    }
    return format;
}

// What is reduced, and in which shape the results come.
struct Sets {
    Input x;
    const Mask mask;
    const Extents extents;
    bool reduced[max_rank] = {};
    npy_intp shape[max_rank], outputs = 1, count = 1;  // `count` elements in each set
    int rank = 0;

    Sets(nb::handle object, nb::handle axes, bool keepdims, nb::handle where = nb::none())
        : x(input_of(object)), mask(where, x), extents(x.view) {
        mark_axes(axes, x.view.rank, reduced);
        for (int i = 0; i < x.view.rank; ++i) {
            const npy_intp size = x.view.shape[i];
            (reduced[i] ? count : outputs) *= size;
            if (!reduced[i])
                shape[rank++] = size;
            else if (keepdims)
                shape[rank++] = 1;
        }
    }

    bool are_empty() const { return outputs > 0 && count == 0; }
    std::int64_t result_bytes(Format format) const {
        return outputs * static_cast<std::int64_t>(size_of(format));
    }
    std::int64_t bytes() const { return x.count * static_cast<std::int64_t>(size_of(x.view.format)); }
};

// How many sets there are of which a mask chooses no element.
inline std::int64_t unchosen_sets(const Sets& sets) {
    if (sets.x.view.mask == nullptr || sets.outputs == 0 || sets.are_empty()) return 0;
    const View& x = sets.x.view;
    const View mask{x.mask, x.rank, x.shape, x.mask_strides, Format::boolean, false};
    std::vector<char> any(static_cast<std::size_t>(sets.outputs));
    unlocked(sets.x.count, [&] {
        samesum::reduce(mask, sets.reduced, {Map::itself, Combine::logical_or, Finalize::itself, false},
                        Format::boolean, any.data());
    });
    return std::count(any.begin(), any.end(), 0);
}

// A mask has to choose an element of each set of which an empty one has no value. `unchosen` is counted for
// the first row that asks.
inline void check_chosen(const Reduction& row, unsigned flags, const Sets& sets,
                         std::optional<std::int64_t>& unchosen) {
    if (!refuses_empty(row, flags)) return;
    if (!unchosen) unchosen = unchosen_sets(sets);
    if (*unchosen > 0)
        raise("ShapeError", no_extreme_of_empty(row) + "where chooses nothing in " +
                                std::to_string(*unchosen) + " of " + std::to_string(sets.outputs) + " sets");
}

inline Reduction reduction_of(unsigned code, unsigned flags) {
    const Reduction row{static_cast<Map>(code & 15), static_cast<Combine>(code >> 4 & 15),
                        static_cast<Finalize>(code >> 8), (flags & Flag::select_last) != 0};
    if (row.map > Map::exponential || row.combine > Combine::spread || code >> 8 > by(Finalize::logarithm))
        raise("AttributeValueError", "there is no reduction of code " + std::to_string(code));
    return row;
}

// The results of one reduction: an array, a scalar of NumPy or `out`.
inline nb::object results_of(Sets& sets, const Reduction& row, Format format, unsigned flags,
                             nb::handle out) {
    const auto write = [&](void* to) {
        if (sets.are_empty())
            fill_empty(row, format, to, sets.outputs);
        else if (sets.outputs > 0)
            unlocked(std::max(sets.bytes(), sets.result_bytes(format)),
                     [&] { samesum::reduce(sets.x.view, sets.reduced, row, format, to); });
    };
    const bool scalar = (flags & Flag::scalar) != 0 && sets.rank == 0 && out.is_none();
    if (scalar && format != Format::bf16 && !is_byte_float(format)) {
        // Without the array, which would take longer than the sum of some elements.
        alignas(16) char value[16];
        write(value);
        const nb::object descr = nb::steal(reinterpret_cast<PyObject*>(descr_of(format)));
        return scalar_of(value, reinterpret_cast<PyArray_Descr*>(descr.ptr()), nullptr);
    }
    Output output(out, sets.x.array, format, sets.rank, sets.shape, {sets.mask.array()});
    write(output.data());
    return output.finished(scalar);
}

inline nb::object reduce_row(const Reduction& row, nb::handle x, nb::handle axes, unsigned flags,
                             nb::handle dtype, nb::handle out, nb::handle where) {
    Sets sets(x, axes, (flags & Flag::keepdims) != 0, where);
    if ((flags & Flag::skip_nan) && is_float(sets.x.view.format)) sets.x.view.skip = Skip::nan;
    const Format format = format_for(row, sets.x.view.format, flags, dtype);
    if (sets.are_empty()) check_empty(row, format, flags, sets.x);
    std::optional<std::int64_t> unchosen;
    check_chosen(row, flags, sets, unchosen);
    return results_of(sets, row, format, flags, out);
}

inline nb::object reduce(unsigned code, nb::handle x, nb::handle axes, unsigned flags, nb::handle dtype,
                         nb::handle out, nb::handle where) {
    if (nb::object later = deferred("reduce", x, code, axes, flags, dtype, out, where); !later.is_none())
        return later;
    return reduce_row(reduction_of(code, flags), x, axes, flags, dtype, out, where);
}

inline void define_reductions(nb::module_& m) {
    m.def("reduce", &reduce, "code"_a, "x"_a.none(), "axes"_a.none(), "flags"_a, "dtype"_a.none(),
          "out"_a.none(), or_none("where"));
}

// How many elements are not zero, as int64; a NaN is not.
inline nb::object count_nonzero(nb::handle x, nb::handle axes, unsigned flags, nb::handle where) {
    if (nb::object later = deferred("count_nonzero", x, axes, flags, where); !later.is_none()) return later;
    Sets sets(x, axes, (flags & Flag::keepdims) != 0, where);
    sets.x.view.skip = Skip::zeros;
    constexpr Reduction count{Map::itself, Combine::sum, Finalize::itself, false};
    return results_of(sets, count, Format::i64, flags, nb::none());
}

// A variance or its root, with its correction.
inline nb::object reduce_corrected(unsigned code, nb::handle x, nb::handle axes, unsigned flags,
                                   nb::handle dtype, nb::handle out, double correction, nb::handle where) {
    if (nb::object later = deferred("reduce_corrected", x, code, axes, flags, dtype, out, correction, where);
        !later.is_none())
        return later;
    Reduction row = reduction_of(code, flags);
    if (!std::isfinite(correction)) raise("AttributeValueError", "the correction is not finite");
    row.correction = correction;
    return reduce_row(row, x, axes, flags, dtype, out, where);
}

// One result for each code, with its own flags but for keepdims; `dtype` is that of all but extremes,
// positions and what is true.
inline nb::object reduce_several(const std::vector<unsigned>& codes, nb::handle x, nb::handle axes,
                                 const std::vector<unsigned>& flags, bool keepdims, bool scalars,
                                 nb::handle dtype, nb::handle where) {
    if (nb::object later = deferred("reduce_several", x, codes, axes, flags, keepdims, dtype, where);
        !later.is_none())
        return later;
    Sets sets(x, axes, keepdims, where);
    std::vector<Output> outputs;
    std::vector<Result> results;
    std::optional<std::int64_t> unchosen;
    std::int64_t most_bytes = 0;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const Reduction row = reduction_of(codes[i], flags.at(i));
        const Format format =
            format_for(row, sets.x.view.format, flags[i], is_extreme(row.combine) ? nb::none() : dtype);
        if (sets.are_empty()) check_empty(row, format, flags[i], sets.x);
        check_chosen(row, flags[i], sets, unchosen);
        outputs.emplace_back(nb::none(), sets.x.array, format, sets.rank, sets.shape);
        results.push_back({row, format, outputs.back().data()});
        most_bytes = std::max(most_bytes, sets.result_bytes(format));
    }
    if (sets.are_empty()) {
        for (const Result& each : results) fill_empty(each.row, each.format, each.out, sets.outputs);
    } else if (sets.outputs > 0) {
        unlocked(std::max(sets.bytes(), most_bytes),
                 [&] { samesum::reduce_several(sets.x.view, sets.reduced, results.data(), results.size()); });
    }
    nb::list arrays;
    for (Output& each : outputs) arrays.append(each.finished(scalars));
    return arrays;
}

inline void define_several_reductions(nb::module_& m) {
    m.def("reduce_corrected", &reduce_corrected, "code"_a, "x"_a.none(), "axes"_a.none(), "flags"_a,
          "dtype"_a.none(), "out"_a.none(), "correction"_a, or_none("where"));
    m.def("count_nonzero", &count_nonzero, "x"_a.none(), "axes"_a.none(), "flags"_a, or_none("where"));
    m.def("reduce_several", &reduce_several, "codes"_a, "x"_a.none(), "axes"_a.none(), "flags"_a,
          "keepdims"_a, "scalars"_a = false, or_none("dtype"), or_none("where"));
}

}  // namespace samesum::python
