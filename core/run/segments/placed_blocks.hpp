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

template <class Integer, class To>
void widen(const char* x, std::size_t n, To* to) {
    for (std::size_t i = 0; i < n; ++i)
        to[i] = static_cast<To>(read<Integer>(x, static_cast<std::int64_t>(i)));
}

// Sign-extended, as the `To` that holds them.
template <class To>
void integers_of(const char* x, std::size_t n, Format format, To* to) {
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
            return widen<std::int64_t>(x, n, to);
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

template <class Key>
struct ExtremeBlock {
    using Extreme = PlacedExtreme<Key>;
    Key key[placed_block];

    void take(const char* x, std::size_t n, Format format, typename Extreme::Way& way) {
        // Floats as signed integers of their size, in whose order positive ones are.
        constexpr Format of_float[] = {Format::i16, Format::i16, Format::i32, Format::i64};
        integers_of(x, n, is_float(format) ? of_float[float_index(format)] : format, key);
        const Key flip = way.flip;
        if (!is_float(format)) {
            for (std::size_t i = 0; i < n; ++i) key[i] ^= flip;
            return;
        }
        const auto sizes = static_cast<Key>(sign_bit(format) - 1),
                   infinity = static_cast<Key>(infinity_bits(format));
        for (std::size_t i = 0; i < n; ++i) {
            const Key code = key[i], ordered = (code < 0 ? code ^ sizes : code) ^ flip;
            key[i] = (code & sizes) > infinity ? Extreme::nan : ordered;
        }
    }
    void add(typename Extreme::State& state, std::size_t i) const {
        state.key = key[i] > state.key ? key[i] : state.key;
    }
};

}  // namespace samesum
