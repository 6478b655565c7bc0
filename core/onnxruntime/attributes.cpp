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

namespace {

// Where the numbers that attributes name are kept.
constexpr std::pair<Field, double Settings::*> numbers[] = {
    {Field::epsilon, &Settings::epsilon}, {Field::p, &Settings::p}, {Field::float_p, &Settings::p}};
constexpr std::pair<Field, std::int64_t Settings::*> integers[] = {
    {Field::axis, &Settings::axis},
    {Field::num_groups, &Settings::num_groups},
    {Field::stash_type, &Settings::stash_type}};
constexpr std::pair<Field, bool Settings::*> flags[] = {
    {Field::keepdims, &Settings::keepdims},
    {Field::noop_with_empty_axes, &Settings::noop_with_empty_axes},
    {Field::select_last, &Settings::select_last},
    {Field::exclusive, &Settings::exclusive},
    {Field::reverse, &Settings::reverse}};

}  // namespace

// None for what a node leaves out.
std::optional<GivenValue> Kernel::given(const Attribute& attribute, const OrtKernelInfo* info) const {
    const char* const name = attribute.name.c_str();
    const auto list = [&]<class T>(std::vector<T> values, const auto& entry) -> std::optional<GivenValue> {
        std::size_t size = 0;
        if (!is_success(entry(api_, info, name, nullptr, &size))) return std::nullopt;
        values.resize(size);
        if (size > 0) check(entry(api_, info, name, values.data(), &size));
        return values;
    };
    const auto one = [&]<class T, class As>(T value, As, const auto& entry) -> std::optional<GivenValue> {
        if (!is_success(entry(api_, info, name, &value))) return std::nullopt;
        return static_cast<As>(value);
    };
    std::size_t size = 0;
    switch (attribute.field) {
        case Field::ignored:
            return std::nullopt;
        case Field::axes:
        case Field::integers:
            return list(std::vector<std::int64_t>(), integers_attribute);
        case Field::numbers:
            return list(std::vector<float>(), numbers_attribute);
        case Field::epsilon:
        case Field::float_p:
        case Field::number:
            return one(0.0f, double{}, float_attribute);
        case Field::reduction:
        case Field::text: {
            if (!is_success(text_attribute(api_, info, name, nullptr, &size)) || size == 0)
                return std::nullopt;
            std::string word(size, '\0');
            check(text_attribute(api_, info, name, word.data(), &size));
            word.resize(size - 1);  // the size counts the zero at the end
            return word;
        }
        default:
            return one(std::int64_t{}, std::int64_t{}, integer_attribute);
    }
}

void Kernel::read(const Attribute& attribute, const OrtKernelInfo* info) {
    const std::optional<GivenValue> found = given(attribute, info);
    if (attribute.field == Field::axes) {
        settings_.axes.assign(attribute.values.begin(), attribute.values.end());
        if (found) settings_.axes = std::get<std::vector<std::int64_t>>(*found);
    } else if (attribute.field == Field::reduction) {
        if (found) read_word(attribute, std::get<std::string>(*found));
    } else if (attribute.field != Field::ignored) {
        read_number(attribute, found);
    }
}

void Kernel::read_number(const Attribute& attribute, const std::optional<GivenValue>& found) {
    if (!found && attribute.values.empty()) refuse("the attribute '" + attribute.name + "' is missing");
    const auto* const integer = found ? std::get_if<std::int64_t>(&*found) : nullptr;
    const auto* const number = found ? std::get_if<double>(&*found) : nullptr;
    const std::int64_t value = integer != nullptr ? *integer : static_cast<std::int64_t>(attribute.value());
    for (const auto& [field, to] : numbers)
        if (field == attribute.field)
            settings_.*to = number != nullptr    ? *number
                            : integer != nullptr ? static_cast<double>(value)
                                                 : attribute.value();
    for (const auto& [field, to] : integers)
        if (field == attribute.field) settings_.*to = value;
    for (const auto& [field, to] : flags) {
        if (field != attribute.field) continue;
        if (value != 0 && value != 1)
            refuse(attribute.name + " is " + std::to_string(value) + "; allowed is 0 or 1");
        settings_.*to = value != 0;
    }
    has_one_axis_ = has_one_axis_ || attribute.field == Field::axis;
}

void Kernel::read_word(const Attribute& attribute, const std::string& word) {
    constexpr std::pair<const char*, Combine> words[] = {{"add", Combine::sum},
                                                         {"mul", Combine::product},
                                                         {"max", Combine::maximum},
                                                         {"min", Combine::minimum}};
    for (const auto& [text, combine] : words)
        if (word == text) settings_.combine = combine;
    if (!settings_.combine && word != "none")
        refuse(attribute.name + " is '" + word + "'; allowed are none, add, mul, max and min");
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
