// Reductions from Python with more arguments, or with several results. Included by module.cpp alone.
#pragma once

#include <nanobind/stl/vector.h>

#include <cmath>
#include <vector>

#include "python/reductions.hpp"

namespace samesum::python {

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
