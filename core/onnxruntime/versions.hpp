// What a standard says of its operators, as the Python side declares it: one row for each version.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/format.hpp"
#include "onnxruntime/c_api.hpp"

namespace samesum::onnxruntime {

enum class Kind : std::uint8_t { reduction, scan, softmax, log_softmax, hardmax };

// What an attribute sets.
enum class Field : std::uint8_t {
    axes,
    keepdims,
    noop_with_empty_axes,
    axis,
    select_last,
    exclusive,
    reverse
};

struct Attribute {
    std::string name;
    Field field;
    std::int64_t value;  // if a node leaves it out; for axes it means nothing
};

// The input after the data that names axes.
struct AxesInput {
    std::vector<ElementType> types;
    std::size_t min_rank, max_rank;
    bool optional;
};

struct Version {
    std::string name;
    int since;             // the first opset that has it; 0 for the one that serves an unknown opset
    int registered_since;  // the version that the runtime is told
    Kind kind;
    unsigned code;  // the pieces of a reduction, the combine of a scan
    std::vector<ElementType> types;
    std::optional<ElementType> result;  // where it is not the type of the data
    std::size_t min_rank;               // of the data
    bool as_matrix;                     // the axis splits the data into a matrix, whose rows are what counts
    std::optional<AxesInput> axes;
    std::vector<Attribute> attributes;

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
