// One node of a model: its attributes, read once, and what it does with its inputs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "methods/method.hpp"
#include "onnxruntime/c_api.hpp"
#include "onnxruntime/versions.hpp"

namespace samesum::onnxruntime {

// Operators that whoever declares them computes: attributes and inputs are handed over as they are.

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

// What attributes say, and axes that are an input which never changes.
struct Settings {
    bool keepdims = false, noop_with_empty_axes = false, select_last = false, exclusive = false,
         reverse = false;
    std::int64_t axis = 0, num_groups = 0, stash_type = inner_type;
    double epsilon = 0, p = 2;
    std::optional<Combine> combine;  // of updates that go to one place; none: the last one stays
    std::vector<std::int64_t> axes;
};

// The data of a normalization as lines: the axes of a line, and where the parameters of an element lie.
struct LineShape {
    std::size_t rank = 0;
    std::int64_t shape[max_rank];
    bool lines[max_rank] = {};
    std::int64_t strides[2][max_rank] = {};

    void push(std::int64_t size, bool is_line) {
        shape[rank] = size;
        lines[rank++] = is_line;
    }
};

class Kernel {
  public:
    // Throws Refusal for values of attributes that the version does not allow.
    Kernel(const Version& version, ElementType type, ElementType second_type, const OrtApi& api,
           const OrtKernelInfo* info);

    const OrtApi& api() const { return api_; }
    void compute(OrtKernelContext* context) const;

  private:
    bool is_success(Status status) const;  // an attribute that a node leaves out is a failure of the call
    void refuse_other_attributes(const OrtKernelInfo* info) const;
    void read(const Attribute& attribute, const OrtKernelInfo* info);
    void read_word(const Attribute& attribute, const OrtKernelInfo* info);
    std::optional<std::string> text_in(const char* name, const OrtKernelInfo* info) const;
    void hand_over(const OrtKernelInfo* info);
    void evaluate(OrtKernelContext* context) const;
    void read_axes(const Attribute& attribute, const OrtKernelInfo* info);
    void read_flag(const Attribute& attribute, std::int64_t value);
    void read_constant_axes(const OrtKernelInfo* info);
    void check_numbers() const;
    std::vector<std::int64_t> axes_in(const OrtValue* value) const;
    std::vector<std::int64_t> axes_now(const OrtKernelContext* context) const;
    void* output(OrtKernelContext* context, const std::int64_t* shape, std::size_t rank,
                 std::size_t place = 0) const;
    View view_of(const Tensor& x, std::int64_t (&strides)[max_rank]) const;

    void reduce(const Tensor& x, OrtKernelContext* context) const;
    void scan(const Tensor& x, OrtKernelContext* context) const;
    void normalize(const Tensor& x, OrtKernelContext* context) const;
    void put_hardmax(const View& lines, void* out) const;
    void pool(const Tensor& x, OrtKernelContext* context) const;
    void put_reduced(const Tensor& x, const bool* reduced, bool keepdims, unsigned code,
                     OrtKernelContext* context) const;

    void normalize_lines(const Tensor& x, OrtKernelContext* context) const;
    LineShape lines_of(const Tensor& x) const;
    LineShape channels_of(const Tensor& x) const;
    void scatter(const Tensor& x, OrtKernelContext* context) const;
    std::vector<std::int64_t> places_of_elements(const Tensor& x, const Tensor& indices,
                                                 const Tensor& updates) const;
    std::vector<std::int64_t> places_of_slices(const Tensor& x, const Tensor& indices,
                                               const Tensor& updates) const;
    std::vector<std::int64_t> numbers_in(const Tensor& tensor) const;
    std::int64_t checked_place(std::int64_t place, std::int64_t size) const;
    Tensor input(OrtKernelContext* context, std::size_t place) const;

    Format parameter_format(std::size_t i) const;
    void place(std::size_t i, const Tensor& parameter, const Tensor& x, LineShape& to) const;
    void put_inner(const Tensor& x, const LineShape& shape, const View& lines, OrtKernelContext* context,
                   void** inverse) const;

    [[noreturn]] void refuse(const std::string& what) const;
    std::size_t checked_axis(std::int64_t axis, std::size_t rank) const;
    void mark(const std::vector<std::int64_t>& axes, std::size_t rank, bool (&reduced)[max_rank]) const;
    void check_empty(const Tensor& x) const;

    const Version& version_;
    const OrtApi& api_;
    const Format format_, result_;
    const ElementType second_type_;
    std::size_t inputs_ = 0, outputs_ = 0;
    bool axes_are_input_ = false;  // they are read in each run
    bool has_one_axis_ = false;    // which an attribute names
    Settings settings_;
    std::unique_ptr<Evaluated> evaluated_;
};

// The shape of a node's output as far as it is known before the model runs.

// Tells the runtime, whose own rules for the operator this one has replaced. Nothing is said where the axes
// are an input, nor of data whose rank or kept dimensions are open and have no name.
void infer_shape(const Version& version, const OrtApi& api, OrtShapeInferContext* context);

}  // namespace samesum::onnxruntime
