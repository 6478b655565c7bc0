#include "onnxruntime/evaluation.hpp"

#include "onnxruntime/kernel.hpp"

namespace samesum::onnxruntime {

namespace {

// Never destroyed: sessions may outlive static objects.
Evaluator& declared() {
    static auto* const evaluator = new Evaluator;
    return *evaluator;
}

}  // namespace

void evaluate_with(Evaluator evaluator) { declared() = std::move(evaluator); }

std::unique_ptr<Evaluated> evaluated(const Version& version, const Given& given) {
    return declared()(version, given);
}

void Kernel::hand_over(const OrtKernelInfo* info) {
    Given given;
    for (const Attribute& each : version_.attributes) {
        const char* const name = each.name.c_str();
        std::int64_t integer = 0;
        float number = 0;
        std::size_t size = 0;
        if (each.field == Field::integer && is_success(integer_attribute(api_, info, name, &integer))) {
            given.emplace_back(each.name, integer);
        } else if (each.field == Field::number && is_success(float_attribute(api_, info, name, &number))) {
            given.emplace_back(each.name, static_cast<double>(number));
        } else if (each.field == Field::integers &&
                   is_success(integers_attribute(api_, info, name, nullptr, &size))) {
            std::vector<std::int64_t> values(size);
            if (size > 0) check(integers_attribute(api_, info, name, values.data(), &size));
            given.emplace_back(each.name, std::move(values));
        } else if (each.field == Field::numbers &&
                   is_success(numbers_attribute(api_, info, name, nullptr, &size))) {
            std::vector<float> values(size);
            if (size > 0) check(numbers_attribute(api_, info, name, values.data(), &size));
            given.emplace_back(each.name, std::move(values));
        } else if (each.field == Field::text) {
            if (auto word = text_in(name, info)) given.emplace_back(each.name, *std::move(word));
        }
    }
    evaluated_ = evaluated(version_, given);
}

void Kernel::evaluate(OrtKernelContext* context) const {
    std::vector<std::optional<Tensor>> inputs(inputs_);
    for (std::size_t i = 0; i < inputs_; ++i) {
        const OrtValue* value = nullptr;
        check(input_of(api_, context, i, &value));
        if (value != nullptr) inputs[i].emplace(api_, value);
    }
    evaluated_->compute(inputs, format_, [&](const std::int64_t* shape, std::size_t rank) {
        return output(context, shape, rank);
    });
}

}  // namespace samesum::onnxruntime
