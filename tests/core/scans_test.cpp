// Every method of cumulative sums and products beside the exact prefixes: along lines in blocks, down
// columns, several lines side by side, whole short lines and columns.
#include "check.hpp"
#include "exact/elements.hpp"
#include "guards.hpp"
#include "method_rows.hpp"
#include "methods/scan_method.hpp"
#include "select/scan_thresholds.hpp"
#include "threads/pool.hpp"

namespace {

using namespace walk;
using samesum::Carry;
using samesum::ScanMethod;

struct ScanRow {
    std::string name;
    ScanMethod method;
    Format in, out;
    bool is_product;
};

std::vector<ScanRow> rows_of(const InstructionSet& set) {
    std::vector<ScanRow> rows;
    const auto push = [&](const char* name, const ScanMethod& method, Format in, Format out, bool product) {
        rows.push_back(
            {std::string(name) + " " + name_of(in) + " as " + name_of(out), method, in, out, product});
    };
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t k = 0; k < 4; ++k) {
            if (samesum::common_format(static_cast<Format>(i), static_cast<Format>(k)) !=
                static_cast<Format>(i))
                continue;  // elements become wider first
            push("sums", set.scans->real[i][k], static_cast<Format>(i), static_cast<Format>(k), false);
            push("products", set.products->scan_real[i][k], static_cast<Format>(i), static_cast<Format>(k),
                 true);
        }
    for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t k = 0; k < 4; ++k) {
            const Format in = static_cast<Format>(i + 4), out = static_cast<Format>(k + 4);
            push("sums", set.scans->modular[i][k], in, out, false);
            push("products", set.products->scan_modular[i], in, out, true);
        }
    return rows;
}

// The bits of every prefix of one line.
std::vector<std::uint64_t> prefixes_of(const ScanRow& row, const Set& set) {
    std::vector<std::uint64_t> prefixes;
    const Finish how{Finalize::itself, row.out, 1};
    const bool is_real = samesum::is_float(row.in);
    samesum::Superaccumulator sum;
    samesum::Product product;
    std::uint64_t whole = row.is_product;
    for (std::size_t i = 0; i < set.n; ++i) {
        const char* const p = set.p + static_cast<std::ptrdiff_t>(i) * set.stride;
        if (is_real && row.is_product) {
            samesum::multiply_element(product, p, row.in);
            prefixes.push_back(product.rounded(how));
        } else if (is_real) {
            samesum::add_elements(sum, p, 1, row.in);
            prefixes.push_back(sum.rounded(how));
        } else {
            const std::uint64_t one = wrapping_product_of({p, 0, 1, row.in});
            whole = row.is_product ? whole * one : whole + one;
            prefixes.push_back(whole & (~std::uint64_t{0} >> (64 - 8 * samesum::size_of(row.out))));
        }
    }
    return prefixes;
}

struct Tally {
    std::size_t results = 0, wrong = 0, certain = 0, plain = 0, plain_certain = 0;
    std::string first;
};

constexpr std::size_t most = 1 << 19;
Guarded room{most}, out_room{most}, failed_room{most};
alignas(64) char tile_memory[samesum::tile_bytes];

// `lines` lines of n elements and their prefixes.
struct Lines {
    const char* way;
    std::size_t lines, n;
    const char* x;
    std::ptrdiff_t line, step;  // in bytes
    Family family;
    std::vector<std::vector<std::uint64_t>> wanted;
};

class Walker {
  public:
    Walker(const std::vector<const ScanRow*>& rows, std::vector<Tally>& tallies, Random& random)
        : rows_(rows),
          tallies_(tallies),
          row_(*rows[0]),
          random_(random),
          size_(samesum::size_of(row_.in)),
          out_size_(samesum::size_of(row_.out)) {}

    // One line in blocks, each after what came before.
    void along(Family family, std::size_t n) {
        const Lines all = draw_lines("along", family, 1, n, 0, sized(size_));
        std::vector<std::size_t> cuts{0};
        while (cuts.back() < n)
            cuts.push_back(
                std::min({n, cuts.back() + samesum::scan_elements, cuts.back() + 1 + below(random_, 2 * n)}));
        each_method([&](const ScanMethod& method, Tally& tally) {
            char* const out = out_room.take(n * out_size_);
            std::vector<std::uint8_t> failed(n);
            Carry carry = method.identity;
            for (std::size_t c = 1; c < cuts.size(); ++c) {
                const std::size_t i = cuts[c - 1], now = cuts[c] - i;
                const char* const p = all.x + i * size_;
                const Carry part = method.total(p, now);
                std::uint8_t* const flags = flags_of(now);
                if (method.row(carry, part, p, now, row_.out, out + i * out_size_, flags) > 0)
                    std::copy(flags, flags + now, failed.begin() + static_cast<std::ptrdiff_t>(i));
                if (!failed_room.is_whole()) note(tally, all, 0, 0);
                method.join(carry, part);
            }
            check(tally, all, out, 0, sized(out_size_), failed.data());
        });
    }

    void down(Family family, std::size_t columns, std::size_t n) {
        const std::size_t gap = below(random_, 3), to = columns + below(random_, 3);
        const std::ptrdiff_t pitch = sized((columns + gap) * size_);
        const Lines all =
            draw_lines("down", family, columns, n, sized(size_), one_in(random_, 6) ? -pitch : pitch);
        const std::size_t batch = below(random_, 2);
        each_method([&](const ScanMethod& method, Tally& tally) {
            const bool tall = method.takes_tall && batch && columns >= samesum::scan_lines;
            const std::size_t together = tall ? samesum::tall_rows : samesum::scan_rows;
            char* const out = out_room.take(((n - 1) * to + columns) * out_size_);
            std::vector<std::uint8_t> failed(n * columns);
            method.init(tile_memory, samesum::strip_columns(columns));
            for (std::size_t r = 0; r < n; r += together) {
                const std::size_t rows = std::min(together, n - r);
                std::uint8_t* const flags = flags_of(rows * columns);
                const std::size_t failures = method.columns(
                    tile_memory, {all.x + sized(r) * all.step, all.step, out + r * to * out_size_,
                                  sized(to * out_size_), rows, columns, r, row_.out, flags});
                copy_flags(failures, flags, rows * columns, failed.data() + r * columns);
                if (!failed_room.is_whole()) note(tally, all, 0, 0);
            }
            check(tally, all, out, sized(out_size_), sized(to * out_size_),
                  transposed(failed, n, columns).data());
        });
    }

    // Lines side by side, from the beginning or after carries.
    void side_by_side(Family family, std::size_t lines, std::size_t n) {
        if (!row_.method.takes_lines()) return;
        const std::size_t cut = one_in(random_, 3) ? below(random_, n) : 0;
        const std::ptrdiff_t line = sized((n + below(random_, 3)) * size_);
        const Lines all = draw_lines("side by side", family, lines, n, line, sized(size_));
        each_method([&](const ScanMethod& method, Tally& tally) {
            char* const out = out_room.take(lines * n * out_size_);
            const char* x[samesum::scan_lines];
            char* to[samesum::scan_lines];
            Carry carries[samesum::scan_lines];
            std::vector<std::uint8_t> failed(lines * n);
            for (std::size_t k = 0; k < lines; ++k) {
                const char* const first = all.x + sized(k) * line;
                x[k] = first + cut * size_;
                to[k] = out + (k * n + cut) * out_size_;
                carries[k] = method.identity;
                if (cut == 0) continue;
                const Carry part = method.total(first, cut);
                std::fill_n(failed.begin() + sized(k * n), cut, std::uint8_t{1});  // `along` looks at these
                method.join(carries[k], part);
            }
            if (cut > 0 && method.start)
                method.start(tile_memory, carries, lines);
            else
                method.init(tile_memory, samesum::scan_lines);
            const std::size_t now = n - cut;
            std::uint8_t* const flags = flags_of(lines * now);
            const std::size_t failures = method.lines(tile_memory, {x, to, lines, now, cut, row_.out, flags});
            for (std::size_t k = 0; failures > 0 && k < lines; ++k)
                std::copy_n(flags + k * now, now, failed.begin() + sized(k * n + cut));
            if (!failed_room.is_whole()) note(tally, all, 0, 0);
            check(tally, all, out, sized(n * out_size_), sized(out_size_), failed.data());
        });
    }

    void short_lines(Family family, std::size_t lines, std::size_t n) {
        if (row_.method.short_lines == nullptr || n > samesum::short_line) return;
        const std::size_t gap = n >= 8 ? below(random_, 3) : 0;
        const Lines all = draw_lines("short lines", family, lines, n, sized((n + gap) * size_), sized(size_));
        each_method([&](const ScanMethod& method, Tally& tally) {
            char* const out = out_room.take(lines * n * out_size_);
            std::uint8_t* const flags = flags_of(lines * n);
            std::vector<std::uint8_t> failed(lines * n);
            copy_flags(method.short_lines({all.x, all.line, out, lines, n, row_.out, flags}), flags,
                       lines * n, failed.data());
            check(tally, all, out, sized(n * out_size_), sized(out_size_), failed.data());
        });
    }

    void short_columns(Family family, std::size_t columns, std::size_t n) {
        if (row_.method.short_columns == nullptr || n > row_.method.most_rows) return;
        const Lines all =
            draw_lines("short columns", family, columns, n, sized(size_), sized(columns * size_));
        each_method([&](const ScanMethod& method, Tally& tally) {
            char* const out = out_room.take(n * columns * out_size_);
            std::uint8_t* const flags = flags_of(n * columns);
            std::vector<std::uint8_t> failed(n * columns);
            const std::size_t failures = method.short_columns(
                {all.x, all.step, out, sized(columns * out_size_), n, columns, 0, row_.out, flags});
            copy_flags(failures, flags, n * columns, failed.data());
            check(tally, all, out, sized(out_size_), sized(columns * out_size_),
                  transposed(failed, n, columns).data());
        });
    }

  private:
    static std::uint8_t* flags_of(std::size_t n) {
        return reinterpret_cast<std::uint8_t*>(failed_room.take(n));
    }

    // Flags are written only where there are failures.
    static void copy_flags(std::size_t failures, const std::uint8_t* flags, std::size_t n, std::uint8_t* to) {
        if (failures > 0) std::copy(flags, flags + n, to);
    }
    static std::vector<std::uint8_t> transposed(const std::vector<std::uint8_t>& flags, std::size_t n,
                                                std::size_t columns) {
        std::vector<std::uint8_t> of_lines(flags.size());
        for (std::size_t i = 0; i < flags.size(); ++i) of_lines[i % columns * n + i / columns] = flags[i];
        return of_lines;
    }

    Lines draw_lines(const char* way, Family family, std::size_t lines, std::size_t n, std::ptrdiff_t line,
                     std::ptrdiff_t step) {
        const std::ptrdiff_t a = sized(lines - 1) * line, b = sized(n - 1) * step;
        const std::size_t bytes = static_cast<std::size_t>(std::abs(a) + std::abs(b)) + size_;
        char* const x =
            room.take(bytes, one_in(random_, 4) ? Edge::front : Edge::end) - std::min<std::ptrdiff_t>(b, 0);
        Lines all{way, lines, n, x, line, step, family, {}};
        for (std::size_t k = 0; k < lines; ++k) {
            const std::vector<std::uint64_t> drawn = draw(random_, row_.in, family, n);
            char* const first = x + sized(k) * line;
            for (std::size_t i = 0; i < n; ++i) std::memcpy(first + sized(i) * step, &drawn[i], size_);
            all.wanted.push_back(prefixes_of(row_, {first, step, n, row_.in}));
        }
        return all;
    }

    template <class Work>
    void each_method(const Work& work) {
        for (std::size_t i = 0; i < rows_.size(); ++i) work(rows_[i]->method, tallies_[i]);
    }

    void check(Tally& tally, const Lines& all, const char* out, std::ptrdiff_t line, std::ptrdiff_t step,
               const std::uint8_t* failed) {
        if (!room.is_whole() || !out_room.is_whole() || !failed_room.is_whole()) note(tally, all, 0, 0);
        for (std::size_t k = 0; k < all.lines; ++k)
            for (std::size_t i = 0; i < all.n; ++i) {
                ++tally.results;
                tally.plain += all.family == Family::plain;
                if (failed[k * all.n + i]) continue;
                ++tally.certain;
                tally.plain_certain += all.family == Family::plain;
                if (bits_of(out + sized(k) * line + sized(i) * step, row_.out) != all.wanted[k][i])
                    note(tally, all, k, i);
            }
    }

    void note(Tally& tally, const Lines& all, std::size_t k, std::size_t i) const {
        if (tally.wrong++ == 0)
            tally.first = std::string(all.way) + ", " + name_of(all.family) + ": prefix " +
                          std::to_string(i) + " of " + std::to_string(all.n) + ", line " + std::to_string(k) +
                          " of " + std::to_string(all.lines);
    }

    const std::vector<const ScanRow*>& rows_;
    std::vector<Tally>& tallies_;
    const ScanRow& row_;
    Random& random_;
    const std::size_t size_, out_size_;
};

void walk_row(Walker& walker, const ScanRow& row, Random& random) {
    const auto count = [&random](std::size_t n) { return 1 + below(random, n); };
    for (std::size_t n = 1; n <= 70; ++n)
        for (const Family family : families) {
            if (!samesum::is_float(row.in) && (family == Family::cancelling || family == Family::ties))
                continue;
            walker.along(family, n);
            if (one_in(random, 2)) walker.down(family, count(20), n);
            if (one_in(random, 2)) walker.side_by_side(family, count(8), n);
            if (one_in(random, 2)) walker.short_lines(family, count(19), n);
            if (one_in(random, 3)) walker.short_columns(family, count(30), n);
        }
    for (const std::size_t n : {127, 128, 129, 511, 512, 513, 1030})
        for (const Family family : {Family::plain, Family::spread, Family::cancelling}) {
            walker.along(family, n);
            if (n < 200) walker.down(family, 9, n), walker.side_by_side(family, 8, n);
        }
}

}  // namespace

TEST_CASE("every method of scans gives the exact prefixes, or says which it does not know") {
    const samesum::FloatingPointScope scope;
    std::vector<std::vector<ScanRow>> tables;
    each_instruction_set([&](const InstructionSet& set, std::size_t) { tables.push_back(rows_of(set)); });
    for (std::size_t i = 0; i < tables[0].size(); ++i) {
        std::vector<const ScanRow*> rows;
        for (const std::vector<ScanRow>& table : tables) rows.push_back(&table[i]);
        std::vector<Tally> tallies(rows.size());
        Random random(i);
        Walker walker(rows, tallies, random);
        walk_row(walker, *rows[0], random);
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const Tally& t = tallies[k];
            const std::string where = std::string(sets_here()[k]->name) + ": " + rows[k]->name + ": ";
            CHECK_MESSAGE(t.wrong == 0, where, t.wrong, " of ", t.results, " wrong; ", t.first);
            CHECK_MESSAGE(t.plain_certain * 5 > t.plain * 4, where, t.plain_certain, " of ", t.plain);
        }
    }
}
