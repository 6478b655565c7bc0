#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "onnxruntime/c_api.hpp"
#include "onnxruntime/kernel.hpp"

namespace samesum::onnxruntime {

namespace {

// Each has a size or a name; -1 and no name is open.
struct Dimensions {
    ElementType type = 0;
    std::vector<std::int64_t> sizes;
    std::vector<std::string> names;

    void push(std::int64_t size, std::string name) {
        sizes.push_back(size);
        names.push_back(std::move(name));
    }
};

class Inference {
  public:
    Inference(const Version& version, const OrtApi& api, OrtShapeInferContext* context)
        : version_(version), api_(api), context_(context) {}

    void run() const {
        const Dimensions data = dimensions_of(0);
        // A rank of zero may be an unknown one.
        if (data.sizes.empty()) return;
        if (version_.kind == Kind::global_pool) return set(pooled(data));
        if (version_.kind != Kind::reduction) return set_lines(data);
        Dimensions output{version_.result_type(data.type, 0), {}, {}};
        const auto reduced = reduced_axes(static_cast<std::int64_t>(data.sizes.size()));
        const bool keepdims = integer(Field::keepdims) != 0;
        for (std::size_t i = 0; i < data.sizes.size(); ++i) {
            const bool is_reduced =
                std::find(reduced.begin(), reduced.end(), static_cast<std::int64_t>(i)) != reduced.end();
            if (!is_reduced)
                output.push(data.sizes[i], data.names[i]);
            else if (keepdims)
                output.push(1, "");
        }
        set(output);
    }

  private:
    // One number for each channel of each sample.
    static Dimensions pooled(Dimensions data) {
        for (std::size_t i = 2; i < data.sizes.size(); ++i) {
            data.sizes[i] = 1;
            data.names[i].clear();
        }
        return data;
    }

    // The runtime does not say how many outputs the node has: nothing is told of those after the first.
    void set_lines(Dimensions data) const {
        if (version_.has_typed_scale()) data.type = dimensions_of(1).type;
        set(data);
    }

    Dimensions dimensions_of(std::size_t input) const {
        OrtTensorTypeAndShapeInfo* info = nullptr;
        std::size_t rank = 0;
        check(inferred_input(api_, context_, input, &info));
        check(rank_of(api_, info, &rank));
        Dimensions found{0, std::vector<std::int64_t>(rank), {}};
        std::vector<const char*> names(rank, "");
        check(element_type_in(api_, info, &found.type));
        check(dims_of(api_, info, found.sizes.data(), rank));
        check(symbolic_dims_of(api_, info, names.data(), rank));
        found.names.assign(names.begin(), names.end());
        return found;
    }

    const Attribute* attribute(Field field) const {
        for (const Attribute& each : version_.attributes)
            if (each.field == field) return &each;
        return nullptr;
    }

    // Null for what the node leaves out.
    const OrtOpAttr* given(const Attribute& attribute) const {
        const OrtOpAttr* found = nullptr;
        if (Status status = inferred_attribute(api_, context_, attribute.name.c_str(), &found)) {
            release_status(api_, status);
            return nullptr;
        }
        return found;
    }

    std::int64_t integer(Field field) const {
        const Attribute* const known = attribute(field);
        if (known == nullptr) return 0;
        auto value = static_cast<std::int64_t>(known->value());
        std::size_t size = 0;
        if (const OrtOpAttr* found = given(*known))
            check(read_attribute(api_, found, ORT_OP_ATTR_INT, &value, sizeof value, &size));
        return value;
    }

    std::vector<std::int64_t> axes() const {
        if (attribute(Field::axis) != nullptr) return {integer(Field::axis)};
        const Attribute* const known = attribute(Field::axes);
        const OrtOpAttr* const found = known == nullptr ? nullptr : given(*known);
        if (found == nullptr) return {};
        std::vector<std::int64_t> axes(max_rank);
        std::size_t size = 0;
        check(
            read_attribute(api_, found, ORT_OP_ATTR_INTS, axes.data(), axes.size() * sizeof axes[0], &size));
        axes.resize(size / sizeof axes[0]);
        return axes;
    }

    // From the front; all of them if the node names none.
    std::vector<std::int64_t> reduced_axes(std::int64_t rank) const {
        std::vector<std::int64_t> found = axes();
        for (std::int64_t& axis : found) {
            if (axis < -rank || axis >= rank) throw Refusal("the node refuses this when it runs");
            if (axis < 0) axis += rank;
        }
        if (found.empty()) {
            found.resize(static_cast<std::size_t>(rank));
            std::iota(found.begin(), found.end(), 0);
        }
        return found;
    }

    void set(const Dimensions& output) const {
        for (std::size_t i = 0; i < output.sizes.size(); ++i)
            if (output.sizes[i] < 0 && output.names[i].empty()) return;
        std::vector<const char*> names;
        for (const std::string& name : output.names) names.push_back(name.c_str());
        OrtTensorTypeAndShapeInfo* info = nullptr;
        check(create_type_and_shape(api_, &info));
        Status status = set_element_type(api_, info, output.type);
        if (status == nullptr) status = set_dims(api_, info, output.sizes.data(), output.sizes.size());
        if (status == nullptr) status = set_symbolic_dims(api_, info, names.data(), names.size());
        if (status == nullptr) status = set_inferred_output(api_, context_, 0, info);
        release_type_and_shape(api_, info);
        check(status);
    }

    const Version& version_;
    const OrtApi& api_;
    OrtShapeInferContext* const context_;
};

}  // namespace

void infer_shape(const Version& version, const OrtApi& api, OrtShapeInferContext* context) {
    // What cannot be told now is told by the node when it runs.
    Status status = guarded(api, [&] { Inference(version, api, context).run(); });
    if (status != nullptr) release_status(api, status);
}

}  // namespace samesum::onnxruntime
