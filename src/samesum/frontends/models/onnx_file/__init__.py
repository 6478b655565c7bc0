"""ONNX files: the only place that reads protobuf messages; the onnx package is imported on first use."""
