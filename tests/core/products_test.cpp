// Products of arrays: the steps of their table, and whole products of every format, beside exact sums of
// products.
#include "bounds.hpp"
#include "check.hpp"
#include "contractions/contraction.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "guards.hpp"
#include "threads/pool.hpp"

namespace {

using namespace walk;
using samesum::ContractionMethod;
using samesum::OperandPart;

Guarded a_room{1 << 20}, b_room{1 << 20}, out_room{1 << 20}, panel_room{1 << 18}, other_panel{1 << 18},
    sums_room{1 << 18};

bool are_whole() {
    return a_room.is_whole() && b_room.is_whole() && out_room.is_whole() && panel_room.is_whole() &&
           other_panel.is_whole() && sums_room.is_whole();
}

// A matrix whose rows lie side by side, apart, backwards, or whose terms do.
struct Matrix {
    std::vector<std::int64_t> rows, terms;
    char* data = nullptr;
    Format format;

    Matrix(Guarded& from, Random& random, Format of, Family family, std::size_t m, std::size_t k)
        : format(of) {
        const std::size_t size = samesum::size_of(format), gap = below(random, 3);
        const bool turned = one_in(random, 3), backwards = one_in(random, 4);
        const std::size_t row = turned ? 1 : k + gap, term = turned ? m + gap : 1;
        data = from.take(((m - 1) * row + (k - 1) * term + 1) * size,
                         one_in(random, 4) ? Edge::front : Edge::end);
        for (std::size_t i = 0; i < m; ++i) rows.push_back(sized((backwards ? m - 1 - i : i) * row * size));
        for (std::size_t j = 0; j < k; ++j) terms.push_back(sized(j * term * size));
        for (std::size_t i = 0; i < m; ++i) {
            const std::vector<std::uint64_t> bits = draw(random, format, family, k);
            for (std::size_t j = 0; j < k; ++j) std::memcpy(data + rows[i] + terms[j], &bits[j], size);
        }
    }
    const char* at(std::size_t i, std::size_t j) const { return data + rows[i] + terms[j]; }
    std::uint64_t bits(std::size_t i, std::size_t j) const { return bits_of(at(i, j), format); }
    // With its sign, modulo 2^64.
    std::uint64_t integer(std::size_t i, std::size_t j) const {
        return wrapping_product_of({at(i, j), 0, 1, format});
    }
    OperandPart part(std::size_t first, std::size_t count) const {
        return {data, rows.data() + first, terms.data(), count, terms.size(), format};
    }
};

samesum::Superaccumulator dot_of(const Matrix& a, std::size_t i, const Matrix& b, std::size_t j) {
    std::string x, y;
    const std::size_t size = samesum::size_of(a.format);
    for (std::size_t k = 0; k < a.terms.size(); ++k) x.append(a.at(i, k), size), y.append(b.at(j, k), size);
    samesum::Superaccumulator total;
    samesum::add_products(total, x.data(), y.data(), a.terms.size(), a.format);
    return total;
}

std::uint64_t integer_dot_of(const Matrix& a, std::size_t i, const Matrix& b, std::size_t j) {
    std::uint64_t total = 0;
    for (std::size_t k = 0; k < a.terms.size(); ++k) total += a.integer(i, k) * b.integer(j, k);
    return total;
}

// One tile in registers: packed, multiplied, and what is known of rows and columns.
void walk_tile(const samesum::ContractionMethods& m, const ContractionMethod& method, Random& random,
               Format format, Family family, std::size_t terms, const std::string& where) {
    const std::size_t rows = 1 + below(random, method.rows), columns = 1 + below(random, method.columns);
    const Matrix a(a_room, random, format, family, rows, terms),
        b(b_room, random, format, family, columns, terms);
    char* const row_panel = panel_room.take(terms * method.rows * method.row_size);
    char* const column_panel = other_panel.take(terms * method.columns * method.column_size);
    std::memset(row_panel, 0, terms * method.rows * method.row_size);
    std::memset(column_panel, 0, terms * method.columns * method.column_size);
    method.pack_rows(a.part(0, rows), row_panel);
    method.pack_columns(b.part(0, columns), column_panel);
    const std::size_t pitch = method.columns;
    char* const sums = sums_room.take(method.rows * pitch * method.sum_size);
    std::memset(sums, 0, method.rows * pitch * method.sum_size);
    method.multiply(row_panel, column_panel, columns, terms, sums, pitch);
    REQUIRE_MESSAGE(are_whole(), where);
    const bool is_real = samesum::is_float(format);
    double norms[2][64] = {}, sizes[2][64] = {}, greatest[2][64] = {}, last[2][64], bounds[64], totals[64];
    for (auto& side : last) std::fill_n(side, 64, HUGE_VAL);
    if (is_real) {
        m.row_squares(row_panel, terms, norms[0]);
        m.column_squares(column_panel, terms, norms[1]);
        for (auto& side : norms)
            for (double& each : side) each = std::sqrt(each) * (1 + 0x1p-40);
        m.measure_rows(row_panel, terms, {norms[0], sizes[0], greatest[0], last[0]});
        m.measure_columns(column_panel, terms, {norms[1], sizes[1], greatest[1], last[1]});
    }
    for (std::size_t i = 0; i < rows; ++i) {
        // Each product and each addition is rounded once.
        const double factor = static_cast<double>(terms + 1) * samesum::unit_roundoff;
        if (is_real)
            m.bound({norms[0] + i, sizes[0] + i, greatest[0] + i, last[0] + i},
                    {norms[1], sizes[1], greatest[1], last[1]}, columns, factor, totals, bounds);
        for (std::size_t j = 0; j < columns; ++j) {
            const char* const sum = sums + (i * pitch + j) * method.sum_size;
            if (!is_real) {
                const std::uint64_t mask = method.sum_size == 8 ? ~std::uint64_t{0} : 0xffffffff;
                std::uint64_t found = 0;
                std::memcpy(&found, sum, method.sum_size);
                REQUIRE_MESSAGE(found == (integer_dot_of(a, i, b, j) & mask), where);
                continue;
            }
            double found;
            std::memcpy(&found, sum, sizeof found);
            const Dyadic error = Dyadic(dot_of(a, i, b, j)) - Dyadic(found);
            REQUIRE_MESSAGE(quotient(error, widened(bounds[j])) <= 1, where);
        }
    }
}

// A whole product: every result is the exact one.
void walk_product(Random& random, Format format, Format out_format, Family family, std::size_t m,
                  std::size_t n, std::size_t k, const std::string& where) {
    const Matrix a(a_room, random, format, family, m, k), b(b_room, random, format, family, n, k);
    const std::size_t size = samesum::size_of(out_format), pitch = n + below(random, 3);
    char* const out = out_room.take(((m - 1) * pitch + n) * size);
    std::memset(out, 0x5c, ((m - 1) * pitch + n) * size);
    samesum::Contraction call;
    call.a = {a.data, {0}, a.rows, a.terms, format};
    call.b = {b.data, {0}, b.rows, b.terms, format};
    call.out = {out, {0}, {}, {}, out_format};
    for (std::size_t i = 0; i < m; ++i) call.out.outer.push_back(sized(i * pitch * size));
    for (std::size_t j = 0; j < n; ++j) call.out.inner.push_back(sized(j * size));
    samesum::contract(call);
    std::size_t wrong = !are_whole();
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const std::uint64_t wanted =
                samesum::is_float(format)
                    ? dot_of(a, i, b, j).rounded({Finalize::itself, out_format, 1})
                    : integer_dot_of(a, i, b, j) & (~std::uint64_t{0} >> (64 - 8 * size));
            wrong += bits_of(out + (i * pitch + j) * size, out_format) != wanted;
        }
        for (std::size_t g = n * size; i + 1 < m && g < pitch * size; ++g)
            wrong += out[i * pitch * size + g] != 0x5c;
    }
    CHECK_MESSAGE(wrong == 0, where, ": ", m, " x ", n, ", ", k, " terms, ", name_of(format), " as ",
                  name_of(out_format), ", ", name_of(family), ": ", wrong);
}

}  // namespace

TEST_CASE("tiles of products are within their bounds, those of integers exact") {
    const samesum::FloatingPointScope scope;
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        const samesum::ContractionMethods& m = *set.contractions;
        Random random(5);
        for (const std::size_t terms : lengths(samesum::contraction_block)) {
            for (const Format format : {Format::f16, Format::bf16, Format::f32})
                for (const Family family :
                     {Family::plain, Family::spread, Family::cancelling, Family::whole, Family::subnormal})
                    walk_tile(m, m.floats, random, format, family, terms,
                              std::string(set.name) + ": " + std::to_string(terms));
            for (int in = static_cast<int>(Format::i8); in <= static_cast<int>(Format::u64); ++in) {
                const Format format = static_cast<Format>(in);
                if (samesum::size_of(format) <= 4)
                    walk_tile(m, m.words32, random, format, Family::bits, terms,
                              std::string(set.name) + ": 32 bits");
                walk_tile(m, m.words64, random, format, Family::bits, terms,
                          std::string(set.name) + ": 64 bits");
            }
        }
    });
}

TEST_CASE("whole products are exact in every format, however rows and terms lie") {
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        Random random(6);
        constexpr std::size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 24, 25, 33, 49},
                              depths[] = {1, 2, 3, 8, 31, 32, 33, 64, 70, 127, 128, 129, 200};
        for (const Format format : {Format::f16, Format::bf16, Format::f32, Format::f64, Format::i8,
                                    Format::u8, Format::i32, Format::i64, Format::u64})
            for (const Family family : families)
                for (const std::size_t k : depths) {
                    if (!samesum::is_float(format) &&
                        (family == Family::cancelling || family == Family::ties))
                        continue;
                    const std::size_t m = sizes[below(random, std::size(sizes))],
                                      n = sizes[below(random, std::size(sizes))];
                    const Format wide = samesum::is_float(format) ? Format::f32 : Format::i64;
                    const bool widens =
                        samesum::size_of(format) < samesum::size_of(wide) && one_in(random, 3);
                    walk_product(random, format, widens ? wide : format, family, m, n, k, set.name);
                }
    });
}
