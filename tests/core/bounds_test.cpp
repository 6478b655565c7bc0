// What whole short sets and prefixes are known to lie within, beside their true errors.
#include "bounds.hpp"

#include "check.hpp"
#include "guards.hpp"
#include "threads/pool.hpp"

namespace {

using namespace walk;
using samesum::PrefixWay;
using samesum::Table;

Guarded room{1 << 18}, table_room{1 << 18};

Table table_of(std::size_t n) {
    const std::size_t pitch = Table::pitch_of(n);
    return {reinterpret_cast<double*>(table_room.take(3 * pitch * sizeof(double))), n, pitch};
}

// Of hi + lo, an exact number and a bound that may be none.
void add(double& greatest, std::size_t& count, const Dyadic& exact, double hi, double lo, double bound,
         bool relative) {
    if (!std::isfinite(hi) || !std::isfinite(lo) || !std::isfinite(bound)) return;
    const Dyadic known = Dyadic(hi) + Dyadic(lo), size = known.sign() < 0 ? -known : known;
    greatest =
        std::fmax(greatest, quotient(exact - known, relative ? size * widened(bound) : widened(bound)));
    ++count;
}

}  // namespace

TEST_CASE("whole short sets lie within their bounds") {
    const samesum::FloatingPointScope scope;
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        for (std::size_t f = 0; f < 4; ++f)
            for (std::size_t kind = 0; kind < 4; ++kind) {
                const Format format = static_cast<Format>(f);
                Random random(f);
                double greatest = 0;
                std::size_t count = 0;
                for (std::size_t n = 1; n <= samesum::short_elements; ++n)
                    for (const Family family : families) {
                        const std::size_t sets = 1 + below(random, 17), size = samesum::size_of(format);
                        const char* const x = drawn(room, random, format, family, n * sets);
                        const Table table = table_of(sets);
                        set.certificates->short_sets[f][kind](x, sized(sets * size), n, table);
                        REQUIRE((room.is_whole() && table_room.is_whole()));
                        for (std::size_t j = 0; j < sets; ++j) {
                            const Set one{x + j * size, sized(sets * size), n, format};
                            const double hi = table.row(0)[j];
                            if (!are_finite(one)) continue;
                            const bool is_product = kind == 3;
                            // Squares that vanish or overflow fail before the test, and so do other sums that
                            // overflow.
                            if (kind == 2 && format == Format::f64 && !(hi > 0x1p-900 && hi < 0x1p1000))
                                continue;
                            if (is_product && !(std::fabs(hi) > 0x1p-1000 && std::fabs(hi) < 0x1p1020))
                                continue;
                            Dyadic exact(1, 0, false);
                            for (std::size_t i = 0; is_product && i < n; ++i)
                                exact = exact * number_at(one, i);
                            if (!is_product) exact = exact_sum(one, static_cast<Map>(kind));
                            add(greatest, count, exact, hi, table.row(1)[j], table.row(2)[j], is_product);
                        }
                    }
                CHECK_MESSAGE((greatest <= 1 && count > 1000), set.name, ", ", name_of(format), ", ", kind,
                              ": ", greatest, " of the bound; ", count);
            }
    });
}

TEST_CASE("prefixes lie within their bounds, in each way of finding them") {
    const samesum::FloatingPointScope scope;
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        for (std::size_t f = 0; f < 4; ++f)
            for (const PrefixWay way :
                 {PrefixWay::exact, PrefixWay::plain, PrefixWay::grid, PrefixWay::words}) {
                const Format format = static_cast<Format>(f);
                const samesum::ScanMethod& method = set.scans->real[f][f];
                Random random(f);
                double greatest = 0;
                std::size_t count = 0, size = samesum::size_of(format);
                for (const std::size_t n : lengths(samesum::scan_elements))
                    for (const Family family : families) {
                        const std::size_t before = one_in(random, 2) ? 0 : 1 + below(random, 60);
                        const char* const x = drawn(room, random, format, family, before + n);
                        if (!are_finite({x, sized(size), before + n, format})) continue;
                        samesum::Carry carry = method.identity;
                        if (before > 0) method.join(carry, method.total(x, before));
                        const Table table = table_of(n);
                        if (!set.certificates->prefixes[f](way, carry.sum, x + before * size, table))
                            continue;
                        REQUIRE((room.is_whole() && table_room.is_whole()));
                        for (std::size_t i = 0; i < n; i += n > 70 ? 31 : 3)
                            add(greatest, count,
                                exact_sum({x, sized(size), before + i + 1, format}, Map::itself),
                                table.row(0)[i], table.row(1)[i], table.row(2)[i], false);
                    }
                const bool has_way = format != Format::f64 || way > PrefixWay::plain;
                CHECK_MESSAGE((greatest <= 1 && (count > 300 || !has_way)), set.name, ", ", name_of(format),
                              ", way ", static_cast<int>(way), ": ", greatest, " of the bound; ", count);
            }
    });
}
