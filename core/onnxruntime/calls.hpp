// Calls into ONNX Runtime whose failures are exceptions.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "layout/plan.hpp"
#include "onnxruntime/c_api.hpp"

namespace samesum::onnxruntime {

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
