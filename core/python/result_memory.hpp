// Large results of NumPy in blocks that are kept for a moment. Included by outputs.hpp and module.cpp.
#pragma once

#include <cstdint>
#include <cstring>

#include "memory/blocks.hpp"
#include "python/arrays.hpp"

namespace samesum::python {

inline PyDataMem_Handler result_handler{"samesum",
                                        1,
                                        {nullptr, [](void*, std::size_t bytes) { return take_block(bytes); },
                                         [](void*, std::size_t count, std::size_t size) -> void* {
                                             if (size > 0 && count > SIZE_MAX / size) return nullptr;
                                             void* const block = take_block(count * size);
                                             if (block != nullptr) std::memset(block, 0, count * size);
                                             return block;
                                         },
                                         [](void*, void* block, std::size_t bytes) {
                                             return block == nullptr ? take_block(bytes)
                                                                     : resize_block(block, bytes);
                                         },
                                         [](void*, void* block, std::size_t) {
                                             if (block != nullptr) give_block(block);
                                         }}};

// While it lives, NumPy takes the memory of new arrays of this thread from the blocks, unless the program has
// chosen an allocator of its own.
class ResultMemory {
  public:
    ResultMemory() {
        const nb::object current = nb::steal(PyDataMem_GetHandler());
        const auto* handler = static_cast<const PyDataMem_Handler*>(
            current.is_valid() ? PyCapsule_GetPointer(current.ptr(), "mem_handler") : nullptr);
        if (handler == nullptr) throw nb::python_error();
        if (std::strcmp(handler->name, "default_allocator") != 0) return;
        const nb::object own = nb::steal(PyCapsule_New(&result_handler, "mem_handler", nullptr));
        before_ = nb::steal(PyDataMem_SetHandler(own.ptr()));
        if (!before_.is_valid()) throw nb::python_error();
    }
    ~ResultMemory() {
        if (before_.is_valid()) Py_XDECREF(PyDataMem_SetHandler(before_.ptr()));
    }
    ResultMemory(const ResultMemory&) = delete;
    ResultMemory& operator=(const ResultMemory&) = delete;

  private:
    nb::object before_;
};

inline void define_result_memory(nb::module_& m) {
    m.def("set_cache_limit", &set_cache_limit, nb::arg("n"));
    m.def("cache_limit", &cache_limit);
    m.def("cached_bytes", &cached_bytes);
}

}  // namespace samesum::python
