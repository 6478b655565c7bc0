// Memory for the elements of a strided array, so that offsets from the first one stay within it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

class Elements {
  public:
    Elements(int rank, const std::int64_t* shape, const std::int64_t* strides, std::int64_t size) {
        std::int64_t lowest = 0, end = size;
        for (int i = 0; i < rank; ++i) {
            const std::int64_t reach = shape[i] > 0 ? (shape[i] - 1) * strides[i] : 0;
            (reach < 0 ? lowest : end) += reach;
        }
        memory_.reset(new char[static_cast<std::size_t>(end - lowest)]);  // not cleared: nobody reads it
        first_ = memory_.get() - lowest;
    }

    const char* first() const { return first_; }

  private:
    std::unique_ptr<char[]> memory_;
    const char* first_;
};
