// The attributes of a node, read once.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "onnxruntime/kernel.hpp"

namespace samesum::onnxruntime {

// Refuses the attributes of other versions: the runtime, which knows but one version, lets them pass.
void Kernel::refuse_other_attributes(const OrtKernelInfo* info) const {
    const auto has = [](const Version& version, const Attribute& attribute) {
        return std::any_of(version.attributes.begin(), version.attributes.end(),
                           [&](const Attribute& each) { return each.name == attribute.name; });
    };
    for (const Version* other : versions_of(version_.name)) {
        for (const Attribute& each : other->attributes) {
            std::int64_t value = 0;
            std::size_t size = 0;
            if (has(version_, each)) continue;
            const bool is_given =
                is_success(integer_attribute(api_, info, each.name.c_str(), &value)) ||
                is_success(integers_attribute(api_, info, each.name.c_str(), nullptr, &size)) ||
                is_success(text_attribute(api_, info, each.name.c_str(), nullptr, &size));
            if (is_given) refuse("there is no attribute '" + each.name + "' in this version");
        }
    }
}

bool Kernel::is_success(Status status) const {
    if (status != nullptr) release_status(api_, status);
    return status == nullptr;
}

void Kernel::read(const Attribute& attribute, const OrtKernelInfo* info) {
    const char* const name = attribute.name.c_str();
    if (attribute.field == Field::ignored) return;
    if (attribute.field == Field::axes) return read_axes(attribute, info);
    if (attribute.field == Field::reduction) return read_word(attribute, info);
    if (attribute.field == Field::epsilon || attribute.field == Field::float_p) {
        float number = 0;
        const bool is_given = is_success(float_attribute(api_, info, name, &number));
        (attribute.field == Field::epsilon ? settings_.epsilon : settings_.p) =
            is_given ? static_cast<double>(number) : attribute.value();
        return;
    }
    std::int64_t value = 0;
    if (!is_success(integer_attribute(api_, info, name, &value))) {
        if (attribute.values.empty()) refuse("the attribute '" + attribute.name + "' is missing");
        value = static_cast<std::int64_t>(attribute.value());
    }
    if (attribute.field == Field::axis) {
        settings_.axis = value;
        has_one_axis_ = true;
    } else if (attribute.field == Field::num_groups) {
        settings_.num_groups = value;
    } else if (attribute.field == Field::stash_type) {
        settings_.stash_type = value;
    } else if (attribute.field == Field::p) {
        settings_.p = static_cast<double>(value);
    } else {
        read_flag(attribute, value);
    }
}

void Kernel::read_word(const Attribute& attribute, const OrtKernelInfo* info) {
    constexpr std::pair<const char*, Combine> words[] = {{"add", Combine::sum},
                                                         {"mul", Combine::product},
                                                         {"max", Combine::maximum},
                                                         {"min", Combine::minimum}};
    const auto word = text_in(attribute.name.c_str(), info);
    if (!word) return;
    for (const auto& [text, combine] : words)
        if (*word == text) settings_.combine = combine;
    if (!settings_.combine && *word != "none")
        refuse(attribute.name + " is '" + *word + "'; allowed are none, add, mul, max and min");
}

// None for a node that leaves it out.
std::optional<std::string> Kernel::text_in(const char* name, const OrtKernelInfo* info) const {
    std::size_t size = 0;
    if (!is_success(text_attribute(api_, info, name, nullptr, &size)) || size == 0) return std::nullopt;
    std::string word(size, '\0');
    check(text_attribute(api_, info, name, word.data(), &size));
    word.resize(size - 1);  // the size counts the zero at the end
    return word;
}

void Kernel::read_axes(const Attribute& attribute, const OrtKernelInfo* info) {
    const char* const name = attribute.name.c_str();
    std::size_t size = 0;
    settings_.axes.assign(attribute.values.begin(), attribute.values.end());
    if (!is_success(integers_attribute(api_, info, name, nullptr, &size))) return;
    settings_.axes.resize(size);
    if (size > 0) check(integers_attribute(api_, info, name, settings_.axes.data(), &size));
}

void Kernel::read_flag(const Attribute& attribute, std::int64_t value) {
    if (value != 0 && value != 1)
        refuse(attribute.name + " is " + std::to_string(value) + "; allowed is 0 or 1");
    const auto flag = [&](Field field, bool& to) {
        if (attribute.field == field) to = value != 0;
    };
    flag(Field::keepdims, settings_.keepdims);
    flag(Field::noop_with_empty_axes, settings_.noop_with_empty_axes);
    flag(Field::select_last, settings_.select_last);
    flag(Field::exclusive, settings_.exclusive);
    flag(Field::reverse, settings_.reverse);
}

void Kernel::check_numbers() const {
    if (!(settings_.epsilon >= 0) || settings_.epsilon > std::numeric_limits<double>::max())
        refuse("epsilon is " + std::to_string(settings_.epsilon) + "; a finite number from 0 on is needed");
    if (settings_.p != 1 && settings_.p != 2) {
        const auto p = std::to_string(settings_.p);
        refuse("p is " + p.substr(0, p.find(".000000")) + "; allowed are 1 and 2");
    }
}

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
