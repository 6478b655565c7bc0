// The shape of a node's output as far as it is known before the model runs.
#pragma once

#include "onnxruntime/versions.hpp"

namespace samesum::onnxruntime {

// Tells the runtime, whose own rules for the operator this one has replaced. Nothing is said where the axes
// are an input, nor of data whose rank or kept dimensions are open and have no name.
void infer_shape(const Version& version, const OrtApi& api, OrtShapeInferContext* context);

}  // namespace samesum::onnxruntime
