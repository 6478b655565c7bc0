#include "certificates/states.hpp"

#include <algorithm>
#include <vector>

#include "kernels/instruction_set.hpp"
#include "run/exact/exact_sums.hpp"
#include "run/reduce/finish.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

const Method& wide_spread() { return current_instruction_set().spreads->wide; }

Method method_of(const InstructionSet& set, std::string_view name, std::size_t format, std::size_t map,
                 bool is_double) {
    const Methods& methods = *set.methods;
    const bool once = map < 2, sums = map < 3, narrow = !is_double;
    const auto lanes = [&](Lanes kind) {
        return narrow && sums ? methods.sum1[format][map][static_cast<std::size_t>(kind)] : Method{};
    };
    if (name == "lanes") return lanes(Lanes::usual);
    if (name == "few") return lanes(Lanes::few);
    if (name == "singles") return lanes(Lanes::singles);
    if (name == "double_words") return sums ? methods.sum2[format][map] : Method{};
    if (name == "double_words_few") return is_double && once ? methods.sum2_few[map] : Method{};
    if (name == "spread") return narrow ? set.spreads->narrow[format] : Method{};
    if (name == "spread_words") return Widened<wide_spread>::method(static_cast<Format>(format));
    if (name == "products") return set.products->real[format];
    if (name == "exponentials") return narrow ? set.exponentials->sum1[format] : Method{};
    if (name == "exponential_words") return exponential_words_method(static_cast<Format>(format));
    return {};
}

}  // namespace

CertifiedMethod certified_method(std::string_view name, Format in, Map map) {
    if (!is_float(in) || is_byte_float(in)) return {};
    const InstructionSet& set = current_instruction_set();
    const Certificates& all = *set.certificates;
    const Method method =
        method_of(set, name, static_cast<std::size_t>(in), static_cast<std::size_t>(map), in == Format::f64);
    if (method.init == nullptr) return {};
    return {method, name.starts_with("spread")        ? &all.spreads
                    : name == "products"              ? &all.products
                    : name.starts_with("exponential") ? &all.exponentials
                                                      : &all.words};
}

void read_states(const View& x, const bool* reduced, const CertifiedMethod& certified, const Table& to) {
    const FloatingPointScope scope;
    const Method& method = certified.method;
    const Plan plan = plan_reduction(x, reduced, {});
    std::vector<double> some(certified.reader->rows * Table::pitch_of(most_columns));
    for (const Outputs& part : parts_of(plan, method.max_columns)) {
        const std::size_t n = static_cast<std::size_t>(part.count());
        const TileScope tile;
        open_tile(plan, method, part.count(), tile.tile());
        accumulate(plan, method, {part.outer, part.first, part.last, 0, plan.reduced_count}, tile.tile());
        close_tile(plan, method, part.count(), tile.tile());
        const Table here{some.data(), n, Table::pitch_of(most_columns)};
        certified.reader->read(tile.tile(), here);
        for (std::size_t i = 0; i < certified.reader->rows; ++i)
            for (std::int64_t j = 0; j < part.count(); ++j)
                to.row(i)[place_of(plan, part, j)] = here.row(i)[j];
    }
}

void read_scanned(const char* x, std::size_t rows, std::size_t batch, Format format, const Table& to) {
    const FloatingPointScope scope;
    const std::size_t at = static_cast<std::size_t>(format), bytes = to.n * size_of(format);
    const InstructionSet& set = current_instruction_set();
    const ScanMethod& method = set.scans->real[at][at];
    const TileScope tile;
    std::vector<char> results(tall_rows * (bytes + 64));
    std::vector<std::uint8_t> failed(tall_rows * (to.n + 64));
    const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(bytes);
    method.init(tile.tile(), strip_columns(to.n));
    for (std::size_t r = 0; r < rows; r += batch) {
        const std::size_t now = std::min(batch, rows - r);
        method.columns(tile.tile(),
                       {x + r * bytes, step, results.data(), step, now, to.n, r, format, failed.data()});
    }
    set.certificates->scanned[at].read(tile.tile(), to);
}

}  // namespace samesum
