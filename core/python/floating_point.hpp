// The core's floating-point modes as a context manager of Python. Included by module.cpp alone.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "threads/pool.hpp"

namespace samesum::python {

namespace nb = nanobind;

// IEEE defaults for the thread that enters, until it exits; one object is entered once at a time.
class ModesOfThread {
  public:
    void enter() {
        if (scope_) {
            PyErr_SetString(PyExc_RuntimeError,
                            "this FloatingPointScope is entered already; make one for each with statement");
            throw nb::python_error();
        }
        scope_.emplace();
    }
    void exit() { scope_.reset(); }

  private:
    std::optional<FloatingPointScope> scope_;
};

inline void define_floating_point(nb::module_& m) {
    nb::class_<ModesOfThread>(m, "FloatingPointScope")
        .def(nb::init<>())
        .def("__enter__", [](ModesOfThread& modes) { modes.enter(); })
        .def("__exit__", [](ModesOfThread& modes, nb::args) { modes.exit(); });
}

}  // namespace samesum::python
