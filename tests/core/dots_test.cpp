// Dot products, and totals that are kept, beside exact sums.
#include "bounds.hpp"
#include "check.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "guards.hpp"
#include "run/states/kept_states.hpp"
#include "threads/pool.hpp"

namespace {

using namespace walk;

Guarded room{std::size_t{1} << 20}, other_room{std::size_t{1} << 20}, out_room{std::size_t{1} << 20};
alignas(64) char tile_memory[2][samesum::tile_bytes];

bool are_whole() { return room.is_whole() && other_room.is_whole() && out_room.is_whole(); }

// Sums of products in one instruction set: along rows, down columns, with one element for each row, and
// merged.
class Dots {
  public:
    Dots(const InstructionSet& set, Format format)
        : set_(set),
          format_(format),
          size_(samesum::size_of(format)),
          is_real_(samesum::is_float(format)),
          method_(is_real_ ? set.dots->floats[static_cast<std::size_t>(format)]
                           : set.dots->integers[static_cast<std::size_t>(format) -
                                                static_cast<std::size_t>(Format::u8)]),
          random_(static_cast<std::uint64_t>(format)) {}

    void walk(Family family, std::size_t n) {
        family_ = family;
        along(n);
        down(n, false);
        down(n, true);
    }
    std::size_t plain = 0, certain = 0;
    double greatest = 0;

  private:
    void along(std::size_t n) {
        const std::size_t rows = 1 + below(random_, 17), cut = below(random_, n);
        const char *const a = drawn(room, random_, format_, family_, rows * n), *const b =
                                                                                    drawn(other_room, random_,
                                                                                          format_, family_,
                                                                                          rows * n);
        const bool same = one_in(random_, 4);  // one row for all
        const std::ptrdiff_t row = sized(n * size_), b_row = same ? 0 : row;
        const samesum::PairRows first{a, b, b_row, false},
            rest{a + cut * size_, b + cut * size_, b_row, false};
        method_.init(tile_memory[0], rows);
        method_.init(tile_memory[1], rows + 2);
        method_.lanes(tile_memory[1], 2, &first, cut, row, rows);
        method_.lanes(tile_memory[0], 0, &rest, n - cut, row, rows);
        method_.merge(tile_memory[0], 0, tile_memory[1], 2, rows);
        for (std::size_t r = 0; r < rows; ++r)
            copies(a + sized(r) * row, sized(size_), b + sized(r) * b_row, sized(size_), n);
        finish(rows, n);
    }

    void down(std::size_t n, bool repeats) {
        const std::size_t columns = n > 100 ? 5 : 1 + below(random_, 40), b_columns = repeats ? 1 : columns;
        const char *const a = drawn(room, random_, format_, family_, columns * n), *const b = drawn(
                                                                                       other_room, random_,
                                                                                       format_, family_,
                                                                                       b_columns * n);
        method_.init(tile_memory[0], columns);
        const std::ptrdiff_t row = sized(columns * size_), b_row = sized(b_columns * size_);
        const samesum::PairRows pair{a, b, b_row, repeats};
        method_.columns(tile_memory[0], &pair, row, n, columns);
        for (std::size_t j = 0; j < columns; ++j)
            copies(a + j * size_, row, b + (repeats ? 0 : j * size_), b_row, n);
        finish(columns, n);
    }

    // One set, its elements side by side.
    void copies(const char* a, std::ptrdiff_t a_step, const char* b, std::ptrdiff_t b_step, std::size_t n) {
        std::string x, y;
        for (std::size_t i = 0; i < n; ++i) {
            x.append(a + sized(i) * a_step, size_);
            y.append(b + sized(i) * b_step, size_);
        }
        sets_.push_back({x, y});
    }

    void finish(std::size_t count, std::size_t n) {
        std::uint8_t failed[samesum::tile_columns] = {};
        std::vector<samesum::Sum> totals;
        for (std::size_t j = 0; is_real_ && j < count; ++j)
            totals.push_back(set_.dots->total[static_cast<std::size_t>(format_)](
                tile_memory[0], j, static_cast<std::int64_t>(n)));
        char* const out = out_room.take(count * size_);
        method_.finish(tile_memory[0], count, {Finalize::itself, format_, static_cast<std::int64_t>(n)}, out,
                       failed);
        REQUIRE_MESSAGE(are_whole(), in_words(set_.name, format_, family_, n));
        for (std::size_t j = 0; j < count; ++j) {
            const auto& [x, y] = sets_[j];
            plain += family_ == Family::plain;
            std::uint64_t wanted = 0;
            if (is_real_) {
                samesum::Superaccumulator total;
                samesum::add_products(total, x.data(), y.data(), n, format_);
                wanted = total.rounded({Finalize::itself, format_, 1});
                const samesum::Sum& known = totals[j];
                if (total.is_finite() && std::isfinite(known.hi) && std::isfinite(known.bound)) {
                    const Dyadic error = Dyadic(total) - Dyadic(known.hi) - Dyadic(known.lo);
                    greatest = std::fmax(greatest, quotient(error, widened(known.bound)));
                }
            } else {
                for (std::size_t i = 0; i < n; ++i)
                    wanted += bits_of(&x[i * size_], format_) * bits_of(&y[i * size_], format_);
                wanted &= samesum::sign_bit(format_) * 2 - 1;
            }
            if (failed[j]) continue;
            certain += family_ == Family::plain;
            REQUIRE_MESSAGE(bits_of(out + j * size_, format_) == wanted,
                            in_words(set_.name, format_, family_, n));
        }
        sets_.clear();
    }

    const InstructionSet& set_;
    const Format format_;
    const std::size_t size_;
    const bool is_real_;
    const samesum::Method& method_;
    Random random_;
    Family family_ = Family::plain;
    std::vector<std::pair<std::string, std::string>> sets_;
};

}  // namespace

TEST_CASE("dot products are the exact ones or say that they do not know it, within their bounds") {
    const samesum::FloatingPointScope scope;
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        for (const Format format : {Format::f16, Format::bf16, Format::f32, Format::f64, Format::u8,
                                    Format::u16, Format::u32, Format::u64}) {
            Dots dots(set, format);
            for (const std::size_t n : lengths(600))
                for (const Family family : families)
                    if (samesum::is_float(format) || family < Family::cancelling) dots.walk(family, n);
            CHECK_MESSAGE(dots.greatest <= 1, set.name, ", ", name_of(format), ": ", dots.greatest);
            CHECK_MESSAGE(dots.certain * 10 > dots.plain * 9, set.name, ", ", name_of(format), ": ",
                          dots.certain);
        }
    });
}

TEST_CASE("totals that are kept are exact, along rows and down columns") {
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        for (std::size_t f = 0; f < 4; ++f)
            for (const Map map : {Map::itself, Map::magnitude, Map::square}) {
                const Format format = static_cast<Format>(f);
                const std::size_t size = samesum::size_of(format);
                Random random(f);
                for (const std::size_t n : lengths(1100))
                    for (const Family family : families) {
                        if (n > 70 && !one_in(random, 3)) continue;
                        const std::size_t sets = 1 + below(random, 5);
                        const char* const x = drawn(room, random, format, family, sets * n);
                        for (const bool by_rows : {true, false}) {
                            const std::size_t rows = by_rows ? sets : n, columns = by_rows ? n : sets;
                            const std::int64_t shape[] = {sized(rows), sized(columns)},
                                               strides[] = {sized(columns * size), sized(size)};
                            const bool reduced[] = {!by_rows, by_rows};
                            // Twice, one after the other or merged.
                            const bool are_merged = one_in(random, 2);
                            samesum::FloatTotals totals(format, map, sets), others(format, map, sets);
                            for (int turn = 0; turn < 2; ++turn)
                                samesum::add_to_totals({x, 2, shape, strides, format, false}, reduced, map,
                                                       turn == 1 && are_merged ? others : totals);
                            totals.merge(others);
                            for (std::size_t j = 0; j < sets; ++j) {
                                const Set one{x + j * (by_rows ? n : 1) * size,
                                              by_rows ? sized(size) : strides[0], n, format};
                                samesum::Superaccumulator wanted;
                                for (int turn = 0; turn < 2; ++turn)
                                    for (std::size_t i = 0; i < n; ++i) {
                                        const char* const p = one.p + sized(i) * one.stride;
                                        samesum::in_float_format(format, [&]<Format g>() {
                                            if (map == Map::itself)
                                                samesum::add_elements<g, Map::itself>(wanted, p, 0, 1);
                                            if (map == Map::magnitude)
                                                samesum::add_elements<g, Map::magnitude>(wanted, p, 0, 1);
                                            if (map == Map::square)
                                                samesum::add_elements<g, Map::square>(wanted, p, 0, 1);
                                        });
                                    }
                                const samesum::Finish how{Finalize::itself, format, 1};
                                const bool same = totals[j].rounded(how) == wanted.rounded(how) &&
                                                  (!are_finite(one) ||
                                                   (Dyadic(totals[j].total()) - Dyadic(wanted)).sign() == 0);
                                REQUIRE_MESSAGE(same, in_words(set.name, format, family, n));
                            }
                        }
                    }
            }
    });
}
