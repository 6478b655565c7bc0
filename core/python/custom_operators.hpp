// The standard's operators as Python declares them for other runtimes. Included by module.cpp alone.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "onnxruntime/kernel.hpp"
#include "onnxruntime/versions.hpp"
#include "python/arrays.hpp"

namespace samesum::python {

using AttributeRow = std::tuple<std::string, std::string, std::vector<double>>;  // name, meaning, default
// Types, the least and the greatest rank, whether it may be left out.
using AxesRow = std::tuple<std::vector<std::string>, std::size_t, std::size_t, bool>;
// Name, types, whether it may be left out.
using ParameterRow = std::tuple<std::string, std::vector<std::string>, bool>;
// Name (in another domain than ONNX's own behind its name and a dot), since, registered since, kind, code,
// types, type of the result, least rank, as a matrix, axes, attributes, parameters, inner outputs.
using VersionRow = std::tuple<std::string, int, int, std::string, unsigned, std::vector<std::string>,
                              std::optional<std::string>, std::size_t, bool, std::optional<AxesRow>,
                              std::vector<AttributeRow>, std::vector<ParameterRow>, std::vector<std::string>>;

// The place of a word among those that are known.
inline std::size_t place_of(const std::string& word, const std::vector<std::string>& known) {
    const auto found = std::find(known.begin(), known.end(), word);
    if (found == known.end()) raise("ModelError", "'" + word + "' is no word of a declared operator");
    return static_cast<std::size_t>(found - known.begin());
}

inline std::vector<onnxruntime::ElementType> types_of(const std::vector<std::string>& names) {
    std::vector<onnxruntime::ElementType> types;
    for (const std::string& name : names) {
        const auto type = onnxruntime::element_type_of(name);
        if (!type) raise("DtypeError", name + " is no element type of other runtimes");
        types.push_back(*type);
    }
    return types;
}

inline onnxruntime::Version version_of(const VersionRow& row) {
    static const std::vector<std::string> kinds{
        "reduction",      "scan",          "softmax",       "log_softmax", "hardmax",     "layer_norm",
        "group_norm",     "instance_norm", "mean_variance", "lp_norm",     "global_pool", "scatter_elements",
        "scatter_slices", "evaluated"};
    static const std::vector<std::string> fields{"axes",       "keepdims",    "noop_with_empty_axes",
                                                 "axis",       "select_last", "exclusive",
                                                 "reverse",    "epsilon",     "num_groups",
                                                 "p",          "float_p",     "reduction",
                                                 "stash_type", "ignored",     "integer",
                                                 "integers",   "number",      "numbers",
                                                 "text"};
    static const std::vector<std::string> inner_outputs{"mean", "inverse"};
    const auto& [title, since, registered, kind, code, types, result, min_rank, matrix, axes, attributes,
                 parameters, inner] = row;
    const std::size_t dot = title.rfind('.');
    const std::string domain = title.substr(0, dot == std::string::npos ? 0 : dot),
                      name = title.substr(dot + 1);
    onnxruntime::Version version{domain,
                                 name,
                                 since,
                                 registered,
                                 static_cast<onnxruntime::Kind>(place_of(kind, kinds)),
                                 code,
                                 types_of(types),
                                 std::nullopt,
                                 min_rank,
                                 matrix,
                                 std::nullopt,
                                 {},
                                 {},
                                 {}};
    if (result) version.result = types_of({*result}).front();
    if (axes) {
        const auto& [axes_types, least, most, optional] = *axes;
        version.axes = onnxruntime::AxesInput{types_of(axes_types), least, most, optional};
    }
    for (const auto& [word, meaning, value] : attributes)
        version.attributes.push_back(
            {word, static_cast<onnxruntime::Field>(place_of(meaning, fields)), value});
    for (const auto& [word, own, optional] : parameters)
        version.parameters.push_back({word, types_of(own), optional});
    for (const std::string& each : inner)
        version.inner_outputs.push_back(static_cast<onnxruntime::InnerOutput>(place_of(each, inner_outputs)));
    return version;
}

inline void declare_operators(const std::vector<VersionRow>& rows) {
    std::vector<onnxruntime::Version> versions;
    for (const VersionRow& row : rows) versions.push_back(version_of(row));
    onnxruntime::declare_versions(std::move(versions));
}

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
