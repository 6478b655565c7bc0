#include "onnxruntime/versions.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace samesum::onnxruntime {

namespace {

struct Element {
    const char* name;
    ElementType type;
    Format format;
};

// Numbers: TensorProto.DataType, https://onnx.ai/onnx/api/classes.html#tensorproto.
constexpr Element elements[] = {
    {"float32", 1, Format::f32},    {"uint8", 2, Format::u8},     {"int8", 3, Format::i8},
    {"uint16", 4, Format::u16},     {"int16", 5, Format::i16},    {"int32", 6, Format::i32},
    {"int64", 7, Format::i64},      {"bool", 9, Format::boolean}, {"float16", 10, Format::f16},
    {"float64", 11, Format::f64},   {"uint32", 12, Format::u32},  {"uint64", 13, Format::u64},
    {"bfloat16", 16, Format::bf16},
};

// Never destroyed: sessions may outlive static objects.
std::vector<Version>& declared() {
    static auto* const versions = new std::vector<Version>;
    return *versions;
}

}  // namespace

std::string Version::title() const {
    std::string title = "onnx.";
    title.append(name);
    if (since > 0) title.append("-").append(std::to_string(since));
    return title;
}

const std::vector<ElementType>& Version::second_types() const {
    static const std::vector<ElementType> none{0};
    return axes ? axes->types : has_typed_second() ? parameters.front().types : none;
}

std::optional<ElementType> element_type_of(const std::string& name) {
    for (const Element& each : elements)
        if (name == each.name) return each.type;
    return std::nullopt;
}

Format format_of(ElementType type) {
    for (const Element& each : elements)
        if (type == each.type) return each.format;
    throw std::invalid_argument("element type " + std::to_string(type) + " is not one that is computed with");
}

void declare_versions(std::vector<Version> versions) {
    if (declared().empty()) declared() = std::move(versions);
}

std::vector<const Version*> versions_of(const std::string& name) {
    std::vector<const Version*> found;
    for (const Version& each : declared())
        if (each.name == name) found.push_back(&each);
    return found;
}

std::vector<const Version*> versions_at(int opset) {
    std::vector<const Version*> found;
    for (const Version& each : declared()) {
        if (opset == 0 ? each.since != 0 : each.since == 0 || each.since > opset) continue;
        const auto same = std::find_if(found.begin(), found.end(),
                                       [&](const Version* other) { return other->name == each.name; });
        if (same == found.end())
            found.push_back(&each);
        else if ((*same)->since < each.since)
            *same = &each;
    }
    return found;
}

}  // namespace samesum::onnxruntime
