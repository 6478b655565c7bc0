// What a standard says of its operators, as the Python side declares it: one row for each version.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/format.hpp"
#include "onnxruntime/c_api.hpp"

namespace samesum::onnxruntime {

enum class Kind : std::uint8_t {
    reduction,
    scan,
    softmax,
    log_softmax,
    hardmax,
    layer_norm,  // over all axes from one on
    group_norm,
    instance_norm,
    mean_variance_norm,
    lp_norm,
    global_pool,
    scatter_elements,
    scatter_slices,
    evaluated  // by whoever declares it
};

// What an attribute sets.
enum class Field : std::uint8_t {
    axes,
    keepdims,
    noop_with_empty_axes,
    axis,
    select_last,
    exclusive,
    reverse,
    epsilon,
    num_groups,
    p,
    float_p,     // of the first GlobalLpPool
    reduction,   // a word
    stash_type,  // a number of an element type
    ignored,     // what changes no result
    integer,     // of what is evaluated elsewhere: handed over as it is
    integers,
    number,
    numbers,
    text
};

struct Attribute {
    std::string name;
    Field field;
    std::vector<double> values;  // if a node leaves it out; none if it may not

    double value() const { return values.empty() ? 0 : values.front(); }
};

// The input after the data that names axes.
struct AxesInput {
    std::vector<ElementType> types;
    std::size_t min_rank, max_rank;
    bool optional;
};

// A scale, a bias, places or updates, of the type of the data or, where others are listed, of one of these.
struct ParameterInput {
    std::string name;
    std::vector<ElementType> types;
    bool optional;
};

// What an output after the first one has of each line.
enum class InnerOutput : std::uint8_t { mean, inverse };

// Its type, float32, which stash_type 1 names. The runtime tells types of outputs by those of inputs alone,
// so that there is no other.
inline constexpr ElementType inner_type = 1;

struct Version {
    std::string domain;  // none is ONNX's own
    std::string name;
    int since;             // the first opset that has it; 0 for the one that serves an unknown opset
    int registered_since;  // the version that the runtime is told
    Kind kind;
    unsigned code;  // the pieces of a reduction or a normalization, the combine of a scan
    std::vector<ElementType> types;
    std::optional<ElementType> result;  // where it is not the type of the data
    std::size_t min_rank;               // of the data
    bool as_matrix;                     // the axis splits the data into a matrix, whose rows are what counts
    std::optional<AxesInput> axes;
    std::vector<Attribute> attributes;
    std::vector<ParameterInput> parameters;
    std::vector<InnerOutput> inner_outputs;

    // Those of the second input where they are not those of the data: types of axes, of places or of a scale,
    // which the result has then.
    const std::vector<ElementType>& second_types() const;
    bool has_typed_second() const {
        return axes.has_value() || (!parameters.empty() && !parameters.front().types.empty());
    }
    bool has_typed_scale() const { return kind == Kind::layer_norm && has_typed_second(); }
    bool is_scatter() const { return kind == Kind::scatter_elements || kind == Kind::scatter_slices; }
    ElementType result_type(ElementType type, ElementType second) const {
        return has_typed_scale() ? second : result.value_or(type);
    }
    std::string title() const;
};

// The number of an element type by its NumPy name; none if the core does not compute with it.
std::optional<ElementType> element_type_of(const std::string& name);
Format format_of(ElementType type);

// Said once, before the first session.
void declare_versions(std::vector<Version> versions);

std::vector<const Version*> versions_of(const std::string& name);

// The version of each operator that a model of this opset means; 0 for an unknown opset.
std::vector<const Version*> versions_at(int opset);

}  // namespace samesum::onnxruntime
