// Exact totals of integers: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/integers/split_sums.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer>
constexpr void fill_64(Method (&row)[3]) {
    row[0] = SplitSum<Integer, Map::itself>::method();
    row[1] = SplitSum<Integer, Map::magnitude>::method();
    row[2] = SplitSum<Integer, Map::square>::method();
}

constexpr WholeMethods all_whole() {
    WholeMethods m{};
    const auto row_of = [&m](Format format) -> Method(&)[3] {
        return m.split[static_cast<std::size_t>(format) - static_cast<std::size_t>(Format::i8)];
    };
    fill_64<std::int64_t>(row_of(Format::i64));
    fill_64<std::uint64_t>(row_of(Format::u64));
    row_of(Format::i32)[2] = SplitSum<std::int32_t, Map::square>::method();
    row_of(Format::u32)[2] = SplitSum<std::uint32_t, Map::square>::method();
    m.finish_signed = finish_totals<true>;
    m.finish_unsigned = finish_totals<false>;
    return m;
}

extern const WholeMethods whole;
const WholeMethods whole = all_whole();

}  // namespace samesum::SAMESUM_ISA
