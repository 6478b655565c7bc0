// The part of ONNX Runtime's C interface that custom operators need.
//
// Source: https://github.com/microsoft/onnxruntime, include/onnxruntime/core/session/onnxruntime_c_api.h,
// ORT_API_VERSION 20. The table of functions and the operator's structure only ever grow at their ends: an
// entry has the same place in every later version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "layout/plan.hpp"

namespace samesum::onnxruntime {

extern "C" {

struct OrtStatus;
struct OrtValue;
struct OrtTensorTypeAndShapeInfo;
struct OrtSessionOptions;
struct OrtCustomOpDomain;
struct OrtKernelInfo;
struct OrtKernelContext;
struct OrtShapeInferContext;
struct OrtOpAttr;

// ORT 1.N has the API versions up to N.
constexpr std::uint32_t api_version = 20;
constexpr std::size_t api_entries = 285;

struct OrtApi {
    void (*entry[api_entries])();
};

struct OrtApiBase {
    const OrtApi* (*GetApi)(std::uint32_t version);  // null if the library is older than that
    const char* (*GetVersionString)();
};

enum OrtErrorCode { ORT_OK, ORT_FAIL, ORT_INVALID_ARGUMENT };

enum OrtCustomOpInputOutputCharacteristic { INPUT_OUTPUT_REQUIRED, INPUT_OUTPUT_OPTIONAL };

enum OrtOpAttrType { ORT_OP_ATTR_UNDEFINED, ORT_OP_ATTR_INT, ORT_OP_ATTR_INTS };

enum OrtMemType { OrtMemTypeDefault = 0 };

// An ONNX element type: TensorProto.DataType of the standard.
using ElementType = int;

struct OrtCustomOp {
    std::uint32_t version;
    void* (*CreateKernel)(const OrtCustomOp*, const OrtApi*, const OrtKernelInfo*);
    const char* (*GetName)(const OrtCustomOp*);
    const char* (*GetExecutionProviderType)(const OrtCustomOp*);
    ElementType (*GetInputType)(const OrtCustomOp*, std::size_t index);
    std::size_t (*GetInputTypeCount)(const OrtCustomOp*);
    ElementType (*GetOutputType)(const OrtCustomOp*, std::size_t index);
    std::size_t (*GetOutputTypeCount)(const OrtCustomOp*);
    void (*KernelCompute)(void* kernel, OrtKernelContext*);
    void (*KernelDestroy)(void* kernel);
    OrtCustomOpInputOutputCharacteristic (*GetInputCharacteristic)(const OrtCustomOp*, std::size_t index);
    OrtCustomOpInputOutputCharacteristic (*GetOutputCharacteristic)(const OrtCustomOp*, std::size_t index);
    OrtMemType (*GetInputMemoryType)(const OrtCustomOp*, std::size_t index);
    int (*GetVariadicInputMinArity)(const OrtCustomOp*);
    int (*GetVariadicInputHomogeneity)(const OrtCustomOp*);
    int (*GetVariadicOutputMinArity)(const OrtCustomOp*);
    int (*GetVariadicOutputHomogeneity)(const OrtCustomOp*);
    OrtStatus* (*CreateKernelV2)(const OrtCustomOp*, const OrtApi*, const OrtKernelInfo*, void** kernel);
    OrtStatus* (*KernelComputeV2)(void* kernel, OrtKernelContext*);
    OrtStatus* (*InferOutputShapeFn)(const OrtCustomOp*, OrtShapeInferContext*);
    int (*GetStartVersion)(const OrtCustomOp*);
    int (*GetEndVersion)(const OrtCustomOp*);
    std::size_t (*GetMayInplace)(int** inputs, int** outputs);
    void (*ReleaseMayInplace)(int* inputs, int* outputs);
    std::size_t (*GetAliasMap)(int** inputs, int** outputs);
    void (*ReleaseAliasMap)(int* inputs, int* outputs);
};

}  // extern "C"

// An entry of the table by its place and type.
template <std::size_t place, class Function>
struct Entry;

template <std::size_t place, class Result, class... Arguments>
struct Entry<place, Result(Arguments...)> {
    static_assert(place < api_entries);
    Result operator()(const OrtApi& api, Arguments... arguments) const {
        return reinterpret_cast<Result (*)(Arguments...)>(api.entry[place])(arguments...);
    }
};

using Status = OrtStatus*;  // null is success

inline constexpr Entry<0, Status(OrtErrorCode, const char* message)> create_status;
inline constexpr Entry<26, Status(const char* name, OrtCustomOpDomain**)> create_domain;
inline constexpr Entry<27, Status(OrtCustomOpDomain*, const OrtCustomOp*)> add_operator;
inline constexpr Entry<28, Status(OrtSessionOptions*, OrtCustomOpDomain*)> add_domain;
inline constexpr Entry<51, Status(OrtValue*, void** data)> tensor_data;
inline constexpr Entry<57, Status(OrtTensorTypeAndShapeInfo**)> create_type_and_shape;
inline constexpr Entry<58, Status(OrtTensorTypeAndShapeInfo*, ElementType)> set_element_type;
inline constexpr Entry<59, Status(OrtTensorTypeAndShapeInfo*, const std::int64_t* dims, std::size_t rank)>
    set_dims;
inline constexpr Entry<60, Status(const OrtTensorTypeAndShapeInfo*, ElementType*)> element_type_in;
inline constexpr Entry<61, Status(const OrtTensorTypeAndShapeInfo*, std::size_t* rank)> rank_of;
inline constexpr Entry<62, Status(const OrtTensorTypeAndShapeInfo*, std::int64_t* dims, std::size_t rank)>
    dims_of;
inline constexpr Entry<63, Status(const OrtTensorTypeAndShapeInfo*, const char** names, std::size_t rank)>
    symbolic_dims_of;
inline constexpr Entry<65, Status(const OrtValue*, OrtTensorTypeAndShapeInfo**)> type_and_shape;
inline constexpr Entry<85, Status(const OrtKernelInfo*, const char* name, float*)> float_attribute;
inline constexpr Entry<86, Status(const OrtKernelInfo*, const char* name, std::int64_t*)> integer_attribute;
inline constexpr Entry<87, Status(const OrtKernelInfo*, const char* name, char* text, std::size_t* size)>
    text_attribute;
inline constexpr Entry<90, Status(const OrtKernelContext*, std::size_t index, const OrtValue**)> input_of;
inline constexpr Entry<91, Status(OrtKernelContext*, std::size_t index, const std::int64_t* dims,
                                  std::size_t rank, OrtValue**)>
    output_of;
inline constexpr Entry<93, void(OrtStatus*)> release_status;
inline constexpr Entry<99, void(OrtTensorTypeAndShapeInfo*)> release_type_and_shape;
inline constexpr Entry<130, Status(OrtSessionOptions*, const char* key, const char* value)> add_config_entry;
inline constexpr Entry<162, Status(const OrtKernelInfo*, const char* name, float*, std::size_t* size)>
    numbers_attribute;
inline constexpr Entry<163, Status(const OrtKernelInfo*, const char* name, std::int64_t*, std::size_t* size)>
    integers_attribute;
inline constexpr Entry<230, Status(const OrtKernelInfo*, std::size_t*)> input_count;
inline constexpr Entry<231, Status(const OrtKernelInfo*, std::size_t*)> output_count;
inline constexpr Entry<237, Status(const OrtSessionOptions*, const char* key, int*)> has_config_entry;
inline constexpr Entry<238, Status(const OrtSessionOptions*, const char* key, char* value, std::size_t* size)>
    config_entry;
inline constexpr Entry<249,
                       Status(const OrtKernelInfo*, std::size_t index, int* is_constant, const OrtValue**)>
    constant_input;
inline constexpr Entry<268,
                       Status(const OrtShapeInferContext*, std::size_t index, OrtTensorTypeAndShapeInfo**)>
    inferred_input;
inline constexpr Entry<269, Status(const OrtShapeInferContext*, const char* name, const OrtOpAttr**)>
    inferred_attribute;
inline constexpr Entry<270, Status(const OrtShapeInferContext*, std::size_t index,
                                   const OrtTensorTypeAndShapeInfo*)>
    set_inferred_output;
inline constexpr Entry<271, Status(OrtTensorTypeAndShapeInfo*, const char** names, std::size_t rank)>
    set_symbolic_dims;
inline constexpr Entry<272, Status(const OrtOpAttr*, OrtOpAttrType, void* data, std::size_t bytes,
                                   std::size_t* read)>
    read_attribute;
inline constexpr Entry<274, Status(const OrtKernelContext*, void (*work)(void*, std::size_t),
                                   std::size_t total, std::size_t batches, void* object)>
    parallel_for;

// Calls into ONNX Runtime whose failures are exceptions.

// What a node or its inputs ask for is not allowed.
struct Refusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A call into the runtime failed, which said why.
struct Failure {
    Status status;
};

inline void check(Status status) {
    if (status != nullptr) throw Failure{status};
}

// Runs work; what it throws becomes a status. No exception may reach the runtime.
template <class Work>
Status guarded(const OrtApi& api, Work&& work) noexcept {
    try {
        work();
        return nullptr;
    } catch (const Failure& failure) {
        return failure.status;
    } catch (const Refusal& refusal) {
        return create_status(api, ORT_INVALID_ARGUMENT, refusal.what());
    } catch (const std::exception& error) {
        return create_status(api, ORT_FAIL, error.what());
    } catch (...) {
        return create_status(api, ORT_FAIL, "samesum: the work was given up");
    }
}

// A dense array of the runtime.
struct Tensor {
    void* data;
    std::size_t rank;
    std::int64_t shape[max_rank];
    std::int64_t count = 1;

    Tensor(const OrtApi& api, const OrtValue* value) {
        OrtTensorTypeAndShapeInfo* info = nullptr;
        check(type_and_shape(api, value, &info));
        Status status = rank_of(api, info, &rank);
        const bool fits = rank <= max_rank;
        if (status == nullptr && fits) status = dims_of(api, info, shape, rank);
        release_type_and_shape(api, info);
        check(status);
        if (!fits)
            throw Refusal("an input has rank " + std::to_string(rank) + "; allowed is " +
                          std::to_string(max_rank) + " at most");
        for (std::size_t i = 0; i < rank; ++i) count *= shape[i];
        check(tensor_data(api, const_cast<OrtValue*>(value), &data));
    }
};

inline std::string text_of(const std::int64_t* shape, std::size_t rank) {
    std::string text = "(";
    for (std::size_t i = 0; i < rank; ++i)
        text += std::to_string(shape[i]) + (rank == 1 ? "," : i + 1 < rank ? ", " : "");
    return text + ")";
}

inline std::string text_of(const Tensor& tensor) { return text_of(tensor.shape, tensor.rank); }

}  // namespace samesum::onnxruntime
