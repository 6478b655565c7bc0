// The symbol that ONNX Runtime looks for in a library of custom operators. They are registered in ONNX's own
// domain, so that the nodes of any model are theirs.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "onnxruntime/kernel.hpp"

namespace samesum::onnxruntime {

namespace {

// One operator for one element type. ONNX Runtime reads it as the structure that it begins with.
struct Operator : OrtCustomOp {
    const Version* row;
    ElementType type, second_type;
    int since;
    const OrtApi* api;
};

const Operator& self(const OrtCustomOp* op) { return *static_cast<const Operator*>(op); }

Status create_kernel(const OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info, void** kernel) {
    return guarded(
        *api, [&] { *kernel = new Kernel(*self(op).row, self(op).type, self(op).second_type, *api, info); });
}

Status compute(void* kernel, OrtKernelContext* context) {
    const auto& node = *static_cast<const Kernel*>(kernel);
    return guarded(node.api(), [&] { node.compute(context); });
}

// Of all operators of one name the first one is asked: the type is that of the data.
Status infer(const OrtCustomOp* op, OrtShapeInferContext* context) {
    infer_shape(*self(op).row, *self(op).api, context);
    return nullptr;
}

// The first output may lie in the place of the first input. The runtime reads the pairs and gives them back.
std::size_t first_in_first(int** inputs, int** outputs) {
    static int first[] = {0};
    *inputs = *outputs = first;
    return 1;
}

// Before this release a rule for shapes could not be asked of a node that leaves out an optional input.
constexpr int optional_since = 24;

// 24 of "1.24.4"; as high as can be where the first number is not 1.
int minor_version(const std::string& text) {
    if (text.substr(0, 2) != "1.") return std::numeric_limits<int>::max();
    return std::atoi(text.c_str() + 2);
}

// The runtime that loads the library.
struct Runtime {
    const OrtApi& api;
    bool tells_optional;
};

Operator operator_of(const Runtime& runtime, const Version& row, ElementType type, ElementType second_type,
                     int since) {
    Operator op{};
    op.api = &runtime.api;
    op.row = &row;
    op.type = type;
    op.second_type = second_type;
    op.since = since;
    op.version = api_version;
    op.GetName = [](const OrtCustomOp* o) { return self(o).row->name.c_str(); };
    op.GetExecutionProviderType = [](const OrtCustomOp*) -> const char* { return nullptr; };
    op.GetInputType = [](const OrtCustomOp* o, std::size_t i) {
        const Version& version = *self(o).row;
        return i == 1 && version.has_typed_second() ? self(o).second_type : self(o).type;
    };
    op.GetInputTypeCount = [](const OrtCustomOp* o) -> std::size_t {
        return (self(o).row->axes ? 2 : 1) + self(o).row->parameters.size();
    };
    op.GetOutputType = [](const OrtCustomOp* o, std::size_t i) {
        return i == 0 ? self(o).row->result_type(self(o).type, self(o).second_type) : inner_type;
    };
    op.GetOutputTypeCount = [](const OrtCustomOp* o) -> std::size_t {
        return 1 + self(o).row->inner_outputs.size();
    };
    op.KernelDestroy = [](void* kernel) { delete static_cast<Kernel*>(kernel); };
    op.GetInputCharacteristic = [](const OrtCustomOp* o, std::size_t i) {
        const Version& version = *self(o).row;
        const bool is_optional =
            i > 0 && (version.axes ? version.axes->optional : version.parameters[i - 1].optional);
        return is_optional ? INPUT_OUTPUT_OPTIONAL : INPUT_OUTPUT_REQUIRED;
    };
    op.GetOutputCharacteristic = [](const OrtCustomOp*, std::size_t i) {
        return i == 0 ? INPUT_OUTPUT_REQUIRED : INPUT_OUTPUT_OPTIONAL;
    };
    op.GetInputMemoryType = [](const OrtCustomOp*, std::size_t) { return OrtMemTypeDefault; };
    op.CreateKernelV2 = create_kernel;
    op.KernelComputeV2 = compute;
    // Nothing can be told where the axes are an optional input.
    const bool has_optional = std::any_of(row.parameters.begin(), row.parameters.end(),
                                          [](const auto& each) { return each.optional; });
    if (row.kind != Kind::evaluated && (!row.axes || !row.axes->optional) &&
        (!has_optional || runtime.tells_optional))
        op.InferOutputShapeFn = infer;
    if (row.is_scatter()) {
        op.GetMayInplace = first_in_first;
        op.ReleaseMayInplace = [](int*, int*) {};
    }
    op.GetStartVersion = [](const OrtCustomOp* o) { return self(o).since; };
    return op;
}

// What one choice of opset and operators registers. It lives as long as the process: sessions point into it.
struct Registration {
    std::vector<std::unique_ptr<Operator>> operators;
    std::map<std::string, OrtCustomOpDomain*> domains;
    bool meets_fusions = false;
};

// Optimizers of ONNX Runtime know nodes by operator and version. One that no release of the standard has
// keeps a node out of all fusions; from this one on versions are real.
constexpr int fused_since = 3;

constexpr const char *opset_key = "samesum.opset", *operators_key = "samesum.operators",
                     *registered_key = "samesum.registered",
                     *disabled_key = "optimization.disable_specified_optimizers";

std::string entry_of(const OrtApi& api, const OrtSessionOptions* options, const char* key) {
    int is_there = 0;
    check(has_config_entry(api, options, key, &is_there));
    if (is_there == 0) return "";
    std::size_t size = 0;
    if (Status status = config_entry(api, options, key, nullptr, &size)) release_status(api, status);
    std::string value(size, '\0');
    check(config_entry(api, options, key, value.data(), &size));
    value.resize(size > 0 ? size - 1 : 0);  // the size counts the zero at the end
    return value;
}

int opset_in(const std::string& text) {
    if (text.empty()) return 0;
    if (text.size() > 6 || text.find_first_not_of("0123456789") != std::string::npos)
        throw Refusal(std::string(opset_key) + " is '" + text +
                      "'; allowed is the opset of the model, an integer");
    return std::stoi(text);
}

// Names, each between two semicolons; all operators that the core computes are meant if there is none.
bool is_chosen(const std::string& names, const Version& row) {
    if (names.empty()) return row.kind != Kind::evaluated;
    return (";" + names + ";").find(";" + row.name + ";") != std::string::npos;
}

void check_names(std::string names) {
    for (std::size_t end = 0; !names.empty(); names.erase(0, end == std::string::npos ? end : end + 1)) {
        end = names.find(';');
        const std::string name = names.substr(0, end);
        bool is_known = name.empty();
        for (const Version* each : versions_at(0)) is_known = is_known || each->name == name;
        if (!is_known)
            throw Refusal(std::string(operators_key) + " names '" + name + "', which samesum does not have");
    }
}

Registration make(const Runtime& runtime, int opset, const std::string& names) {
    const OrtApi& api = runtime.api;
    Registration made;
    check_names(names);
    for (const Version* row : versions_at(opset)) {
        if (!is_chosen(names, *row)) continue;
        const int since = opset > 0 ? std::min(opset, row->registered_since) : row->registered_since;
        made.meets_fusions = made.meets_fusions || since >= fused_since;
        OrtCustomOpDomain*& domain = made.domains[row->domain];
        if (domain == nullptr) check(create_domain(api, row->domain.c_str(), &domain));
        for (const ElementType type : row->types) {
            for (const ElementType second_type : row->second_types()) {
                made.operators.push_back(
                    std::make_unique<Operator>(operator_of(runtime, *row, type, second_type, since)));
                check(add_operator(api, domain, made.operators.back().get()));
            }
        }
    }
    if (made.operators.empty())
        throw Refusal(
            "no operator to register; import samesum.onnx and ask custom_ops_library() for the path");
    return made;
}

const Registration& registration_of(const Runtime& runtime, int opset, const std::string& names) {
    static std::mutex mutex;
    static auto* const all = new std::map<std::pair<int, std::string>, Registration>;
    const std::lock_guard lock(mutex);
    const auto found = all->find({opset, names});
    if (found != all->end()) return found->second;
    return (*all)[{opset, names}] = make(runtime, opset, names);
}

// Optimizers that put another operator in the place of a softmax that they know by its version.
void disable_fusions(const OrtApi& api, OrtSessionOptions* options) {
    const std::string before = entry_of(api, options, disabled_key);
    const std::string all =
        (before.empty() ? "" : before + ";") + "AttentionFusion;BiasSoftmaxFusion;MatMulActivationFusion";
    check(add_config_entry(api, options, disabled_key, all.c_str()));
}

void add_to(const Runtime& runtime, OrtSessionOptions* options) {
    const OrtApi& api = runtime.api;
    const std::string opset = entry_of(api, options, opset_key),
                      names = entry_of(api, options, operators_key);
    const std::string asked = "opset " + (opset.empty() ? "unknown" : opset) + ", operators " +
                              (names.empty() ? "all" : names),
                      before = entry_of(api, options, registered_key);
    if (before == asked) return;
    if (!before.empty())
        throw Refusal("samesum is in these session options already, for " + before +
                      "; now it is asked for " + asked + ", which needs session options of its own");
    const Registration& made = registration_of(runtime, opset_in(opset), names);
    for (const auto& [_, domain] : made.domains) check(add_domain(api, options, domain));
    if (made.meets_fusions) disable_fusions(api, options);
    check(add_config_entry(api, options, registered_key, asked.c_str()));
}

}  // namespace

}  // namespace samesum::onnxruntime

using namespace samesum::onnxruntime;

#if defined(_WIN32)
#define SAMESUM_EXPORT __declspec(dllexport)
#else
#define SAMESUM_EXPORT __attribute__((visibility("default")))
#endif

extern "C" SAMESUM_EXPORT OrtStatus* RegisterCustomOps(OrtSessionOptions* options, const OrtApiBase* base) {
    if (const OrtApi* api = base->GetApi(api_version)) {
        const Runtime runtime{*api, minor_version(base->GetVersionString()) >= optional_since};
        return guarded(*api, [&] { add_to(runtime, options); });
    }
    const std::string message = std::string("samesum needs ONNX Runtime 1.") + std::to_string(api_version) +
                                " or newer; this is " + base->GetVersionString();
    return create_status(*base->GetApi(1), ORT_FAIL, message.c_str());
}
