// The methods of one instruction set as a table: every row of its tables of reductions, with what its results
// are to be.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exact_results.hpp"
#include "kernels/instruction_set.hpp"
#include "run/exact/exact_sums.hpp"

namespace walk {

using samesum::InstructionSet;

// What is known of the states before they are rounded (bounds_test.cpp).
enum class Known { nothing, sums, spreads, products, exponentials };

struct Result {
    Finalize finalize;
    Format format;
};

struct Row {
    std::string name;
    Method method;
    Format in;
    Map map;
    std::vector<Result> results;
    // One number of bits for each way to finish.
    std::function<std::vector<std::uint64_t>(const Set&, const std::vector<Finish>&)> exact;
    Known known = Known::nothing;
    bool is_sure = false;   // never fails
    bool is_rare = false;   // certifies what others cannot, and nothing of plain sets
    bool in_use = false;    // asks which instruction set is in use
    std::size_t most = 70;  // elements of a set, beyond which it is not asked
};

inline const Method& wide_spread() { return samesum::current_instruction_set().spreads->wide; }

class Rows {
  public:
    explicit Rows(const InstructionSet& set) : set_(set) {
        for (const Format in : floats) add_floats(in);
        for (int in = static_cast<int>(Format::i8); in <= static_cast<int>(Format::u64); ++in)
            add_integers(static_cast<Format>(in));
        for (int in = 0; in <= static_cast<int>(Format::u64); ++in) {
            add_searches(static_cast<Format>(in));
            add_spread(static_cast<Format>(in),
                       samesum::Widened<wide_spread>::method(static_cast<Format>(in)), "spread.wide",
                       {Format::f16, Format::f32, Format::f64}, 9000);
            rows_.back().in_use = true;
        }
    }
    const std::vector<Row>& all() const { return rows_; }

  private:
    static constexpr Format floats[] = {Format::f16, Format::bf16, Format::f32, Format::f64};
    static constexpr std::size_t any = 9000;

    static std::size_t at(Format format) { return static_cast<std::size_t>(format); }

    Row& push(const std::string& name, const Method& method, Format in, Map map) {
        constexpr const char* maps[] = {"", " magnitude", " square", " exponential"};
        rows_.push_back({name + " " + name_of(in) + maps[static_cast<int>(map)], method, in, map, {}, {}});
        return rows_.back();
    }

    // Means and logarithms of all sums, roots of squares.
    static std::vector<Result> finished(Map map, const std::vector<Format>& formats) {
        std::vector<Result> results;
        for (const Format format : formats) {
            results.push_back({Finalize::itself, format});
            results.push_back({Finalize::over_count, format});
            results.push_back({map == Map::square ? Finalize::root : Finalize::logarithm, format});
        }
        return results;
    }

    static auto exact(const Method& method) {
        return
            [&method](const Set& set, const std::vector<Finish>& how) { return by_method(method, set, how); };
    }

    template <class Of>
    static auto each_finish(Of of) {
        return [of](const Set& set, const std::vector<Finish>& how) {
            std::vector<std::uint64_t> results;
            for (const Finish& each : how) results.push_back(of(set, each));
            return results;
        };
    }

    void add_sum(const std::string& name, const Method& method, Format in, Map map,
                 const std::vector<Format>& formats, Known known) {
        Row& row = push(name, method, in, map);
        row.results = finished(map, formats);
        row.exact = exact(samesum::exact_method(in, map));
        row.known = known;
        row.most = any;
    }

    void add_floats(Format in) {
        const samesum::Methods& m = *set_.methods;
        const std::size_t i = at(in);
        const bool is_double = in == Format::f64;
        for (const Map map : {Map::itself, Map::magnitude, Map::square}) {
            const std::size_t k = static_cast<std::size_t>(map);
            if (!is_double) {
                const Method(&lanes)[3] = m.sum1[i][k];
                add_sum("sum1.usual", lanes[0], in, map, {in, Format::f32, Format::bf16}, Known::sums);
                add_sum("sum1.few", lanes[1], in, map, {in, Format::f32}, Known::sums);
                if (in != Format::f32)
                    add_sum("sum1.singles", lanes[2], in, map, {Format::f16, Format::bf16}, Known::sums);
            }
            add_sum("sum2", m.sum2[i][k], in, map, {in, Format::f64, Format::f16}, Known::sums);
            if (!is_double) continue;
            if (map != Map::square)
                add_sum("sum2.few", m.sum2_few[k], in, map, {Format::f64, Format::bf16}, Known::sums);
            add_sum("special", m.special[k], in, map, {Format::f64, Format::f32}, Known::nothing);
            rows_.back().is_rare = true;
        }
        Row& product = push("product", set_.products->real[i], in, Map::itself);
        product.results = {
            {Finalize::itself, in}, {Finalize::itself, Format::f64}, {Finalize::itself, Format::f32}};
        product.exact = exact(samesum::product_method(in));
        product.known = Known::products;
        product.most = 600;
        if (!is_double)
            add_exponential("exponential.sum1", set_.exponentials->sum1[i], in, {in, Format::f32});
        add_exponential("exponential.words", samesum::exponential_words_method(in), in, {in, Format::f64});
        if (!is_double) add_spread(in, set_.spreads->narrow[i], "spread.narrow", {in, Format::f32}, any);
    }

    void add_exponential(const std::string& name, const Method& method, Format in,
                         const std::vector<Format>& formats) {
        Row& row = push(name, method, in, Map::exponential);
        for (const Format format : formats) row.results.push_back({Finalize::logarithm, format});
        row.exact = exact(samesum::exponential_total_method(in));
        row.known = samesum::is_float(in) ? Known::exponentials : Known::nothing;
        row.in_use = true;
        row.most = 600;
    }

    void add_spread(Format in, const Method& method, const std::string& name,
                    const std::vector<Format>& formats, std::size_t most) {
        Row& row = push(name, method, in, Map::itself);
        for (const Format format : formats) {
            row.results.push_back({Finalize::itself, format});
            row.results.push_back({Finalize::root, format});
        }
        row.exact = each_finish(moment_of);
        row.known = Known::spreads;
        row.most = most;
    }

    static Format integer_of(std::size_t size, bool is_unsigned) {
        const int width = size == 8 ? 3 : static_cast<int>(size) / 2;
        return static_cast<Format>(static_cast<int>(is_unsigned ? Format::u8 : Format::i8) + width);
    }

    void add_integers(Format in) {
        const std::size_t i = at(in) - at(Format::i8), size = samesum::size_of(in);
        const bool has_no_sign = samesum::is_unsigned(in);
        for (const Map map : {Map::itself, Map::magnitude, Map::square}) {
            const std::size_t k = static_cast<std::size_t>(map);
            for (const bool widens : {false, true}) {
                Row& row =
                    push(widens ? "modular.64" : "modular", set_.methods->modular[i][widens][k], in, map);
                row.results = {{Finalize::itself, integer_of(widens ? 8 : size, has_no_sign)}};
                row.exact = exact(samesum::wide_method(in, map));
                row.is_sure = true;
                row.most = any;
            }
            const bool fits = samesum::fits_64_bits(in, map), has_sign = map == Map::itself && !has_no_sign;
            Method whole = fits ? set_.methods->modular[i][1][k] : set_.whole->split[i][k];
            if (fits) whole.finish = has_sign ? set_.whole->finish_signed : set_.whole->finish_unsigned;
            if (whole.init == nullptr) continue;
            Row& row = push(fits ? "whole" : "split", whole, in, map);
            row.results = finished(map, {Format::f64, Format::f32});
            row.results.push_back({Finalize::over_count, Format::i64});
            if (map == Map::square) row.results.push_back({Finalize::root, Format::i64});
            row.exact = exact(samesum::wide_method(in, map));
            row.most = any;
        }
        Row& product = push("modular product", set_.products->modular[i], in, Map::itself);
        product.results = {{Finalize::itself, in}, {Finalize::itself, integer_of(8, has_no_sign)}};
        product.exact = each_finish([](const Set& set, const Finish&) { return wrapping_product_of(set); });
        product.is_sure = true;
        product.most = any;
        add_exponential("exponential.words", samesum::exponential_words_method(in), in, {Format::f64});
    }

    void add_searches(Format in) {
        const samesum::SearchMethods& m = *set_.searches;
        for (const bool b : {false, true}) {
            const auto add = [&](const char* name, const Method& method, Format out, auto of) {
                Row& row = push(name, method, in, Map::itself);
                row.results = {{Finalize::itself, out}};
                row.exact = each_finish([of](const Set& set, const Finish&) { return of(set); });
                row.is_sure = true;
                row.most = any;
            };
            add(b ? "maximum" : "minimum", m.extreme[at(in)][b], in,
                [b](const Set& set) { return extreme_of(set, b); });
            add(b ? "any" : "all", m.logical[at(in)][b], Format::boolean,
                [b](const Set& set) { return truth_of(set, b); });
            for (const bool last : {false, true})
                add(last ? "last position" : "position", m.position[at(in)][b][last], Format::i64,
                    [b, last](const Set& set) { return position_of(set, b, last); });
        }
    }

    const InstructionSet& set_;
    std::vector<Row> rows_;
};

// The instruction sets that this machine has.
inline const std::vector<const InstructionSet*>& sets_here() {
    static const std::vector<const InstructionSet*> all = [] {
        std::vector<const InstructionSet*> found;
        for (std::size_t i = 0; i < samesum::instruction_set_count; ++i)
            if (samesum::instruction_sets[i].is_supported()) found.push_back(&samesum::instruction_sets[i]);
        return found;
    }();
    return all;
}

// Calls work(set, number) with each of them in use.
template <class Work>
void each_instruction_set(const Work& work) {
    const char* const before = samesum::current_instruction_set().name;
    std::size_t number = 0;
    for (const InstructionSet* set : sets_here()) {
        samesum::select_instruction_set(set->name);
        work(*set, number++);
    }
    samesum::select_instruction_set(before);
}

}  // namespace walk
