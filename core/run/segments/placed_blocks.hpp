// Elements of a block, readied for the states of their places.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/instruction_set.hpp"
#include "run/segments/placed_states.hpp"

namespace samesum {

// Elements that are readied at a time.
constexpr std::size_t placed_block = 1024;

template <class T>
T read(const char* data, std::int64_t i) {
    T value;
    std::memcpy(&value, data + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return value;
}

// An element of any format as a double, if it is a float, or sign-extended.
inline double real_at(const char* data, std::int64_t i, Format format) {
    if (format == Format::f64) return read<double>(data, i);
    if (format == Format::f32) return static_cast<double>(read<float>(data, i));
    return static_cast<double>(float_of(read<std::uint16_t>(data, i), format));
}

template <class Integer>
void widen(const char* x, std::size_t n, std::uint64_t* to) {
    for (std::size_t i = 0; i < n; ++i)
        to[i] = static_cast<std::uint64_t>(
            static_cast<std::int64_t>(read<Integer>(x, static_cast<std::int64_t>(i))));
}

inline void integers_of(const char* x, std::size_t n, Format format, std::uint64_t* to) {
    switch (format) {
        case Format::i8:
            return widen<std::int8_t>(x, n, to);
        case Format::i16:
            return widen<std::int16_t>(x, n, to);
        case Format::i32:
            return widen<std::int32_t>(x, n, to);
        case Format::u8:
        case Format::boolean:
            return widen<std::uint8_t>(x, n, to);
        case Format::u16:
            return widen<std::uint16_t>(x, n, to);
        case Format::u32:
            return widen<std::uint32_t>(x, n, to);
        default:
            std::memcpy(to, x, n * sizeof(std::uint64_t));
    }
}

// Elements of a block as their states take them.
struct NarrowBlock {
    static_assert(placed_block <= exact_elements);
    alignas(64) double multiple[placed_block], rest[placed_block];

    void take(const char* x, std::size_t n, Format format, NarrowSum::Way& way) {
        const auto split = current_instruction_set().exact_blocks->split[static_cast<std::size_t>(format)];
        way.least = std::min(way.least, split(x, n, way.anchor, multiple, rest));
    }
    void add(NarrowSum::State& state, std::size_t i) const {
        state.multiple += multiple[i];
        state.rest += rest[i];
        ++state.count;
    }
};

struct WideBlock {
    double element[placed_block];

    void take(const char* x, std::size_t n, Format, WideSum::Way&) {
        std::memcpy(element, x, n * sizeof(double));
    }
    void add(WideSum::State& state, std::size_t i) const {
        samesum::add(state.sum, element[i]);
        ++state.count;
    }
};

struct ModularBlock {
    std::uint64_t element[placed_block];

    void take(const char* x, std::size_t n, Format format, ModularSum::Way&) {
        integers_of(x, n, format, element);
    }
    void add(ModularSum::State& state, std::size_t i) const {
        state.sum += element[i];
        ++state.count;
    }
};

struct ExtremeBlock {
    std::int64_t key[placed_block];

    void take(const char* x, std::size_t n, Format format, PlacedExtreme::Way& way) {
        std::uint64_t codes[placed_block];
        // As signed integers of their size, in whose order positive floats are.
        constexpr Format of_float[] = {Format::i16, Format::i16, Format::i32, Format::i64};
        integers_of(x, n, is_float(format) ? of_float[float_index(format)] : format, codes);
        if (!is_float(format)) {
            for (std::size_t i = 0; i < n; ++i) key[i] = static_cast<std::int64_t>(codes[i]) ^ way.flip;
            return;
        }
        const auto sizes = static_cast<std::int64_t>(sign_bit(format) - 1),
                   infinity = static_cast<std::int64_t>(infinity_bits(format));
        for (std::size_t i = 0; i < n; ++i) {
            const auto code = static_cast<std::int64_t>(codes[i]);
            const std::int64_t ordered = (code < 0 ? code ^ sizes : code) ^ way.flip;
            key[i] = (code & sizes) > infinity ? PlacedExtreme::nan : ordered;
        }
    }
    void add(PlacedExtreme::State& state, std::size_t i) const {
        state.key = key[i] > state.key ? key[i] : state.key;
    }
};

}  // namespace samesum
