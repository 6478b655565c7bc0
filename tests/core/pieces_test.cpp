// What the other loops are made of, beside loops that do one element after the other: cumulative extremes,
// masks, short rows as columns, figures and exact totals of blocks.
#include "bounds.hpp"
#include "check.hpp"
#include "guards.hpp"
#include "threads/pool.hpp"

namespace {

using namespace walk;

Guarded room{std::size_t{1} << 20}, other_room{std::size_t{1} << 20}, out_room{std::size_t{1} << 20},
    mask_room{1 << 16};

bool are_whole() {
    return room.is_whole() && other_room.is_whole() && out_room.is_whole() && mask_room.is_whole();
}

constexpr Format any_format[] = {Format::f16, Format::bf16, Format::f32,  Format::f64,  Format::i8,
                                 Format::i16, Format::i32,  Format::i64,  Format::u8,   Format::u16,
                                 Format::u32, Format::u64,  Format::e5m2, Format::e4m3, Format::e3m4};

}  // namespace

TEST_CASE("cumulative extremes are those of the elements so far") {
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        for (const Format format : any_format)
            for (const bool maximum : {false, true}) {
                Random random(static_cast<std::uint64_t>(format));
                const samesum::ScanMethod& method =
                    set.extreme_scans->of[static_cast<std::size_t>(format)][maximum];
                const std::size_t size = samesum::size_of(format);
                alignas(64) static char tile[samesum::tile_bytes];
                std::size_t wrong = 0;
                for (const std::size_t n : lengths(300))
                    for (const Family family : families) {
                        const std::size_t lines = 1 + below(random, 5);
                        char* const x = drawn(room, random, format, family, n * lines);
                        const auto check = [&](const char* out, std::ptrdiff_t line_step, std::ptrdiff_t step,
                                               std::ptrdiff_t from_line, std::ptrdiff_t from_step) {
                            for (std::size_t k = 0; k < lines; ++k) {
                                std::uint64_t pair[2];  // the extreme so far, and the next element
                                for (std::size_t i = 0; i < n; ++i) {
                                    const Set line{x + sized(k) * from_line, from_step, n, format};
                                    pair[1] = line.bits(i);
                                    pair[0] = extreme_of({reinterpret_cast<char*>(pair + (i == 0)), 8,
                                                          i == 0 ? std::size_t{1} : std::size_t{2}, format},
                                                         maximum);
                                    wrong += bits_of(out + sized(k) * line_step + sized(i) * step, format) !=
                                             pair[0];
                                }
                            }
                            wrong += !are_whole();
                        };
                        // Lines, in two pieces; lines together; and the same numbers as columns.
                        char* out = out_room.take(n * lines * size);
                        const std::size_t cut = below(random, n + 1);
                        for (std::size_t k = 0; k < lines; ++k) {
                            const char* const p = x + k * n * size;
                            samesum::Carry carry = method.identity;
                            const samesum::Carry first = method.total(p, cut);
                            method.row(carry, first, p, cut, format, out + k * n * size, nullptr);
                            method.join(carry, first);
                            method.row(carry, carry, p + cut * size, n - cut, format,
                                       out + (k * n + cut) * size, nullptr);
                        }
                        check(out, sized(n * size), sized(size), sized(n * size), sized(size));
                        out = out_room.take(n * lines * size);
                        method.whole_lines(
                            {x, sized(n * size), out, sized(n * size), lines, n, 0, format, nullptr});
                        check(out, sized(n * size), sized(size), sized(n * size), sized(size));
                        out = out_room.take(n * lines * size);
                        method.init(tile, samesum::strip_columns(lines));
                        const std::ptrdiff_t row = sized(lines * size);
                        for (std::size_t r = 0; r < n; r += 3)
                            method.columns(tile,
                                           {x + sized(r) * row, row, out + sized(r) * row, row,
                                            std::min<std::size_t>(3, n - r), lines, r, format, nullptr});
                        check(out, sized(size), row, sized(size), row);
                    }
                CHECK_MESSAGE(wrong == 0, set.name, ", ", name_of(format), ": ", wrong);
            }
    });
}

TEST_CASE("masks choose the elements that they say") {
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        const samesum::MaskMethods& m = *set.masking;
        Random random(7);
        for (std::size_t width = 0; width < 4; ++width)
            for (const std::size_t n : lengths(1100)) {
                const std::size_t size = std::size_t{1} << width;
                const Format format = static_cast<Format>(static_cast<std::size_t>(Format::u8) + width);
                const std::uint64_t most = samesum::sign_bit(format) * 2 - 1, identity = random() & most;
                const char* const x = drawn(room, random, format, Family::bits, n);
                std::uint8_t* const mask = reinterpret_cast<std::uint8_t*>(mask_room.take(n));
                const std::uint64_t share = below(random, 4);
                for (std::size_t i = 0; i < n; ++i)
                    mask[i] =
                        below(random, 3) < share ? static_cast<std::uint8_t>(1 + below(random, 255)) : 0;
                std::size_t chosen = 0, wrong = 0;
                char* to = out_room.take(n * size);
                m.fill[width](x, mask, n, identity, to, {0, 0});
                for (std::size_t i = 0; i < n; ++i)
                    wrong += bits_of(to + i * size, format) !=
                             (mask[i] ? bits_of(x + i * size, format) : identity);
                wrong += !are_whole();
                to = out_room.take(n * size);
                const std::size_t picked = m.pick[width](x, mask, n, to);
                for (std::size_t i = 0; i < n; ++i)
                    if (mask[i])
                        wrong += bits_of(to + chosen++ * size, format) != bits_of(x + i * size, format);
                wrong += picked != chosen || m.count(mask, n) != chosen || !are_whole();
                samesum::CodeRange codes{random() & most, random() & most, 0, one_in(random, 2)};
                codes.most = random() & codes.magnitude;
                const auto is_among = [&](std::size_t i) {
                    const std::uint64_t code = bits_of(x + i * size, format) + codes.step;
                    return ((code & codes.magnitude) <= codes.most) != codes.above;
                };
                for (const std::uint8_t* by :
                     {static_cast<const std::uint8_t*>(mask), static_cast<const std::uint8_t*>(nullptr)}) {
                    to = out_room.take(n);
                    m.those_of[width](x, by, n, codes, reinterpret_cast<std::uint8_t*>(to), {0, 0});
                    for (std::size_t i = 0; i < n; ++i)
                        wrong += to[i] != (is_among(i) && (by == nullptr || by[i]));
                    wrong += !are_whole();
                }
                to = out_room.take(n * size);
                const bool said = m.fill_those[width](x, n, codes, identity, to, {0, 0});
                bool are_all = true;
                for (std::size_t i = 0; i < n; ++i) {
                    wrong += bits_of(to + i * size, format) !=
                             (is_among(i) ? bits_of(x + i * size, format) : identity);
                    are_all = are_all && is_among(i);
                }
                wrong += said != are_all || !are_whole();
                CHECK_MESSAGE(wrong == 0, set.name, ": ", n, " elements of ", size, " bytes");
            }
        for (const std::size_t n : lengths(130)) {
            const std::size_t rows = 1 + below(random, 300), pitch = n + below(random, 5);
            std::uint8_t* const mask =
                reinterpret_cast<std::uint8_t*>(mask_room.take((rows - 1) * pitch + n));
            for (std::size_t i = 0; i < (rows - 1) * pitch + n; ++i)
                mask[i] = static_cast<std::uint8_t>(below(random, 3));
            std::int64_t* const counts = reinterpret_cast<std::int64_t*>(out_room.take(n * 8));
            m.count_columns(mask, sized(pitch), rows, n, counts);
            std::size_t wrong = !are_whole();
            for (std::size_t j = 0; j < n; ++j) {
                std::int64_t count = 0;
                for (std::size_t r = 0; r < rows; ++r) count += mask[r * pitch + j] != 0;
                wrong += counts[j] != count;
            }
            CHECK_MESSAGE(wrong == 0, set.name, ": counts of ", n, " columns");
        }
    });
}

TEST_CASE("short rows become columns and rows again") {
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        const samesum::TransposeMethods& m = *set.transposes;
        Random random(3);
        for (std::size_t width = 0; width < 4; ++width)
            for (std::size_t elements = 1; elements <= samesum::short_elements; ++elements)
                for (const std::size_t rows : {1, 2, 7, 8, 9, 16, 17, 33, 63, 64}) {
                    const std::size_t size = std::size_t{1} << width, apart = elements + below(random, 3),
                                      pitch = 72;
                    const Format format = static_cast<Format>(static_cast<std::size_t>(Format::u8) + width);
                    std::size_t wrong = 0;
                    const auto check = [&](const char* x, std::size_t stride, const char* runs,
                                           std::size_t step) {
                        for (std::size_t j = 0; j < rows; ++j)
                            for (std::size_t i = 0; i < elements; ++i)
                                wrong += bits_of(x + (j * stride + i) * size, format) !=
                                         bits_of(runs + (i * step + j) * size, format);
                        wrong += !are_whole();
                    };
                    const char* x = drawn(room, random, format, Family::bits, (rows - 1) * apart + elements);
                    char* runs = other_room.take(elements * pitch * size);
                    m.any[width](x, sized(apart), elements, rows, runs, pitch);
                    check(x, apart, runs, pitch);
                    char* back = out_room.take(((rows - 1) * apart + elements) * size);
                    m.any_back[width](runs, pitch, elements, rows, back, sized(apart));
                    check(back, apart, runs, pitch);
                    if (elements > samesum::transposed_elements || !m.known[width][elements]) {
                        CHECK_MESSAGE(wrong == 0, set.name, ": ", elements, " x ", rows);
                        continue;
                    }
                    x = drawn(room, random, format, Family::bits, rows * elements);
                    runs = other_room.take(elements * samesum::transposed_pitch * size);
                    m.known[width][elements](x, rows, runs);
                    check(x, elements, runs, samesum::transposed_pitch);
                    if (const auto known_back = m.known_back[width][elements]) {
                        back = out_room.take(rows * elements * size);
                        known_back(runs, rows, back);
                        check(back, elements, runs, samesum::transposed_pitch);
                    }
                    CHECK_MESSAGE(wrong == 0, set.name, ": ", elements, " x ", rows);
                }
    });
}

TEST_CASE("blocks are split about an anchor, nothing of them is lost") {
    const samesum::FloatingPointScope scope;
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        for (std::size_t f = 0; f < 3; ++f) {
            const Format format = static_cast<Format>(f);
            Random random(f);
            for (const std::size_t n : lengths(samesum::exact_elements))
                for (const Family family :
                     {Family::plain, Family::spread, Family::whole, Family::zeros, Family::subnormal}) {
                    const char* const x = drawn(room, random, format, family, n);
                    const std::size_t whole = (n + 15) / 16 * 16 * 8;
                    double *const multiple = reinterpret_cast<double*>(out_room.take(whole)),
                                  *const rest = reinterpret_cast<double*>(other_room.take(whole));
                    const double unit = std::ldexp(1.0, static_cast<int>(below(random, 30)) - 20),
                                 anchor = 0x1.8p52 * unit;
                    const double least = set.kept_blocks->split[f](x, n, anchor, multiple, rest);
                    double smallest = HUGE_VAL;
                    std::size_t wrong = !are_whole();
                    for (std::size_t i = 0; i < n; ++i) {
                        const double v = value_of(bits_of(x + i * samesum::size_of(format), format), format);
                        if (v != 0) smallest = std::fmin(smallest, std::fabs(v));
                        if (std::fabs(v) > 0x1p50 * unit) continue;
                        wrong += multiple[i] + rest[i] != v || std::fabs(rest[i]) > unit / 2 ||
                                 std::nearbyint(multiple[i] / unit) != multiple[i] / unit;
                    }
                    CHECK_MESSAGE((wrong == 0 && least == smallest), in_words(set.name, format, family, n),
                                  ": ", wrong);
                }
        }
    });
}

TEST_CASE("figures of blocks count each class, and tell the extremes") {
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        for (std::size_t f = 0; f < 4; ++f) {
            const Format format = static_cast<Format>(f);
            const std::size_t size = samesum::size_of(format);
            const std::uint64_t sign = samesum::sign_bit(format), infinity = samesum::infinity_bits(format);
            Random random(f);
            for (const std::size_t n : lengths(samesum::statistics_elements))
                for (const Family family : families) {
                    const char* const x = drawn(room, random, format, family, n);
                    char* const finite = out_room.take(n * size);
                    samesum::BlockStatistics found, wanted;
                    set.statistics->of[f](x, n, finite, found);
                    std::size_t wrong = !are_whole();
                    for (std::size_t i = 0; i < n; ++i) {
                        const std::uint64_t bits = bits_of(x + i * size, format),
                                            magnitude = bits & (sign - 1);
                        const bool is_finite = magnitude < infinity;
                        wrong += bits_of(finite + i * size, format) != (is_finite ? bits : 0);
                        wanted.nans += magnitude > infinity;
                        (bits & sign ? wanted.negative_infinities : wanted.positive_infinities) +=
                            magnitude == infinity;
                        wanted.zeros += magnitude == 0;
                        wanted.subnormals +=
                            magnitude > 0 && magnitude < std::uint64_t{1}
                                                             << (samesum::traits_of(format).precision - 1);
                        if (!is_finite) continue;
                        wanted.least = std::min(wanted.least, key_of(bits, format));
                        wanted.greatest = std::max(wanted.greatest, key_of(bits, format));
                        if (magnitude > 0)
                            wanted.smallest = std::min(wanted.smallest, static_cast<std::int64_t>(magnitude));
                    }
                    wrong += found.nans != wanted.nans ||
                             found.positive_infinities != wanted.positive_infinities ||
                             found.negative_infinities != wanted.negative_infinities ||
                             found.zeros != wanted.zeros || found.subnormals != wanted.subnormals ||
                             found.least != wanted.least || found.greatest != wanted.greatest ||
                             found.smallest != wanted.smallest;
                    CHECK_MESSAGE(wrong == 0, in_words(set.name, format, family, n));
                }
        }
    });
}
