#include "run/states/kept_integers.hpp"

#include "kernels/instruction_set.hpp"
#include "run/reduce/accumulate.hpp"
#include "run/states/kept_states.hpp"

namespace samesum {

namespace {

using Words = void (*)(const void* tile, std::size_t j, std::uint64_t (&words)[3]);

template <bool has_sign>
void words_of_total(const void* tile, std::size_t j, std::uint64_t (&words)[3]) {
    words[0] = static_cast<const std::uint64_t*>(tile)[j];
    words[1] = words[2] = has_sign && words[0] >> 63 != 0 ? ~std::uint64_t{0} : 0;
}

void words_of_wide(const void* tile, std::size_t j, std::uint64_t (&words)[3]) {
    const WholeWords& total = static_cast<const WholeWords*>(tile)[j];
    words[0] = total.word[0], words[1] = total.word[1], words[2] = total.word[2];
}

// Exact for slices of less than 2^31 elements.
struct IntegerSums {
    const Method& method;
    Words words;

    static IntegerSums of(Format in, Map map) {
        const InstructionSet& set = current_instruction_set();
        const std::size_t format = static_cast<std::size_t>(in == Format::boolean ? Format::u8 : in) -
                                   static_cast<std::size_t>(Format::i8),
                          at = static_cast<std::size_t>(map);
        if (fits_64_bits(in, map))
            return {set.methods->modular[format][1][at],
                    map == Map::itself && !is_unsigned(in) ? words_of_total<true> : words_of_total<false>};
        if (set.kept_blocks->split_words[format][at] != nullptr)
            return {set.whole->split[format][at], set.kept_blocks->split_words[format][at]};
        return {wide_method(in, map), words_of_wide};
    }
};

void add(WholeWords& total, const std::uint64_t (&words)[3]) {
    u128 carry = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        carry += u128{total.word[i]} + words[i];
        total.word[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
}

}  // namespace

void add_to_totals(const View& piece, const bool* reduced, Map map, WholeWords* totals) {
    const IntegerSums sums = IntegerSums::of(piece.format, map);
    for_each_range(piece, reduced, sums.method.max_columns,
                   [&](const Plan& plan, const Outputs& part, const Range& range, std::mutex* joining) {
                       const TileScope tile;
                       add_range(plan, sums.method, part, range, joining, tile.tile(),
                                 [&](std::size_t j, std::size_t place) {
                                     std::uint64_t words[3];
                                     sums.words(tile.tile(), j, words);
                                     add(totals[place], words);
                                 });
                   });
}

}  // namespace samesum
