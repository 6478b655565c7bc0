// Words of 8 bytes in the bytes of states, the lowest byte first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace samesum {

inline void put_word(std::uint64_t word, std::string& to) {
    for (int i = 0; i < 8; ++i) to.push_back(static_cast<char>(word >> (8 * i)));
}

inline std::uint64_t word_at(const char* from) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8; ++i) word |= std::uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
    return word;
}

// Moves on.
inline std::uint64_t take_word(const char*& from) {
    from += 8;
    return word_at(from - 8);
}

}  // namespace samesum
