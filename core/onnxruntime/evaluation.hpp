// Operators that whoever declares them computes: attributes and inputs are handed over as they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "onnxruntime/calls.hpp"
#include "onnxruntime/versions.hpp"

namespace samesum::onnxruntime {

using GivenValue =
    std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<float>>;
// The attributes that a node has.
using Given = std::vector<std::pair<std::string, GivenValue>>;

// One node. What it throws is a Refusal.
class Evaluated {
  public:
    // The memory for the result, which is written next.
    using Result = std::function<void*(const std::int64_t* shape, std::size_t rank)>;

    virtual ~Evaluated() = default;
    // Inputs that are left out are none; all have one element type.
    virtual void compute(const std::vector<std::optional<Tensor>>& inputs, Format format,
                         const Result& result) const = 0;
};

using Evaluator = std::function<std::unique_ptr<Evaluated>(const Version&, const Given&)>;

// Said once, before the first session.
void evaluate_with(Evaluator evaluator);
std::unique_ptr<Evaluated> evaluated(const Version& version, const Given& given);

}  // namespace samesum::onnxruntime
