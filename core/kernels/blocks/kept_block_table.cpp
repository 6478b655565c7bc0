// Exact sums of blocks that are kept: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/blocks/kept_block.hpp"
#include "kernels/integers/split_sums.hpp"

namespace samesum::SAMESUM_ISA {

static void words_of_sum(const void* tile, std::size_t j, std::uint64_t (&words)[3]) {
    const SplitTile& t = *static_cast<const SplitTile*>(tile);
    const __int128 total = static_cast<__int128>(t.high[j]) * (std::int64_t{1} << 32) + t.low[j];
    words[0] = static_cast<std::uint64_t>(total);
    words[1] = static_cast<std::uint64_t>(total >> 64);
    words[2] = static_cast<std::uint64_t>(total >> 127);
}

template <class Integer>
void words_of_squares(const void* tile, std::size_t j, std::uint64_t (&words)[3]) {
    using Squares = SplitSquares<Integer>;
    const WholeWords all = Squares::words_of(*static_cast<const typename Squares::Tile*>(tile), j);
    std::memcpy(words, all.word, sizeof words);
}

template <class F>
constexpr void fill(KeptBlock (&row)[3]) {
    row[0] = KeptSum<F, Map::itself>::block();
    row[1] = KeptSum<F, Map::magnitude>::block();
    row[2] = KeptSum<F, Map::square>::block();
}

constexpr KeptBlocks all_kept_blocks() {
    KeptBlocks all{};
    fill<Float16>(all.block[0]);
    fill<Bfloat16>(all.block[1]);
    fill<Float32>(all.block[2]);
    fill<Float64>(all.block[3]);
    const auto words_of = [&all](Format format) -> auto& {
        return all.split_words[static_cast<std::size_t>(format) - static_cast<std::size_t>(Format::i8)];
    };
    words_of(Format::i32)[2] = words_of_squares<std::int32_t>;
    words_of(Format::u32)[2] = words_of_squares<std::uint32_t>;
    auto& wide = words_of(Format::i64);
    wide[0] = words_of_sum;
    wide[1] = words_of_sum;
    wide[2] = words_of_squares<std::int64_t>;
    auto& unsigned_wide = words_of(Format::u64);
    unsigned_wide[0] = words_of_sum;
    unsigned_wide[1] = words_of_sum;
    unsigned_wide[2] = words_of_squares<std::uint64_t>;
    return all;
}

extern const KeptBlocks kept_blocks;
const KeptBlocks kept_blocks = all_kept_blocks();

}  // namespace samesum::SAMESUM_ISA
