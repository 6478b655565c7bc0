// Attention's steps, in doubles and in words, beside exact products, exponentials and means of values.
#include <array>

#include "arithmetic/division.hpp"
#include "bounds.hpp"
#include "check.hpp"
#include "guards.hpp"
#include "methods/attention_method.hpp"
#include "reals.hpp"
#include "threads/pool.hpp"

namespace {

using namespace walk;
using samesum::AttentionMethods;
using samesum::PanelSource;
using samesum::RowFacts;
using samesum::ScoreRow;
using samesum::ScoreScale;
using samesum::Shown;

Guarded query_room{1 << 16}, key_room{1 << 18}, value_room{1 << 16}, panel_room{1 << 19},
    other_panel{1 << 19}, row_room{1 << 16}, other_row{1 << 16}, shown_room{1 << 16}, words_room{1 << 16},
    out_room{1 << 16};

bool are_whole() {
    for (const Guarded* each : {&query_room, &key_room, &value_room, &panel_room, &other_panel, &row_room,
                                &other_row, &shown_room, &words_room, &out_room})
        if (!each->is_whole()) return false;
    return true;
}

double* doubles(Guarded& from, std::size_t n) {
    double* const p = reinterpret_cast<double*>(from.take(n * sizeof(double)));
    std::fill_n(p, n, 0);
    return p;
}

Dyadic one() { return Dyadic(1, 0, false); }
Dyadic size_of(const Dyadic& x) { return x.sign() < 0 ? -x : x; }

using Words = std::array<double, 3>;

// n / d but for 2^-150 of it.
Words words_of(Dyadic n, const Dyadic& d = one()) {
    Words x{};
    const samesum::Scaled by = d.leading();
    for (double& each : x) {
        const samesum::Scaled left = n.leading();
        each = std::ldexp(left.fraction / by.fraction, left.exponent - by.exponent);
        n = n - Dyadic(each) * d;
    }
    return x;
}

Dyadic sum_of(const Words& x) { return Dyadic(x[0]) + Dyadic(x[1]) + Dyadic(x[2]); }

// e^x for x below 0, but for 2^-130 of it; zero below -1000.
Dyadic power(const Dyadic& x) {
    const Words w = words_of(x.scaled(-4));
    if (w[0] < -63) return {};
    REQUIRE(w[0] < 0);
    const Dyadic rest = Dyadic(w[1]) + Dyadic(w[2]);
    Dyadic y =
        dyadic_of(samesum::exponential_below<5>(0.0, w[0])) * (one() + rest + (rest * rest).scaled(-1));
    for (int i = 0; i < 4; ++i) y = sum_of(words_of(y * y));
    return y;
}

// Of numbers below 2^-12 by the first terms of its series.
Dyadic tanh_of(const Dyadic& x) {
    if (x.sign() <= 0) return x.sign() < 0 ? -tanh_of(-x) : x;
    if ((x - Dyadic(0x1p-12)).sign() < 0) {
        const Dyadic s = x * x, t = s * s;
        return sum_of(
            words_of(x * (Dyadic(315.0) - Dyadic(105.0) * s + Dyadic(42.0) * t - Dyadic(17.0) * s * t),
                     Dyadic(315.0)));
    }
    const Dyadic e = power(-x.scaled(1));
    return sum_of(words_of(one() - e, one() + e));
}

// Whether n / d rounds to these bits.
bool rounds_to(const Dyadic& n, const Dyadic& d, std::uint64_t bits, Format format) {
    const std::uint64_t sign = samesum::sign_bit(format), code = bits & (sign - 1);
    if (code > samesum::traits_of(format).largest + 1) return false;
    if (n.sign() == 0) return bits == 0;
    if ((n.sign() < 0) != ((bits & sign) != 0)) return false;
    const auto beyond_half = [&](std::uint64_t low) {
        const Dyadic half =
            (samesum::value_of_code(low, format) + samesum::value_of_code(low + 1, format)).scaled(-1);
        return (size_of(n) - half * d).sign();
    };
    const int of_lower = code == 0 ? 1 : beyond_half(code - 1),
              of_upper = code > samesum::traits_of(format).largest ? -1 : beyond_half(code);
    const int least = code % 2 == 0 ? 0 : 1;
    return of_lower >= least && of_upper <= -least;
}

// Numbers (i, j) of which rows or terms lie side by side, apart or backwards.
struct Numbers {
    Format format;
    std::size_t rows, terms;
    std::ptrdiff_t row, term;
    char* data;

    Numbers(Guarded& from, Random& random, Format of, Family family, std::size_t m, std::size_t k,
            bool turned)
        : format(of), rows(m), terms(k) {
        const std::size_t size = samesum::size_of(format), gap = below(random, 3);
        row = sized((turned ? 1 + gap / 2 : k + gap) * size),
        term = sized((turned ? m * (1 + gap / 2) : 1) * size);
        data = from.take(static_cast<std::size_t>(sized(m - 1) * row + sized(k - 1) * term) + size,
                         one_in(random, 4) ? Edge::front : Edge::end);
        if (one_in(random, 4)) data += sized(m - 1) * row, row = -row;
        for (std::size_t i = 0; i < m; ++i) {
            const std::vector<std::uint64_t> bits = draw(random, format, family, k);
            for (std::size_t j = 0; j < k; ++j) std::memcpy(at(i, j), &bits[j], size);
        }
    }
    char* at(std::size_t i, std::size_t j) const { return data + sized(i) * row + sized(j) * term; }
    double number(std::size_t i, std::size_t j) const {
        return static_cast<double>(real_at(at(i, j), 0, format));
    }
    PanelSource by_rows() const { return {data, row, term, rows, terms}; }
    PanelSource by_terms() const { return {data, term, row, terms, rows}; }
};

// What is added to the score of a key, and what becomes of it exactly: none that is finite where `odd` is not
// zero.
struct Score {
    double odd = 0;
    Dyadic scaled, capped, masked;
    bool is_out = false;

    Score(const Numbers& keys, std::size_t j, const double* query, const ScoreScale& scale, double mask) {
        samesum::Superaccumulator total;
        double near = 0;
        for (std::size_t t = 0; t < keys.terms; ++t) {
            near += keys.number(j, t) * query[t];
            if (std::isfinite(near)) samesum::add_double(total, keys.number(j, t) * query[t]);
        }
        if (std::isfinite(near))
            capped = scaled = Dyadic(total) * (Dyadic(scale.hi) + Dyadic(scale.lo));
        else
            odd = near * scale.hi;
        if (scale.cap != 0 && odd == 0)
            capped = Dyadic(scale.cap) * tanh_of(sum_of(words_of(scaled, Dyadic(scale.cap))));
        if (scale.cap != 0 && std::isinf(odd)) capped = Dyadic(std::copysign(scale.cap, odd)), is_kept = true;
        is_out = mask == -HUGE_VAL || (!is_kept && odd == -HUGE_VAL);
        if (!is_out && is_number()) masked = capped + Dyadic(mask);
    }
    bool is_number() const { return odd == 0 || is_kept; }

  private:
    bool is_kept = false;  // by the cap
};

// Quotients of errors and bounds, and how many results were certain.
struct Found {
    double doubles = 0, words = 0;
    std::size_t bounds = 0, plain = 0, plain_certain = 0, certain = 0;
};

class Walk {
  public:
    Walk(const InstructionSet& set, Format format)
        : m_(*set.attention), format_(format), f_(static_cast<std::size_t>(format)), set_(set), random_(f_) {}

    Found found;

    void walk(Family scores, Family values, std::size_t keys, std::size_t terms, std::size_t columns) {
        where_ = in_words(set_.name, format_, scores, keys) + ", " + std::to_string(terms) + ", " +
                 name_of(values);
        is_plain_ = scores == Family::plain && values == Family::plain;
        lanes_ = samesum::rounded_up(keys, m_.lanes), columns_ = columns;
        const std::size_t count = 1 + below(random_, 9), padded = samesum::rounded_up(columns, m_.lanes);
        const Numbers query(query_room, random_, format_, scores, count, terms, false),
            key(key_room, random_, format_, scores, keys, terms, one_in(random_, 3)),
            value(value_room, random_, format_, values, keys, columns, one_in(random_, 3));
        double *const key_panels = doubles(panel_room, lanes_ * terms), *const value_panels = doubles(
                                                                            other_panel, padded * keys);
        m_.pack[f_](key.by_rows(), key_panels);
        m_.pack[f_](value.by_terms(), value_panels);
        check_panels(key.by_rows(), key_panels);
        check_panels(value.by_terms(), value_panels);
        std::vector<double> norms(lanes_), most(padded);
        m_.norms(key_panels, keys, terms, norms.data());
        std::vector<std::uint8_t> odd(padded);
        m_.clear(value_panels, columns, keys, odd.data());
        m_.greatest(value_panels, columns, keys, most.data());
        check_columns(value, value_panels, odd, most);
        std::vector<double> queries(count * terms);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t t = 0; t < terms; ++t) queries[i * terms + t] = query.number(i, t);
        const std::size_t pitch = lanes_ + 8;
        double* const products = doubles(row_room, count * pitch);
        m_.multiply(queries.data(), terms, count, key_panels, terms, lanes_, terms, products, pitch);
        const double root = 1 / std::sqrt(static_cast<double>(terms));
        const double scales[] = {root, 1, -0.25, 0};
        scale_ = {scales[below(random_, 4)], 0,
                  one_in(random_, 3) ? std::ldexp(1, static_cast<int>(below(random_, 8))) : 0};
        const Dyadic depth(static_cast<std::uint64_t>(terms), 0, false);
        if (scale_.hi == root)
            scale_.lo = words_of(one() - depth * Dyadic(root) * Dyadic(root), depth * Dyadic(2 * root))[0];
        for (std::size_t i = 0; i < std::min<std::size_t>(count, 3); ++i)
            walk_row(&queries[i * terms], products + i * pitch, key, value, key_panels, value_panels, norms,
                     most);
        REQUIRE_MESSAGE(are_whole(), where_);
    }

  private:
    void require(bool is_right, const char* what) const { REQUIRE_MESSAGE(is_right, where_, ": ", what); }

    void check_panels(const PanelSource& from, const double* panels) const {
        bool same = true;
        for (std::size_t lane = 0; lane < samesum::rounded_up(from.lanes, m_.lanes); ++lane)
            for (std::size_t t = 0; t < from.terms; ++t) {
                const double x = panels[(lane / m_.lanes * from.terms + t) * m_.lanes + lane % m_.lanes];
                const char* const p = from.data + sized(lane) * from.lane_step + sized(t) * from.term_step;
                const double wanted = lane < from.lanes ? static_cast<double>(real_at(p, 0, format_)) : 0;
                same &= x == wanted || (std::isnan(x) && std::isnan(wanted));
            }
        require(same, "panels");
    }

    // Numbers that are not finite are zeros now.
    void check_columns(const Numbers& value, const double* panels, const std::vector<std::uint8_t>& odd,
                       const std::vector<double>& most) const {
        bool same = true;
        for (std::size_t c = 0; c < columns_; ++c) {
            double greatest = 0;
            bool has_odd = false;
            for (std::size_t j = 0; j < value.rows; ++j) {
                const double v = value.number(j, c);
                has_odd |= !std::isfinite(v);
                if (std::isfinite(v)) greatest = std::fmax(greatest, std::fabs(v));
                same &= panel_at(panels, value.rows, j, c) == (std::isfinite(v) ? v : 0);
            }
            same &= (odd[c] != 0) == has_odd && most[c] == greatest;
        }
        require(same, "columns of values");
    }

    double panel_at(const double* panels, std::size_t terms, std::size_t t, std::size_t lane) const {
        return panels[(lane / m_.lanes * terms + t) * m_.lanes + lane % m_.lanes];
    }

    std::vector<double> mask_of(std::size_t keys) {
        std::vector<double> mask(lanes_, -HUGE_VAL);
        const std::size_t kind = below(random_, 6);
        for (std::size_t j = 0; j < keys; ++j) {
            mask[j] = 0;
            if (kind > 2)
                mask[j] = value_of(float_bits(random_, format_, kind == 3 ? Family::plain : Family::whole),
                                   format_);
            if (kind == 5 && one_in(random_, 3))
                mask[j] = value_of(samesum::traits_of(format_).largest | samesum::sign_bit(format_), format_);
            if (kind > 0 && one_in(random_, 4)) mask[j] = -HUGE_VAL;
        }
        return mask;
    }

    void walk_row(double* query, double* products, const Numbers& key, const Numbers& value,
                  const double* key_panels, const double* value_panels, std::vector<double> norms,
                  const std::vector<double>& most) {
        const std::size_t keys = key.rows, terms = key.terms;
        const bool directly =
            key.term == sized(samesum::size_of(format_)) && value.term == key.term && one_in(random_, 2);
        double depth = samesum::packed_depth(terms);
        if (directly) {
            std::vector<double> padded(query, query + terms);
            padded.resize(samesum::rounded_up(terms, m_.lanes));
            std::fill_n(products, lanes_, 0);
            m_.key_products[f_](key.by_rows(), padded.data(), products, norms.data());
            depth = samesum::direct_depth(terms);
        }
        samesum::Superaccumulator squares;
        double near = 0;
        for (std::size_t t = 0; t < terms; ++t) near += query[t] * query[t];
        const double norm = std::sqrt(near) * (1 + static_cast<double>(terms + 4) * 0x1p-52);
        const std::vector<double> mask = mask_of(keys);
        const Shown shown = static_cast<Shown>(static_cast<int>(below(random_, 5)) - 1);
        const ScoreRow row{scale_, norm, depth, terms, lanes_, norms.data(), mask.data(), shown};
        std::vector<Score> scores;
        for (std::size_t j = 0; j < keys; ++j) scores.emplace_back(key, j, query, scale_, mask[j]);
        double* const weights = doubles(other_row, lanes_);
        std::copy_n(products, lanes_, weights);
        double *const as_shown = doubles(shown_room, 2 * lanes_), *const bounds = as_shown + lanes_;
        const RowFacts facts = m_.weigh(row, weights, as_shown, bounds);
        bool is_special = false, any = false;
        for (const Score& each : scores) is_special |= !each.is_out && !each.is_number(), any |= !each.is_out;
        require(facts.is_special == is_special, "special");
        if (is_special) return;
        require((facts.greatest > -HUGE_VAL) == any, "greatest");
        exact_weights(scores);
        check_shown(scores, shown, as_shown, nullptr, bounds, found.doubles);
        if (!any) return;
        check_weights(scores, facts, weights, nullptr, found.doubles);
        const std::size_t padded = samesum::rounded_up(columns_, m_.lanes);
        double *const sums = doubles(words_room, 2 * padded), *const greatest = sums + padded;
        if (directly) {
            m_.weighted_values[f_](value.by_terms(), weights, sums, greatest);
            for (std::size_t c = 0; c < columns_; ++c) {
                bool is_finite = true;
                for (std::size_t j = 0; j < keys; ++j) is_finite &= std::isfinite(value.number(j, c));
                require(greatest[c] == (is_finite ? most[c] : HUGE_VAL), "greatest values");
                if (!is_finite) return;
            }
        } else {
            m_.multiply(weights, lanes_, 1, value_panels, keys, padded, keys, sums, padded);
            std::copy_n(most.data(), padded, greatest);
        }
        finish(facts, keys, sums, greatest, value_panels);
        for (std::size_t c = 0; c < columns_; c += m_.lanes) {
            const std::vector<double> before(greatest + c, greatest + c + m_.lanes);
            m_.magnitudes(value_panels + c * keys, weights, keys, facts.total, greatest + c);
            for (std::size_t k = 0; k < m_.lanes; ++k) {
                Dyadic sum;
                for (std::size_t j = 0; j < keys; ++j)
                    sum =
                        sum + Dyadic(weights[j]) * size_of(Dyadic(value_panels[c * keys + j * m_.lanes + k]));
                const Dyadic over = Dyadic(greatest[c + k]) * Dyadic(facts.total) - sum;
                require(
                    over.sign() >= 0 && (over - sum.scaled(-40) - Dyadic(before[k]).scaled(-850)).sign() <= 0,
                    "magnitudes");
            }
        }
        finish(facts, keys, sums, greatest, value_panels);
        in_words_too(row, query, scores, key_panels, value_panels, keys);
    }

    // e^(score - greatest - 1) of each key, and what these add up to.
    void exact_weights(const std::vector<Score>& scores) {
        bool any = false;
        for (const Score& each : scores) {
            if (each.is_out || (any && (each.masked - greatest_).sign() <= 0)) continue;
            greatest_ = each.masked, any = true;
        }
        weight_.clear();
        total_ = {};
        for (const Score& each : scores) {
            weight_.push_back(each.is_out ? Dyadic() : power(each.masked - greatest_ - one()));
            total_ = total_ + weight_.back();
        }
    }

    void check_weights(const std::vector<Score>& scores, const RowFacts& facts, const double* weights,
                       const double* rest, double& greatest) {
        // In words what is taken from each score is the greatest one with its second word, which is off, too.
        const bool is_known = std::isfinite(facts.error), in_words = rest != nullptr;
        const Dyadic unit =
            is_known ? power((in_words ? Dyadic() : Dyadic(facts.greatest) - greatest_) - one()) : Dyadic();
        const double error = facts.error * (in_words ? 2 : 1);
        Dyadic sum;
        const Dyadic least = Dyadic(in_words ? 0x1p-970 : 0x1p-990) * unit;
        for (std::size_t j = 0; j < lanes_; ++j) {
            const bool is_out = j >= scores.size() || scores[j].is_out;
            require(std::signbit(weights[j]) == is_out && (!is_out || weights[j] == 0), "keys left out");
            if (is_out || !is_known) continue;
            const Dyadic w = Dyadic(weights[j]) + (rest == nullptr ? Dyadic() : Dyadic(rest[j]));
            sum = sum + w;
            compare(greatest, w * unit - weight_[j], weight_[j] * Dyadic(error) + least);
        }
        if (!is_known) return;
        const double off = error + static_cast<double>(lanes_) * (in_words ? 0x1p-103 : 0x1p-53);
        compare(greatest, (Dyadic(facts.total) + Dyadic(facts.total_rest)) * unit - total_,
                total_ * Dyadic(1.01 * off) + least);
        if (facts.are_equal) require((sum - Dyadic(facts.total)).sign() == 0, "equal weights");
    }

    void compare(double& greatest, const Dyadic& error, const Dyadic& bound) {
        greatest = std::fmax(greatest, quotient(error, bound + bound.scaled(-30)));
        ++found.bounds;
    }

    void check_shown(const std::vector<Score>& scores, Shown shown, const double* value, const double* rest,
                     const double* bounds, double& greatest) {
        if (shown == Shown::none || (shown == Shown::weights && total_.sign() == 0)) return;
        const std::size_t n = scores.size();
        char* const out = out_room.take(n * samesum::size_of(format_));
        std::vector<std::uint8_t> failed(n);
        m_.certify[f_](value, rest, bounds, n, out, failed.data());
        for (std::size_t j = 0; j < n; ++j) {
            const Score& each = scores[j];
            const bool is_left_out = shown == Shown::masked && each.is_out;
            if (is_left_out) require(value[j] == -HUGE_VAL, "a score left out");
            if (is_left_out || (!each.is_number() && shown != Shown::weights)) continue;
            if (shown == Shown::scaled && each.odd != 0) continue;
            const Dyadic n_of = shown == Shown::scaled   ? each.scaled
                                : shown == Shown::capped ? each.capped
                                : shown == Shown::masked ? each.masked
                                                         : weight_[j],
                         d = shown == Shown::weights ? total_ : one();
            const std::uint64_t bits = bits_of(out + j * samesum::size_of(format_), format_);
            if (failed[j] == 0 && !rounds_to(n_of, d, bits, format_))
                << " bound " << bounds[j] << " exact " << words_of(n_of, d)[0] << " odd " << each.odd
                << " out " << each.is_out << std::endl;
            if (failed[j] == 0) require(rounds_to(n_of, d, bits, format_), "shown");
            if (!std::isfinite(value[j]) || !std::isfinite(bounds[j])) continue;
            const Dyadic near = Dyadic(value[j]) + (rest == nullptr ? Dyadic() : Dyadic(rest[j]));
            compare(greatest, near * d - n_of, widened(bounds[j]) * d + Dyadic(0x1p-960) * d);
        }
    }

    // The exact mean of a column is n over the sum of the weights.
    Dyadic weighted(const double* panels, std::size_t keys, std::size_t column) const {
        Dyadic n;
        for (std::size_t j = 0; j < keys; ++j) n = n + weight_[j] * Dyadic(panel_at(panels, keys, j, column));
        return n;
    }

    void check_results(const char* out, const std::uint8_t* failed, std::size_t first, std::size_t n,
                       const double* panels, std::size_t keys) {
        for (std::size_t c = 0; c < n; ++c) {
            found.plain += is_plain_;
            if (failed[c] != 0) continue;
            ++found.certain, found.plain_certain += is_plain_;
            require(rounds_to(weighted(panels, keys, first + c), total_,
                              bits_of(out + c * samesum::size_of(format_), format_), format_),
                    "a result");
        }
    }

    void finish(const RowFacts& facts, std::size_t keys, const double* sums, const double* greatest,
                const double* panels) {
        char* const out = out_room.take(columns_ * samesum::size_of(format_));
        std::vector<std::uint8_t> failed(columns_);
        m_.finish[f_](sums, greatest, columns_, facts, keys, out, failed.data());
        check_results(out, failed.data(), 0, columns_, panels, keys);
    }

    void in_words_too(const ScoreRow& row, const double* query, const std::vector<Score>& scores,
                      const double* key_panels, const double* value_panels, std::size_t keys) {
        double* const room = doubles(words_room, 6 * lanes_ + 3 * m_.lanes);
        const RowFacts facts = m_.weigh_words(row, query, key_panels, room);
        exact_weights(scores);
        check_weights(scores, facts, room, room + lanes_, found.words);
        check_shown(scores, row.shown, room + 3 * lanes_, room + 4 * lanes_, room + 5 * lanes_, found.words);
        double* const words = room + 6 * lanes_;
        for (std::size_t c = 0; c < columns_; c += m_.lanes) {
            m_.average_words(value_panels + c * keys, room, lanes_, keys, facts, words);
            const std::size_t n = std::min(m_.lanes, columns_ - c);
            for (std::size_t k = 0; k < n; ++k) {
                const double bound = words[2 * m_.lanes + k];
                if (!std::isfinite(bound)) continue;
                const Dyadic mean = Dyadic(words[k]) + Dyadic(words[m_.lanes + k]);
                compare(found.words, mean * total_ - weighted(value_panels, keys, c + k),
                        widened(bound) * total_);
            }
            char* const out = out_room.take(n * samesum::size_of(format_));
            std::vector<std::uint8_t> failed(n);
            m_.certify[f_](words, words + m_.lanes, words + 2 * m_.lanes, n, out, failed.data());
            check_results(out, failed.data(), c, n, value_panels, keys);
        }
    }

    const AttentionMethods& m_;
    const Format format_;
    const std::size_t f_;
    const InstructionSet& set_;
    Random random_;
    std::string where_;
    bool is_plain_ = false;
    std::size_t lanes_ = 0, columns_ = 0;
    ScoreScale scale_{};
    std::vector<Dyadic> weight_;
    Dyadic greatest_, total_;
};

}  // namespace

TEST_CASE("attention is within its bounds at each step, and certain results are the exact ones") {
    const samesum::FloatingPointScope scope;
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        for (std::size_t f = 0; f < 3; ++f) {
            Walk all(set, static_cast<Format>(f));
            Random random(f);
            constexpr std::size_t counts[] = {1, 2, 3, 5, 8, 9, 16, 17, 31, 32, 33, 49, 65},
                                  sizes[] = {1, 2, 3, 7, 8, 9, 16, 31, 33, 64, 70},
                                  widths[] = {1, 2, 5, 8, 9, 17};
            for (const Family scores : families)
                for (const Family values : families)
                    all.walk(scores, values, counts[below(random, std::size(counts))],
                             sizes[below(random, std::size(sizes))],
                             widths[below(random, std::size(widths))]);
            const Found& found = all.found;
            const std::string where = std::string(set.name) + ", " + name_of(static_cast<Format>(f)) + ": ";
            CHECK_MESSAGE((found.doubles <= 1 && found.words <= 1), where, found.doubles, " and ",
                          found.words, " of the bounds");
            CHECK_MESSAGE((found.bounds > 1000 && found.certain > 500), where, found.bounds, ", ",
                          found.certain);
            CHECK_MESSAGE(found.plain_certain * 4 > found.plain * 3, where, found.plain_certain, " of ",
                          found.plain);
        }
    });
}
