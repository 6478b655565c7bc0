// One node of a model: its attributes, read once, and what it does with its inputs.
#pragma once

#include <cstdint>
#include <vector>

#include "onnxruntime/calls.hpp"
#include "onnxruntime/versions.hpp"

namespace samesum::onnxruntime {

// What attributes say, and axes that are an input which never changes.
struct Settings {
    bool keepdims = false, noop_with_empty_axes = false, select_last = false, exclusive = false,
         reverse = false;
    std::int64_t axis = 0;
    std::vector<std::int64_t> axes;
};

class Kernel {
  public:
    // Throws Refusal for values of attributes that the version does not allow.
    Kernel(const Version& version, ElementType type, ElementType axes_type, const OrtApi& api,
           const OrtKernelInfo* info);

    const OrtApi& api() const { return api_; }
    void compute(OrtKernelContext* context) const;

  private:
    bool is_success(Status status) const;  // an attribute that a node leaves out is a failure of the call
    void refuse_other_attributes(const OrtKernelInfo* info) const;
    void read(const Attribute& attribute, const OrtKernelInfo* info);
    void read_constant_axes(const OrtKernelInfo* info);
    std::vector<std::int64_t> axes_in(const OrtValue* value) const;
    std::vector<std::int64_t> axes_now(const OrtKernelContext* context) const;
    void* output(OrtKernelContext* context, const std::int64_t* shape, std::size_t rank) const;
    View view_of(const Tensor& x, std::int64_t (&strides)[max_rank]) const;

    void reduce(const Tensor& x, OrtKernelContext* context) const;
    void scan(const Tensor& x, OrtKernelContext* context) const;
    void normalize(const Tensor& x, OrtKernelContext* context) const;
    void put_hardmax(const View& lines, void* out) const;

    [[noreturn]] void refuse(const std::string& what) const;
    std::size_t checked_axis(std::int64_t axis, std::size_t rank) const;
    void mark(const std::vector<std::int64_t>& axes, std::size_t rank, bool (&reduced)[max_rank]) const;
    void check_empty(const Tensor& x) const;

    const Version& version_;
    const OrtApi& api_;
    const Format format_, result_;
    const ElementType axes_type_;
    std::size_t inputs_ = 0;
    bool axes_are_input_ = false;  // anew for each run
    bool has_one_axis_ = false;    // which an attribute names
    Settings settings_;
};

}  // namespace samesum::onnxruntime
