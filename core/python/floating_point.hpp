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

// At most so many threads for what the thread that enters calls, until it exits.
class ThreadsOfThread {
  public:
    explicit ThreadsOfThread(int most) : most_(most) {
        if (most < 1) throw nb::value_error("the number of threads has to be 1 or more");
    }
    void enter() {
        if (limit_) {
            PyErr_SetString(PyExc_RuntimeError,
                            "this ThreadLimit is entered already; make one for each with statement");
            throw nb::python_error();
        }
        limit_.emplace(most_);
    }
    void exit() { limit_.reset(); }

  private:
    const int most_;
    std::optional<ThreadLimit> limit_;
};

inline void define_floating_point(nb::module_& m) {
    nb::class_<ModesOfThread>(m, "FloatingPointScope")
        .def(nb::init<>())
        .def("__enter__", [](ModesOfThread& modes) { modes.enter(); })
        .def("__exit__", [](ModesOfThread& modes, nb::args) { modes.exit(); });
    nb::class_<ThreadsOfThread>(m, "ThreadLimit")
        .def(nb::init<int>(), nb::arg("most"))
        .def("__enter__", [](ThreadsOfThread& limit) { limit.enter(); })
        .def("__exit__", [](ThreadsOfThread& limit, nb::args) { limit.exit(); });
}

}  // namespace samesum::python
