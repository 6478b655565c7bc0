// Every row of the tables of reductions beside the exact result of each set: along rows and down columns, in
// one go and in parts that are merged, rows one after the other, apart, backwards and again and again.
#include <map>

#include "bounds.hpp"
#include "check.hpp"
#include "guards.hpp"
#include "method_rows.hpp"
#include "threads/pool.hpp"

namespace {

using namespace walk;

// Elements of a set whose bounds are looked at.
constexpr std::size_t most_bounded = 300;
constexpr std::size_t most_bytes = std::size_t{1} << 20;

// What a row did with all that it was given, in one instruction set.
struct Tally {
    std::size_t results = 0, wrong = 0, certain = 0, plain = 0, plain_certain = 0, bounds = 0;
    double quotient = 0;       // the greatest of an error and its bound
    std::string first, where;  // the first wrong result; the greatest quotient
};

// Sets of elements as a method is given them: how they are accumulated, and where each of them lies.
struct Given {
    const char* way;
    const char* x;
    std::ptrdiff_t set_step, step;  // from set to set, from element to element
    std::size_t sets, n;
};

// One row of the tables in all instruction sets, which share data and exact results.
class Walker {
  public:
    Walker(const std::vector<const Row*>& rows, Random& random)
        : rows_(rows),
          row_(*rows[0]),
          random_(random),
          size_(samesum::size_of(row_.in)),
          tallies_(rows.size()) {}

    // Sets of n elements of a family.
    void walk(Family family, std::size_t n) {
        family_ = family;
        if (n <= samesum::block_elements) along_rows(n);
        down_columns(n);
        if (n > 1) in_parts(n);
    }
    const Tally& tally(std::size_t i) const { return tallies_[i]; }

  private:
    // `sets` sets of n elements.
    const char* fill(std::size_t sets, std::size_t n, std::ptrdiff_t set_step, std::ptrdiff_t step) {
        const auto reach = [](std::size_t count, std::ptrdiff_t by) {
            return static_cast<std::ptrdiff_t>(count - 1) * by;
        };
        const std::ptrdiff_t a = reach(sets, set_step), b = reach(n, step),
                             lowest = std::min<std::ptrdiff_t>(a, 0) + std::min<std::ptrdiff_t>(b, 0);
        const std::size_t bytes = static_cast<std::size_t>(std::abs(a) + std::abs(b)) + size_;
        char* const first = x_.take(bytes, one_in(random_, 4) ? Edge::front : Edge::end) - lowest;
        for (std::size_t j = 0; j < sets; ++j) {
            const std::vector<std::uint64_t> drawn = draw(random_, row_.in, family_, n);
            for (std::size_t i = 0; i < n; ++i)
                std::memcpy(
                    first + static_cast<std::ptrdiff_t>(j) * set_step + static_cast<std::ptrdiff_t>(i) * step,
                    &drawn[i], size_);
        }
        return first;
    }

    // From row to row of n elements: side by side, apart, backwards or the same row again.
    std::ptrdiff_t stride_of(std::size_t n) {
        const std::size_t kind = below(random_, 6);
        const std::ptrdiff_t row =
            static_cast<std::ptrdiff_t>((n + (kind > 1 ? below(random_, 5) : 0)) * size_);
        return kind == 5 ? 0 : kind == 4 ? -row : row;
    }

    void along_rows(std::size_t n) {
        const std::size_t rows = n > 300 ? 2 : 1 + below(random_, 11),
                          cut = below(random_, std::min<std::size_t>(rows, 4));
        const std::ptrdiff_t stride = stride_of(n);
        const char* const x = fill(rows, n, stride, static_cast<std::ptrdiff_t>(size_));
        check({"rows", x, stride, static_cast<std::ptrdiff_t>(size_), rows, n},
              [&](const Method& method, void* tile) {
                  // The first rows come last.
                  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(cut) * stride;
                  method.lanes(tile, cut, x + at, n, stride, rows - cut);
                  if (cut > 0) method.lanes(tile, 0, x, n, stride, cut);
              });
    }

    void down_columns(std::size_t n) {
        constexpr std::size_t counts[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65};
        std::size_t columns = n > 300 ? 3 : n > 70 ? 9 : counts[below(random_, std::size(counts))];
        if (n < 4 && one_in(random_, 8)) columns = row_.method.max_columns;
        const std::ptrdiff_t stride = stride_of(columns);
        const char* const x = fill(columns, n, static_cast<std::ptrdiff_t>(size_), stride);
        check({"columns", x, static_cast<std::ptrdiff_t>(size_), stride, columns, n},
              [&](const Method& method, void* tile) { method.columns(tile, x, stride, n, columns); });
    }

    // Parts of the same sets in two tiles, and the second one in several calls.
    void in_parts(std::size_t n) {
        const std::size_t rows = n > 300 ? 1 : 1 + below(random_, 9), cut = 1 + below(random_, n - 1),
                          shift = below(random_, 3), most = 1 + below(random_, 40);
        const std::ptrdiff_t stride = stride_of(n);
        const char* const x = fill(rows, n, stride, static_cast<std::ptrdiff_t>(size_));
        check({"parts", x, stride, static_cast<std::ptrdiff_t>(size_), rows, n},
              [&](const Method& method, void* tile) {
                  void* const other = other_.take(samesum::tile_bytes);
                  method.init(other, rows + shift);
                  method.lanes(tile, 0, x, cut, stride, rows);
                  for (std::size_t i = cut; i < n; i += most)
                      method.lanes(other, shift, x + i * size_, std::min(n - i, most), stride, rows);
                  method.merge(tile, 0, other, shift, rows);
              });
    }

    // accumulate(method, tile) in each instruction set; then all results.
    template <class Accumulate>
    void check(const Given& given, const Accumulate& accumulate) {
        const std::vector<Finish> how = some_finishes(given.n);
        std::vector<std::vector<std::uint64_t>> exact;
        for (std::size_t j = 0; j < std::min<std::size_t>(given.sets, 66); ++j)
            exact.push_back(row_.exact(
                {given.x + static_cast<std::ptrdiff_t>(j) * given.set_step, given.step, given.n, row_.in},
                how));
        for (std::size_t number = 0; number < rows_.size(); ++number) {
            const Method& method = rows_[number]->method;
            if (row_.in_use) samesum::select_instruction_set(sets_here()[number]->name);
            void* const tile = tile_.take(samesum::tile_bytes);
            method.init(tile, given.sets);
            accumulate(method, tile);
            if (given.n <= most_bounded && row_.known != Known::nothing && samesum::is_float(row_.in))
                compare_bounds(given, *sets_here()[number], tile, tallies_[number]);
            std::memcpy(&copy_, tile, how.size() > 1 ? sizeof copy_ : 0);
            for (std::size_t k = 0; k < how.size(); ++k)
                finish(given, method, k > 0 ? &copy_ : tile, how[k], exact, k, tallies_[number]);
        }
    }

    // What is known before anything is rounded, of some of the sets.
    void compare_bounds(const Given& given, const InstructionSet& set, const void* tile, Tally& tally) {
        const StateReader& reader = *reader_of(set, row_.known);
        static std::vector<double> numbers(8 * samesum::Table::pitch_of(samesum::tile_pitch));
        const std::size_t n = std::min(given.sets, samesum::tile_columns);
        const samesum::Table table{numbers.data(), n, samesum::Table::pitch_of(n)};
        reader.read(tile, table);
        for (std::size_t j = tally.bounds % 3; j < std::min<std::size_t>(n, 9); j += 3) {
            const Set one{given.x + static_cast<std::ptrdiff_t>(j) * given.set_step, given.step, given.n,
                          row_.in};
            if (!are_finite(one)) continue;
            std::vector<double> state;
            for (std::size_t i = 0; i < reader.rows; ++i) state.push_back(table.row(i)[j]);
            const double found = quotient_of(row_, one, state);
            tally.bounds += found >= 0;
            if (found > tally.quotient) {
                tally.quotient = found;
                tally.where = given.way + (" of " + std::to_string(given.n)) + ", " + name_of(family_);
            }
        }
    }

    // Two of the ways to finish, which are another two each time.
    std::vector<Finish> some_finishes(std::size_t n) {
        std::vector<Finish> how;
        const std::size_t count = row_.results.size(), first = below(random_, count);
        for (std::size_t k = 0; k < std::min<std::size_t>(count, 2); ++k) {
            const Result& each = row_.results[(first + k) % count];
            how.push_back({each.finalize, each.format, static_cast<std::int64_t>(n)});
        }
        return how;
    }

    void finish(const Given& given, const Method& method, void* tile, const Finish& how,
                const std::vector<std::vector<std::uint64_t>>& exact, std::size_t k, Tally& tally) {
        const std::size_t out_size = samesum::size_of(how.format);
        char* const out = out_.take(given.sets * out_size);
        std::uint8_t* const failed = reinterpret_cast<std::uint8_t*>(failed_.take(given.sets));
        const std::size_t failures = method.finish(tile, given.sets, how, out, failed);
        std::size_t flags = 0;
        for (std::size_t j = 0; j < given.sets; ++j) flags += failed[j] != 0;
        if (flags != failures) note(tally, given, how, "failures", 0, failures, flags);
        if (!x_.is_whole() || !tile_.is_whole() || !other_.is_whole() || !out_.is_whole() ||
            !failed_.is_whole())
            note(tally, given, how, "written outside", 0, 0, 0);
        for (std::size_t j = 0; j < exact.size(); ++j) {
            ++tally.results;
            tally.plain += family_ == Family::plain;
            if (failed[j]) continue;
            ++tally.certain;
            tally.plain_certain += family_ == Family::plain;
            const std::uint64_t wanted = exact[j][k] & (~std::uint64_t{0} >> (64 - 8 * out_size)),
                                found = bits_of(out + j * out_size, how.format);
            if (found != wanted) note(tally, given, how, "result", j, found, wanted);
        }
    }

    void note(Tally& tally, const Given& given, const Finish& how, const char* what, std::size_t j,
              std::uint64_t found, std::uint64_t wanted) const {
        if (tally.wrong++ > 0) return;
        const auto text = [](auto number) { return std::to_string(number); };
        tally.first = std::string(what) + ": " + given.way + " of " + text(given.n) + ", " +
                      name_of(family_) + ", set " + text(j) + " of " + text(given.sets) + ", finished by " +
                      text(static_cast<int>(how.finalize)) + " as " + name_of(how.format) + ": " +
                      text(found) + " and not " + text(wanted);
    }

    static inline Guarded x_{most_bytes}, tile_{samesum::tile_bytes}, other_{samesum::tile_bytes},
        out_{samesum::most_columns * 8}, failed_{samesum::most_columns};
    static inline Tile copy_;

    const std::vector<const Row*>& rows_;
    const Row& row_;
    Random& random_;
    const std::size_t size_;
    Family family_ = Family::plain;
    std::vector<Tally> tallies_;
};

// Short sets of every family; of long ones, whose loops are the same, some.
void walk_all(Walker& walker, const Row& row, Random& random) {
    const bool is_real = samesum::is_float(row.in);
    for (const std::size_t n : lengths(row.most))
        for (const Family family : families) {
            if (!is_real && (family == Family::cancelling || family == Family::ties)) continue;
            if (n <= 70 || one_in(random, 6)) walker.walk(family, n);
        }
}

}  // namespace

TEST_CASE("every method of reductions gives the exact result or says that it does not know it") {
    const samesum::FloatingPointScope scope;
    std::vector<Rows> tables;
    std::vector<double> greatest(sets_here().size());
    each_instruction_set([&](const InstructionSet& set, std::size_t) { tables.emplace_back(set); });
    for (std::size_t i = 0; i < tables[0].all().size(); ++i) {
        std::vector<const Row*> rows;
        for (const Rows& table : tables) rows.push_back(&table.all()[i]);
        const Row& row = *rows[0];
        const bool is_real = samesum::is_float(row.in);
        Random random(i);
        Walker walker(rows, random);
        walk_all(walker, row, random);
        each_instruction_set([&](const InstructionSet& set, std::size_t number) {
            const Tally& t = walker.tally(number);
            const std::string where = std::string(set.name) + ": " + row.name + ": ";
            CHECK_MESSAGE(t.wrong == 0, where, t.wrong, " of ", t.results, "; ", t.first);
            CHECK_MESSAGE(t.certain * (row.is_sure ? 1 : 20) >= t.results, where, t.certain, " certain of ",
                          t.results);
            CHECK_MESSAGE(t.quotient <= 1, where, "an error is ", t.quotient, " of its bound: ", t.where);
            if (row.known != Known::nothing && is_real) CHECK_MESSAGE(t.bounds > 1000, where, t.bounds);
            if (t.quotient > greatest[number]) greatest[number] = t.quotient;
            if (!row.is_rare)
                CHECK_MESSAGE(t.plain_certain * 4 > t.plain * 3, where, t.plain_certain, " of ", t.plain);
        });
    }
    for (std::size_t i = 0; i < greatest.size(); ++i)
        MESSAGE(sets_here()[i]->name, ": no error is above ", greatest[i], " of its bound");
}
