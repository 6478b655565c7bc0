// Whole short sets and windows: every row of their tables, of 1 to 64 elements, beside the exact results.
#include "check.hpp"
#include "guards.hpp"
#include "method_rows.hpp"
#include "methods/short_method.hpp"
#include "threads/pool.hpp"

namespace {

using namespace walk;
using samesum::by;
using samesum::Short;

using Exact = std::function<std::uint64_t(const Set&, const Finish&)>;

struct ShortRow {
    std::string name;
    Short make;  // or a window's
    samesum::WindowSets windows;
    Format in;
    Finish how;
    Exact exact;
    std::size_t most = samesum::short_elements;
    bool is_sure = false;
};

Exact exact_by(const Method& method) {
    return [&method](const Set& set, const Finish& how) { return by_method(method, set, {how})[0]; };
}

// Every row that is filled, of one instruction set.
class ShortRows {
  public:
    explicit ShortRows(const InstructionSet& set) {
        constexpr Finalize all[] = {Finalize::itself, Finalize::over_count, Finalize::root,
                                    Finalize::logarithm};
        for (std::size_t i = 0; i < 4; ++i) {
            const Format in = static_cast<Format>(i);
            for (const Map map : {Map::itself, Map::magnitude, Map::square}) {
                const std::size_t k = static_cast<std::size_t>(map);
                const Exact exact = exact_by(samesum::exact_method(in, map));
                for (const Finalize finalize : all) {
                    push("sum", set.shorts->sum[i][k][by(finalize)], in, {finalize, in, 1}, exact);
                    if (in != Format::f64)
                        push_windows("window sum", set.windows->sum[i][k][by(finalize)], in,
                                     {finalize, in, 1}, exact);
                }
                push("one", set.shorts->one[i][k], in, {Finalize::itself, in, 1}, exact);
                if (!rows.empty() && rows.back().name.starts_with("one")) rows.back().most = 1;
            }
            push("product", set.shorts->product[i], in, {Finalize::itself, in, 1},
                 exact_by(samesum::product_method(in)));
        }
        for (std::size_t i = 0; i <= static_cast<std::size_t>(Format::u64); ++i) push_orders(set, i);
        for (std::size_t i = 0; i < 8; ++i) push_integers(set, i);
    }
    std::vector<ShortRow> rows;

  private:
    void push(const std::string& name, Short make, Format in, const Finish& how, const Exact& exact) {
        if (make == nullptr) return;
        rows.push_back({name + " " + name_of(in) + " " + std::to_string(by(how.finalize)), make, nullptr, in,
                        how, exact});
    }
    void push_windows(const std::string& name, samesum::WindowSets make, Format in, const Finish& how,
                      const Exact& exact) {
        if (make == nullptr) return;
        rows.push_back({name + " " + name_of(in) + " " + std::to_string(by(how.finalize)), nullptr, make, in,
                        how, exact});
    }

    void push_orders(const InstructionSet& set, std::size_t i) {
        const Format in = static_cast<Format>(i);
        for (const bool b : {false, true}) {
            const Exact extreme = [b](const Set& x, const Finish&) { return extreme_of(x, b); };
            push("extreme", set.shorts->extreme[i][b], in, {Finalize::itself, in, 1}, extreme);
            rows.back().is_sure = true;
            push_windows("window extreme", set.windows->extreme[i][b], in, {Finalize::itself, in, 1},
                         extreme);
            rows.back().is_sure = true;
            push("logical", set.shorts->logical[i][b], in, {Finalize::itself, Format::boolean, 1},
                 [b](const Set& x, const Finish&) { return truth_of(x, b); });
            rows.back().is_sure = true;
            for (const bool last : {false, true}) {
                push("position", set.shorts->position[i][b][last], in, {Finalize::itself, Format::i64, 1},
                     [b, last](const Set& x, const Finish&) { return position_of(x, b, last); });
                rows.back().is_sure = true;
            }
        }
    }

    void push_integers(const InstructionSet& set, std::size_t i) {
        const Format in = static_cast<Format>(i + static_cast<std::size_t>(Format::i8));
        const samesum::ShortIntegerMethods& m = *set.short_integers;
        for (const bool widens : {false, true}) {
            const Format out = widens ? Format::i64 : in;
            for (const Map map : {Map::itself, Map::magnitude, Map::square}) {
                push("modular", m.sum[i][widens][static_cast<std::size_t>(map)], in,
                     {Finalize::itself, out, 1}, exact_by(samesum::wide_method(in, map)));
                rows.back().is_sure = true;
            }
            push("modular product", m.product[i][widens], in, {Finalize::itself, out, 1},
                 [](const Set& x, const Finish&) { return wrapping_product_of(x); });
            rows.back().is_sure = true;
        }
        push("mean", m.mean[i], in, {Finalize::over_count, Format::f64, 1},
             exact_by(samesum::wide_method(in, Map::itself)));
    }
};

struct Tally {
    std::size_t results = 0, certain = 0, wrong = 0;
    std::string first;
};

Guarded room{std::size_t{1} << 20}, out_room{samesum::most_columns * 8}, failed_room{samesum::most_columns};

void note(Tally& tally, std::size_t n, std::size_t sets, Family family, std::size_t j) {
    if (tally.wrong++ == 0)
        tally.first = std::to_string(n) + " elements, " + name_of(family) + ", set " + std::to_string(j) +
                      " of " + std::to_string(sets);
}

// n elements of each of some sets, row after row, by the same row of each instruction set.
void walk_sets(const std::vector<const ShortRow*>& rows, std::vector<Tally>& tallies, Random& random,
               Family family, std::size_t n) {
    const ShortRow& row = *rows[0];
    const std::size_t size = samesum::size_of(row.in), out_size = samesum::size_of(row.how.format);
    std::size_t sets = 1 + below(random, 40);
    if (one_in(random, 60)) sets = samesum::columns_of(size) - below(random, 3);
    const std::size_t pitch = (sets + below(random, 4)) * size;
    const bool backwards = one_in(random, 5);
    char* const first = room.take((n - 1) * pitch + sets * size, one_in(random, 4) ? Edge::front : Edge::end);
    const std::ptrdiff_t stride =
        backwards ? -static_cast<std::ptrdiff_t>(pitch) : static_cast<std::ptrdiff_t>(pitch);
    char* const x = backwards ? first + (n - 1) * pitch : first;
    for (std::size_t j = 0; j < sets; ++j) {
        const std::vector<std::uint64_t> drawn = draw(random, row.in, family, n);
        for (std::size_t i = 0; i < n; ++i)
            std::memcpy(x + static_cast<std::ptrdiff_t>(i) * stride + j * size, &drawn[i], size);
    }
    Finish how = row.how;
    // A window at the border is divided by more than it has.
    const std::size_t divisor =
        row.windows && one_in(random, 2) ? n + below(random, samesum::short_elements - n + 1) : n;
    how.count = static_cast<std::int64_t>(divisor);
    std::vector<std::uint64_t> wanted;
    for (std::size_t j = 0; j < std::min<std::size_t>(sets, 40); ++j)
        wanted.push_back(row.exact({x + j * size, stride, n, row.in}, how) &
                         (~std::uint64_t{0} >> (64 - 8 * out_size)));
    for (std::size_t number = 0; number < rows.size(); ++number) {
        Tally& tally = tallies[number];
        char* const out = out_room.take(sets * out_size);
        std::uint8_t* const failed = reinterpret_cast<std::uint8_t*>(failed_room.take(sets));
        if (row.windows) {
            std::vector<const char*> starts;
            for (std::size_t i = 0; i < n; ++i) starts.push_back(x + static_cast<std::ptrdiff_t>(i) * stride);
            std::memset(failed, !rows[number]->windows(starts.data(), n, divisor, sets, out), sets);
        } else {
            const std::size_t failures = rows[number]->make(x, stride, n, sets, out, failed);
            if (failures != static_cast<std::size_t>(std::count(failed, failed + sets, 1)))
                note(tally, n, sets, family, 0);
        }
        if (!room.is_whole() || !out_room.is_whole() || !failed_room.is_whole())
            note(tally, n, sets, family, 0);
        for (std::size_t j = 0; j < wanted.size(); ++j) {
            ++tally.results;
            tally.certain += failed[j] == 0;
            if (!failed[j] && bits_of(out + j * out_size, how.format) != wanted[j])
                note(tally, n, sets, family, j);
        }
    }
}

}  // namespace

TEST_CASE("whole short sets and windows are the exact results, or say which they do not know") {
    const samesum::FloatingPointScope scope;
    std::vector<ShortRows> tables;
    each_instruction_set([&](const InstructionSet& set, std::size_t) { tables.emplace_back(set); });
    for (std::size_t i = 0; i < tables[0].rows.size(); ++i) {
        std::vector<const ShortRow*> rows;
        for (const ShortRows& table : tables) rows.push_back(&table.rows[i]);
        const ShortRow& row = *rows[0];
        std::vector<Tally> tallies(rows.size());
        Random random(i);
        for (std::size_t n = 1; n <= row.most; ++n)
            for (const Family family : families)
                for (int turn = 0; turn < (row.most == 1 ? 30 : 1); ++turn)
                    walk_sets(rows, tallies, random, family, n);
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const Tally& t = tallies[k];
            const std::string where = std::string(sets_here()[k]->name) + ": " + row.name + ": ";
            CHECK_MESSAGE(t.wrong == 0, where, t.wrong, " of ", t.results, " wrong; ", t.first);
            CHECK_MESSAGE(t.certain * (row.is_sure ? 1 : 10) >= t.results, where, t.certain, " of ",
                          t.results);
        }
    }
}
