// Normalizations about a mean or by a norm, from Python. Included by module.cpp alone.
#pragma once

#include <optional>

#include "python/reductions.hpp"
#include "run/norms.hpp"

namespace samesum::python {

// An array of float64 of the shape of x.
inline std::optional<Input> scale_of(nb::handle object, const Input& x, const char* name) {
    if (object.is_none()) return std::nullopt;
    Input scale = input_of(object);
    const bool fits = scale.view.format == Format::f64 && !scale.view.swapped &&
                      scale.view.rank == x.view.rank &&
                      std::equal(x.view.shape, x.view.shape + x.view.rank, scale.view.shape);
    if (!fits)
        raise("ShapeError", std::string(name) + " has to be of float64 and the shape " + shape_of(x) +
                                "; got " + shape_of(scale));
    return scale;
}

inline Format norm_format(Format in, nb::handle dtype) {
    const Format format =
        dtype.is_none() ? in : checked_format(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
    for (const Format each : {in, format}) {
        if (!is_float(each) || is_byte_float(each))
            raise("DtypeError", "a normalization of " + name_of(each) +
                                    " does not exist; allowed are float16, bfloat16, float32 and float64");
    }
    return format;
}

// The results, or these and the inverse of what each line was divided by if a type of it is given.
inline nb::object normalize_lines(nb::handle x, nb::handle axes, unsigned divisor, bool centred,
                                  bool over_count, bool at_least, double inside, double outside,
                                  nb::handle scale, nb::handle bias, nb::handle dtype, nb::handle out,
                                  nb::handle inverse_dtype) {
    if (divisor > static_cast<unsigned>(Divisor::one) || !(inside >= 0) || !(outside >= 0))
        raise("AttributeValueError", "there is no normalization of divisor " + std::to_string(divisor) +
                                         ", " + std::to_string(inside) + " within and " +
                                         std::to_string(outside) + " outside the root");
    Sets sets(x, axes, true);
    const Format format = norm_format(sets.x.view.format, dtype);
    const std::optional<Input> scales = scale_of(scale, sets.x, "scale"),
                               biases = scale_of(bias, sets.x, "bias");
    Output output(out, sets.x.array, format, sets.x.view.rank, PyArray_DIMS(sets.x.array));
    std::optional<Output> inverse;
    Format inverse_format = Format::f32;
    if (!inverse_dtype.is_none()) {
        inverse_format = norm_format(Format::f32, inverse_dtype);
        inverse.emplace(nb::none(), sets.x.array, inverse_format, sets.rank, sets.shape);
    }
    if (sets.x.count > 0) {
        const NormCall call{sets.x.view,
                            sets.reduced,
                            {static_cast<Divisor>(divisor), centred, over_count, at_least, inside, outside},
                            scales ? &scales->view : nullptr,
                            biases ? &biases->view : nullptr,
                            format,
                            output.data(),
                            inverse ? inverse->data() : nullptr,
                            inverse_format};
        unlocked(sets.x.count * normalized_element_bytes, [&] { samesum::normalize_lines(call); });
    }
    if (!inverse) return output.finished();
    return nb::make_tuple(output.finished(), inverse->finished());
}

}  // namespace samesum::python
