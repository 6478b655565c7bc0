// Softmax and normalizations of lines: every row of their tables beside numbers of 64 bits or more, and exact
// comparisons.
#include "bounds.hpp"
#include "check.hpp"
#include "exact/moments/moments.hpp"
#include "guards.hpp"
#include "methods/line_method.hpp"
#include "reals.hpp"
#include "threads/pool.hpp"

namespace {

using namespace walk;
using samesum::NormLine;
using samesum::NormRow;

Guarded room{1 << 19}, other_room{1 << 19}, out_room{1 << 19}, buffer_room{1 << 22};

bool are_whole() {
    return room.is_whole() && other_room.is_whole() && out_room.is_whole() && buffer_room.is_whole();
}

// Softmax, or its logarithm, of a line; and the error of element i.
struct SoftmaxLine {
    std::vector<Real> x;
    Real top = -HUGE_VALL, others = 0, equal = 0;
    bool is_nan = false;

    SoftmaxLine(const char* p, std::ptrdiff_t step, std::size_t n, Format format) {
        for (std::size_t i = 0; i < n; ++i) x.push_back(real_at(p + sized(i) * step, 0, format));
        for (const Real each : x) top = std::fmax(top, each), is_nan |= std::isnan(each);
        is_nan |= std::isinf(top);
        for (const Real each : x) each == top ? equal += 1 : others += std::exp(each - top);
    }
    Real result(std::size_t i, bool log) const {
        if (is_nan) return std::numeric_limits<Real>::quiet_NaN();
        if (log) return (x[i] - top) - (equal == 1 ? std::log1p(others) : std::log(equal + others));
        return std::exp(x[i] - top) / (equal + others);
    }
    Real error(std::size_t i) const {
        const Real size = std::isfinite(x[i] - top) ? std::fabs(x[i] - top) : 0;
        return std::numeric_limits<Real>::epsilon() * (32 + std::fmin(size, 12000));
    }
};

void check_line(const InstructionSet& set, const SoftmaxLine& line, const char* out, std::ptrdiff_t step,
                Format format, bool log, const char* way) {
    const Real units = samesum::size_of(format) == 2 ? 0.51L : 0.6L;
    for (std::size_t i = 0; i < line.x.size(); ++i) {
        const std::uint64_t found = bits_of(out + sized(i) * step, format);
        const Real wanted = line.result(i, log);
        CHECK_MESSAGE(is_right(found, wanted, line.error(i), format, units), set.name, ": ", way, ", ",
                      name_of(format), log ? " log " : " ", "element ", i, " of ", line.x.size(), ": ", found,
                      ", not ", rounded(wanted, format));
    }
}

// A line in blocks, as long lines are taken.
void long_line(const InstructionSet& set, const char* x, std::size_t n, Format format, bool log, char* out,
               std::size_t block) {
    const samesum::NormalizationMethods& m = *set.normalizations;
    const std::size_t f = static_cast<std::size_t>(format), size = samesum::size_of(format);
    std::vector<samesum::LineShare> shares;
    const auto each_block = [&](const auto& work) {
        for (std::size_t i = 0; i < n; i += block) work(x + i * size, std::min(block, n - i), i);
    };
    const auto sum_up = [&](const double* greatest) {
        shares.clear();
        each_block([&](const char* p, std::size_t now, std::size_t) {
            shares.push_back(m.share[f][log](p, now, greatest));
        });
        return m.joined[f][log](shares.data(), shares.size());
    };
    samesum::LineShare all = sum_up(nullptr);
    if (!all.is_near && std::isfinite(all.greatest)) {
        const double greatest = all.greatest;
        all = sum_up(&greatest);
        all.is_near = false;
    }
    const bool known = std::isfinite(all.greatest) && !std::isnan(all.total);
    each_block([&](const char* p, std::size_t now, std::size_t i) {
        if (known) return m.quotients[f][log](p, now, all, out + i * size);
        const std::uint64_t nan = samesum::canonical_nan(format);
        for (std::size_t k = 0; k < now; ++k) std::memcpy(out + (i + k) * size, &nan, size);
    });
}

}  // namespace

TEST_CASE("softmax and its logarithm are near the exact ones: along rows, down columns and in blocks") {
    const samesum::FloatingPointScope scope;
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        for (std::size_t f = 0; f < 4; ++f)
            for (const bool log : {false, true}) {
                const Format format = floats[f];
                const std::size_t size = samesum::size_of(format);
                const samesum::NormalizationMethods& m = *set.normalizations;
                Random random(f);
                for (const std::size_t n : lengths(600))
                    for (const Family family : {Family::plain, Family::whole, Family::zeros, Family::special,
                                                Family::subnormal, Family::largest}) {
                        if (n > 70 && family != Family::plain) continue;
                        const std::size_t count = n > 70 ? 2 : 1 + below(random, 9),
                                          apart = n + below(random, 4);
                        const char* x = arguments(room, random, format, family, (count - 1) * apart + n);
                        char* out = out_room.take((count - 1) * apart * size + n * size);
                        m.lines[f][log]({x, sized(apart * size), out, sized(apart * size), n, count});
                        REQUIRE(are_whole());
                        for (std::size_t k = 0; k < count; ++k)
                            check_line(set, {x + k * apart * size, sized(size), n, format},
                                       out + k * apart * size, sized(size), format, log, "rows");
                        const std::size_t wide = count + below(random, 3);
                        x = arguments(room, random, format, family, (n - 1) * wide + count);
                        out = out_room.take(((n - 1) * wide + count) * size);
                        char* const buffer = buffer_room.take(samesum::bytes_for_columns(n));
                        m.columns[f][log]({x, sized(wide * size), out, sized(wide * size), n, count}, buffer);
                        REQUIRE(are_whole());
                        for (std::size_t k = 0; k < count; ++k)
                            check_line(set, {x + k * size, sized(wide * size), n, format}, out + k * size,
                                       sized(wide * size), format, log, "columns");
                        x = arguments(room, random, format, family, n);
                        out = out_room.take(n * size);
                        long_line(set, x, n, format, log, out, 1 + below(random, n));
                        REQUIRE(are_whole());
                        check_line(set, {x, sized(size), n, format}, out, sized(size), format, log, "blocks");
                    }
            }
    });
}

namespace {

// Lines of a normalization in one instruction set, as they are measured and finished.
class Norms {
  public:
    Norms(const InstructionSet& set, const NormRow& row, Format format)
        : set_(set),
          row_(row),
          format_(format),
          size_(samesum::size_of(format)),
          random_(static_cast<std::uint64_t>(format)) {}

    void walk(Family family, std::size_t n) {
        const samesum::NormMethods& m = *set_.norms;
        const std::size_t f = static_cast<std::size_t>(format_),
                          count = 1 + below(random_, samesum::norm_lines);
        char* const all = room.take(count * n * size_, one_in(random_, 4) ? Edge::front : Edge::end);
        const double shift = one_in(random_, 3) ? 100 : 0;
        std::vector<const char*> x;
        for (std::size_t k = 0; k < count; ++k) {
            x.push_back(all + k * n * size_);
            std::vector<std::uint64_t> bits = draw(random_, format_, family, n);
            for (std::size_t i = 0; i < n; ++i) {
                if (family == Family::plain)
                    bits[i] = samesum::round_bits(value_of(bits[i], format_) + shift, format_);
                std::memcpy(all + (k * n + i) * size_, &bits[i], size_);
            }
        }
        const bool each = one_in(random_, 2);
        double* const scales = reinterpret_cast<double*>(other_room.take(2 * n * 8));
        for (std::size_t i = 0; i < 2 * n; ++i)
            scales[i] = i >= n && one_in(random_, 3)
                            ? 0
                            : std::ldexp(1 + static_cast<double>(below(random_, 64)) / 64,
                                         static_cast<int>(below(random_, 5)) - 2);
        const std::size_t numbers = each ? n : 1;
        const samesum::NormScale scale{scales, scales + n, each, m.greatest(scales, numbers),
                                       m.greatest(scales + n, numbers)};
        NormLine lines[samesum::norm_lines];
        m.measure[f](row_, x.data(), n, count, lines);
        for (std::size_t k = 0; k < count; ++k) {
            finish(family, lines[k], x[k], n, scale, m.finish[f], format_, x[k]);
            // In words, of the same elements as doubles.
            if (format_ == Format::f64) continue;
            NormLine words;
            m.measure_words(row_, m.widen[f], size_, x[k], n, &words);
            double* const wide = reinterpret_cast<double*>(buffer_room.take(n * 8));
            m.widen[f](x[k], n, wide);
            finish(family, words, x[k], n, scale, m.finish_words[f], format_,
                   reinterpret_cast<const char*>(wide));
        }
    }
    std::size_t plain = 0, known = 0, wrong = 0;
    double greatest = 0;
    std::string first;

  private:
    void finish(Family family, const NormLine& line, const char* x, std::size_t n,
                const samesum::NormScale& scale, samesum::NormMethods::Finish finish, Format format,
                const char* elements) {
        plain += family == Family::plain ? n : 0;
        const Set set{x, sized(size_), n, format};
        if (!line.is_known) return;
        if (!are_finite(set)) return note(family, n, "an element is not finite");
        samesum::Superaccumulator sum, others;
        samesum::in_float_format(format, [&]<Format g>() {
            samesum::add_elements<g, Map::itself>(sum, x, sized(size_), n);
            if (row_.divisor == samesum::Divisor::magnitudes)
                samesum::add_elements<g, Map::magnitude>(others, x, sized(size_), n);
            else
                samesum::add_elements<g, Map::square>(others, x, sized(size_), n);
        });
        bounds(family, line, set);
        const samesum::ExactNorm exact(row_, sum, others, static_cast<std::int64_t>(n));
        std::uint16_t doubtful[samesum::norm_elements];
        for (std::size_t i = 0; i < n; i += samesum::norm_elements) {
            const std::size_t now = std::min(samesum::norm_elements, n - i), step = elements == x ? size_ : 8;
            const samesum::NormScale by{scale.scale + (scale.each ? i : 0), scale.bias + (scale.each ? i : 0),
                                        scale.each, scale.scale_most, scale.bias_most};
            char* const out = out_room.take(now * size_);
            const std::size_t doubts = finish(line, elements + i * step, now, by, out, doubtful);
            if (!are_whole()) note(family, n, "written outside");
            std::vector<bool> in_doubt(now);
            for (std::size_t d = 0; d < doubts; ++d) in_doubt[doubtful[d]] = true;
            for (std::size_t j = 0; j < now; ++j) {
                if (in_doubt[j]) continue;
                known += family == Family::plain;
                const double v = value_of(set.bits(i + j), format);
                const std::size_t at = scale.each ? i + j : 0;
                if (exact.result(v, scale.scale[at], scale.bias[at], format) !=
                    bits_of(out + j * size_, format))
                    note(family, n, "a result");
            }
        }
    }

    // The mean, and the square of what lines are divided by, beside what is known of them.
    void bounds(Family family, const NormLine& line, const Set& set) {
        const Dyadic n(set.n, 0, false), sum = row_.centred ? exact_sum(set, Map::itself) : Dyadic();
        const Dyadic offset = Dyadic(line.centre) + Dyadic(line.offset) + Dyadic(line.offset_rest);
        greatest = std::fmax(greatest, quotient(n * offset - sum, n * widened(line.offset_error)));
        if (row_.divisor != samesum::Divisor::squares || row_.outside != 0 || row_.at_least ||
            line.inverse == 0)
            return;
        const Dyadic inverse = Dyadic(line.inverse) + Dyadic(line.inverse_rest);
        const Dyadic squares = n * exact_sum(set, Map::square) - sum * sum,
                     power = row_.over_count ? squares + n * n * Dyadic(row_.inside)
                                             : squares + n * Dyadic(row_.inside);
        const Dyadic unit = row_.over_count ? n * n : n, off = inverse * inverse * power - unit;
        // (1 + e)^2 - 1, of which a part is left out below.
        const Dyadic e = widened(line.inverse_error),
                     most = off.sign() > 0 ? e.scaled(1) + e * e : e.scaled(1) - e * e;
        const double found = quotient(off, unit * most);
        greatest = std::fmax(greatest, found);
        if (found > 1) note(family, set.n, "a bound");
    }

    void note(Family family, std::size_t n, const char* what) {
        if (wrong++ == 0) first = std::string(what) + ", " + name_of(family) + " of " + std::to_string(n);
    }

    const InstructionSet& set_;
    const NormRow row_;
    const Format format_;
    const std::size_t size_;
    Random random_;
};

}  // namespace

TEST_CASE("normalized lines are exact or in doubt, and lie within their bounds") {
    const samesum::FloatingPointScope scope;
    using samesum::Divisor;
    constexpr NormRow rows[] = {
        {Divisor::squares, true, true, false, 1e-5, 0},   {Divisor::squares, false, true, false, 1e-5, 0},
        {Divisor::squares, true, true, false, 0, 0},      {Divisor::squares, false, false, false, 0, 0},
        {Divisor::squares, true, true, false, 0, 1e-5},   {Divisor::squares, false, false, true, 1e-12, 0},
        {Divisor::magnitudes, false, false, false, 0, 0}, {Divisor::one, true, false, false, 0, 0}};
    each_instruction_set([&](const InstructionSet& set, std::size_t) {
        double greatest = 0;
        for (const NormRow& row : rows)
            for (const Format format : floats) {
                Norms norms(set, row, format);
                for (const std::size_t n : lengths(1030))
                    for (const Family family : families)
                        if (n <= 70 ? n % 3 == 1 || family < Family::ties : family < Family::cancelling)
                            norms.walk(family, n);
                const std::string where =
                    std::string(set.name) + ": row " + std::to_string(&row - rows) + ", " + name_of(format);
                CHECK_MESSAGE(norms.wrong == 0, where, ": ", norms.wrong, "; ", norms.first);
                CHECK_MESSAGE(norms.greatest <= 1, where, ": ", norms.greatest, " of a bound");
                CHECK_MESSAGE(norms.known * 5 > norms.plain * 4, where, ": ", norms.known, " of ",
                              norms.plain);
                greatest = std::fmax(greatest, norms.greatest);
            }
        MESSAGE(set.name, ": no error is above ", greatest, " of its bound");
    });
}
