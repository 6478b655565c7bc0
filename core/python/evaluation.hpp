// Operators that Python computes inside another runtime. Included by module.cpp alone.
#pragma once

#include <memory>
#include <utility>

#include "onnxruntime/evaluation.hpp"
#include "python/arrays.hpp"

namespace samesum::python {

// A function of the inputs that gives an array.
class PythonNode final : public onnxruntime::Evaluated {
  public:
    explicit PythonNode(nb::object function) : function_(std::move(function)) {}
    PythonNode(const PythonNode&) = delete;
    PythonNode& operator=(const PythonNode&) = delete;

    // A session may outlive the interpreter, and then nothing is to be given back.
    ~PythonNode() override {
        if (Py_IsInitialized() == 0) {
            function_.release();
        } else {
            const nb::gil_scoped_acquire gil;
            function_.reset();
        }
    }

    void compute(const std::vector<std::optional<onnxruntime::Tensor>>& inputs, Format format,
                 const Result& result) const override {
        const nb::gil_scoped_acquire gil;
        refusing([&] {
            nb::list arrays;
            for (const auto& each : inputs)
                arrays.append(each ? over(each->data, each->rank, each->shape, format, 0) : nb::none());
            const nb::object found = function_(arrays);
            PyArrayObject* const array = checked_array(found, "a result");
            const auto rank = static_cast<std::size_t>(PyArray_NDIM(array));
            const std::vector<std::int64_t> shape(PyArray_DIMS(array), PyArray_DIMS(array) + rank);
            void* const data = result(shape.data(), rank);
            const nb::object out =
                over(data, rank, shape.data(), *format_of(PyArray_DESCR(array)), NPY_ARRAY_WRITEABLE);
            if (PyArray_CopyInto(array_of(out), array) < 0) throw nb::python_error();
        });
    }

    // What Python raises becomes a refusal in its words.
    template <class Work>
    static void refusing(Work&& work) {
        try {
            work();
        } catch (nb::python_error& error) {
            throw onnxruntime::Refusal(text(error.value()));
        }
    }

  private:
    static nb::object over(void* data, std::size_t rank, const std::int64_t* shape, Format format,
                           int flags) {
        npy_intp dims[max_rank];
        std::copy_n(shape, rank, dims);
        nb::object array = nb::steal(PyArray_NewFromDescr(
            &PyArray_Type, descr_of(format), static_cast<int>(rank), dims, nullptr, data, flags, nullptr));
        if (!array.is_valid()) throw nb::python_error();
        return array;
    }

    nb::object function_;
};

inline nb::object object_of(const onnxruntime::GivenValue& value) {
    return std::visit(
        [](const auto& each) -> nb::object {
            if constexpr (requires { each.push_back({}); } && !requires { each.c_str(); }) {
                nb::list list;
                for (const auto number : each) list.append(number);
                return nb::tuple(list);
            } else {
                return nb::cast(each);
            }
        },
        value);
}

// `function` of domain, name, opset (0: unknown) and attributes gives the function of one node.
inline void evaluate_with(nb::object function) {
    auto* const kept = new nb::object(std::move(function));  // as long as the process
    onnxruntime::evaluate_with([kept](const onnxruntime::Version& version, const onnxruntime::Given& given) {
        const nb::gil_scoped_acquire gil;
        std::unique_ptr<onnxruntime::Evaluated> node;
        PythonNode::refusing([&] {
            nb::dict attributes;
            for (const auto& [name, value] : given) attributes[name.c_str()] = object_of(value);
            node = std::make_unique<PythonNode>(
                (*kept)(version.domain, version.name, version.since, attributes));
        });
        return node;
    });
}

}  // namespace samesum::python
