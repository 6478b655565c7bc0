// Masks of Python: which elements of an array a reduction takes. Included by reductions.hpp alone.
#pragma once

#include <string>

#include "python/arrays.hpp"

namespace samesum::python {

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

}  // namespace samesum::python
