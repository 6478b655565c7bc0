// Threads, instruction sets, memory's speed, and what the core counted. Included by module.cpp alone.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/instruction_set.hpp"
#include "python/arrays.hpp"
#include "run/bandwidth.hpp"
#include "run/reduce/reduce.hpp"
#include "select/routes.hpp"
#include "threads/pool.hpp"

namespace samesum::python {

// What holds for the thread that enters, until it exits; one object is entered once at a time.
template <class Scope, class... Arguments>
class OfThread {
  public:
    explicit OfThread(Arguments... arguments) : arguments_(arguments...) {}

    void enter(const std::string& name) {
        if (scope_) {
            PyErr_SetString(
                PyExc_RuntimeError,
                ("this " + name + " is entered already; make one for each with statement").c_str());
            throw nb::python_error();
        }
        std::apply([this](auto... each) { scope_.emplace(each...); }, arguments_);
    }
    void exit() { scope_.reset(); }

  private:
    const std::tuple<Arguments...> arguments_;
    std::optional<Scope> scope_;
};

template <class Scope>
auto define_scope(nb::module_& m, const char* name) {
    return nb::class_<Scope>(m, name)
        .def("__enter__", [name](Scope& scope) { scope.enter(name); })
        .def("__exit__", [](Scope& scope, nb::args) { scope.exit(); });
}

// IEEE defaults; at most so many threads for what is called.
inline void define_floating_point(nb::module_& m) {
    using Modes = OfThread<FloatingPointScope>;
    using Threads = OfThread<ThreadLimit, int>;
    define_scope<Modes>(m, "FloatingPointScope").def(nb::init<>());
    define_scope<Threads>(m, "ThreadLimit")
        .def(
            "__init__",
            [](Threads* self, int most) {
                if (most < 1) throw nb::value_error("the number of threads has to be 1 or more");
                new (self) Threads(most);
            },
            "most"_a);
}

inline nb::dict counters() {
    nb::dict result;
    result["float64_lanes"] = samesum::counters.reductions[0].load();
    result["double_words"] = samesum::counters.reductions[1].load();
    result["superaccumulator"] = samesum::counters.reductions[2].load();
    result["scan_lines"] = samesum::counters.scan_lines.load();
    result["scan_superaccumulator"] = samesum::counters.scan_exact.load();
    return result;
}

// How often each way was taken since the last reset, by its name; methods by the results that they gave.
inline nb::dict routes() {
    nb::dict result;
    for (std::size_t i = 0; i < samesum::route_count; ++i)
        result[samesum::route_rows[i].name] = samesum::route_counters[i].load();
    return result;
}

inline nb::dict route_meanings() {
    nb::dict result;
    for (std::size_t i = 0; i < samesum::route_count; ++i) {
        const samesum::RouteRow& row = samesum::route_rows[i];
        result[row.name] = row.meaning;
    }
    return result;
}

inline void reset_counters() {
    for (auto& counter : samesum::route_counters) counter = 0;
    for (auto& counter : samesum::counters.reductions) counter = 0;
    samesum::counters.scan_lines = 0;
    samesum::counters.scan_exact = 0;
}

inline void set_num_threads(int n) {
    if (n < 1 || n > samesum::most_threads) {
        raise("AttributeValueError", "the number of threads has to be 1 to " +
                                         std::to_string(samesum::most_threads) + "; got " +
                                         std::to_string(n));
    }
    samesum::set_thread_count(n);
}

inline std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < samesum::instruction_set_count; ++i) {
        if (samesum::instruction_sets[i].is_supported())
            names.emplace_back(samesum::instruction_sets[i].name);
    }
    return names;
}

inline void set_instruction_set(const std::string& name) {
    if (samesum::select_instruction_set(name.c_str())) return;
    std::string allowed;
    for (const std::string& known : instruction_sets()) allowed += (allowed.empty() ? "" : ", ") + known;
    const std::string message =
        "instruction set '" + name + "' is unknown or missing here; allowed are " + allowed;
    PyErr_SetString(PyExc_ValueError, message.c_str());
    throw nb::python_error();
}

inline double read_seconds(nb::handle x) {
    const Input input = input_of(x);
    if (!PyArray_ISCARRAY_RO(input.array)) raise("ShapeError", "the array to read has to be C-contiguous");
    const nb::gil_scoped_release release;
    return samesum::read_seconds(input.view.data, PyArray_NBYTES(input.array));
}

inline double copy_seconds(nb::handle x, nb::handle out, bool streams) {
    checked_array(out, "out");
    const Input from = input_of(x), to = input_of(out);
    if (!PyArray_ISCARRAY_RO(from.array) || !PyArray_ISCARRAY(to.array))
        raise("ShapeError", "the arrays to copy have to be C-contiguous");
    const nb::gil_scoped_release release;
    return samesum::copy_seconds(from.view.data, PyArray_NBYTES(from.array), PyArray_BYTES(to.array),
                                 PyArray_NBYTES(to.array), streams);
}

#if defined(SAMESUM_TUNING)
// Gives one threshold another value, and all others their own again.
inline void set_threshold(const std::string& name, std::int64_t value) {
    static std::string chosen;
    chosen = name;
    samesum::tuned = {chosen.c_str(), value};
}
#endif

inline void define_machine(nb::module_& m) {
    m.def("set_num_threads", &set_num_threads, "n"_a);
    m.def("get_num_threads", &samesum::thread_count);
    m.def("set_instruction_set", &set_instruction_set, "name"_a);
    m.def("instruction_set", [] { return samesum::current_instruction_set().name; });
    m.def("instruction_sets", &instruction_sets);
#if defined(SAMESUM_TUNING)
    m.def("set_threshold", &set_threshold, "name"_a, "value"_a);
#endif
    m.def("counters", &counters);
    m.def("routes", &routes);
    m.def("route_meanings", &route_meanings);
    m.def("reset_counters", &reset_counters);
    m.def("read_seconds", &read_seconds, "x"_a);
    m.def("copy_seconds", &copy_seconds, "x"_a, "out"_a, "streams"_a);
}

}  // namespace samesum::python
