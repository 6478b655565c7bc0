#include "exact/exponentials/exponential_total.hpp"
#include "exact/methods.hpp"
#include "exact/products/product.hpp"
#include "kernels/instruction_set.hpp"
#include "run/exact/exact_sums.hpp"
#include "run/reduce/finish.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/thread_thresholds.hpp"

namespace samesum {

namespace {

bool is_short(std::int64_t count) { return count <= static_cast<std::int64_t>(short_elements); }

// Of what never fails.
Tiers sure_tiers(const Method& method, Route route, Short at_once, std::int64_t count) {
    Tiers tiers;
    if (is_short(count)) tiers.at_once = at_once;
    tiers.push(method, 0, route);
    return tiers;
}

// Whether results have a width in which sums and products of whole short sets are made.
bool suits_short(Format in, Format out) { return size_of(out) == size_of(in) || size_of(out) == 8; }

Tiers integer_tiers(const InstructionSet& set, const Reduction& row, Format in, Format out,
                    std::int64_t count) {
    Tiers tiers;
    const std::size_t index = static_cast<std::size_t>(in == Format::boolean ? Format::u8 : in) - 4,
                      map = static_cast<std::size_t>(row.map);
    const bool whole_logarithms = row.finalize == Finalize::logarithm && !is_float(out),
               is_countable = count <= INT32_MAX && !whole_logarithms,
               has_sign = row.map == Map::itself && !is_unsigned(in);
    const Method& split = set.whole->split[index][map];
    if (row.finalize == Finalize::itself && !is_float(out)) {
        const bool widens = size_of(out) > size_of(in);
        const Short at_once = suits_short(in, out) ? set.short_integers->sum[index][widens][map] : nullptr;
        return sure_tiers(set.methods->modular[index][widens][map], Route::wrapping_sums, at_once, count);
    }
    const bool is_mean = row.finalize == Finalize::over_count && row.map == Map::itself && out == Format::f64;
    if (is_short(count) && is_mean) tiers.at_once = set.short_integers->mean[index];
    if (fits_64_bits(in, row.map) && is_countable) {
        Method method = set.methods->modular[index][1][map];
        method.finish = has_sign ? set.whole->finish_signed : set.whole->finish_unsigned;
        tiers.push(method, 0, Route::wrapping_sums);
    } else if (split.init != nullptr && is_countable) {
        tiers.push(split, 0, Route::split_integers);
    }
    tiers.push(wide_method(in, row.map), 2, Route::exact_integers);
    return tiers;
}

Short sum_at_once(const ShortMethods& shorts, const Reduction& row, std::size_t format, std::int64_t count) {
    const std::size_t map = static_cast<std::size_t>(row.map);
    const Short one = count == 1 && row.finalize == Finalize::itself ? shorts.one[format][map] : nullptr;
    return one != nullptr ? one : shorts.sum[format][map][by(row.finalize)];
}

// Float64 lanes, for 16-bit results of many elements of what was added up in float32: what that leaves out of
// a sum of numbers of either sign grows with it, until too many results are in doubt, and those of float16
// are exact otherwise.
void push_lanes(Tiers& tiers, const Method (&methods)[3], const Reduction& row, Format in, Format out,
                std::int64_t count) {
    constexpr Route lanes_routes[] = {Route::lanes_usual, Route::lanes_few, Route::lanes_singles};
    const auto push = [&](Lanes lanes) {
        tiers.push(methods[static_cast<std::size_t>(lanes)], 0,
                   lanes_routes[static_cast<std::size_t>(lanes)]);
    };
    if (count <= few_elements) return push(Lanes::few);
    const bool suits = row.map != Map::itself || (in == Format::bf16 && count <= many_single_elements),
               singles = size_of(in) == 2 && size_of(out) == 2 && suits;
    if (singles) push(Lanes::singles);
    push(singles ? Lanes::few : Lanes::usual);
}

Tiers float_sum_tiers(const InstructionSet& set, const Reduction& row, Format in, Format out,
                      std::int64_t count) {
    Tiers tiers;
    const Methods& methods = *set.methods;
    const std::size_t format = static_cast<std::size_t>(in), map = static_cast<std::size_t>(row.map);
    if (in == out && is_short(count)) tiers.at_once = sum_at_once(*set.shorts, row, format, count);
    if (in != Format::f64 && out != Format::f64)
        push_lanes(tiers, methods.sum1[format][map], row, in, out, count);
    const bool is_double = in == Format::f64;
    const bool is_few = is_double && row.map != Map::square && count <= few_elements;
    tiers.push(is_few ? methods.sum2_few[map] : methods.sum2[format][map], 1, Route::double_words);
    if (is_double) {
        tiers.partial = tiers.count;
        tiers.push(methods.special[map], 1, Route::special_elements);
    }
    tiers.push(exact_sum_method(in, row.map), 2, Route::exact_sums);
    return tiers;
}

Tiers exponential_tiers(const ExponentialMethods& methods, Format in, Format out) {
    Tiers tiers;
    tiers.work = most_work;
    const std::size_t format = static_cast<std::size_t>(in);
    if (is_float(in) && in != Format::f64 && out != Format::f64)
        tiers.push(methods.sum1[format], 0, Route::exponentials);
    tiers.push(exponential_words_method(in), 1, Route::exponential_words);
    tiers.push(exponential_total_method(in), 2, Route::exact_exponentials);
    return tiers;
}

Tiers product_tiers(const InstructionSet& set, Format in, Format out, std::int64_t count) {
    Tiers tiers;
    const ProductMethods& products = *set.products;
    if (!is_float(out)) {
        const std::size_t index = static_cast<std::size_t>(in == Format::boolean ? Format::u8 : in) - 4;
        const bool widens = size_of(out) > size_of(in);
        const Short at_once = suits_short(in, out) ? set.short_integers->product[index][widens] : nullptr;
        return sure_tiers(products.modular[index], Route::wrapping_products, at_once, count);
    }
    if (is_float(in)) {
        const std::size_t format = static_cast<std::size_t>(in);
        if (in == out && is_short(count)) tiers.at_once = set.shorts->product[format];
        tiers.push(products.real[format], 1, Route::products);
    }
    tiers.push(product_method(in), 2, Route::exact_products);
    return tiers;
}

const Method& wide_spread() { return current_instruction_set().spreads->wide; }

// Results of eight bits by exact sums alone.
Tiers variance_tiers(const SpreadMethods& spreads, Format in, Format out) {
    Tiers tiers;
    if (!is_byte_float(in) && !is_byte_float(out)) {
        if (is_float(in) && size_of(in) < 8 && size_of(out) <= 4)
            tiers.push(spreads.narrow[static_cast<std::size_t>(in)], 0, Route::variance_lanes);
        tiers.push(Widened<wide_spread>::method(in), 1, Route::variance_words);
    }
    tiers.push(exact_variance_method(in), 2, Route::exact_variances);
    return tiers;
}

// Of sums and extremes; there are no others.
Tiers byte_float_tiers(const Reduction& row, Format in) {
    Tiers tiers;
    if (row.combine == Combine::sum)
        tiers.push(byte_sum_method(in, row.map), 0, Route::byte_sums);
    else
        tiers.push(byte_extreme_method(in, row.combine == Combine::maximum), 0, Route::byte_extremes);
    return tiers;
}

}  // namespace

Tiers choose_tiers(const Reduction& row, Format in, Format out, std::int64_t count) {
    if (row.combine == Combine::spread) return variance_tiers(*current_instruction_set().spreads, in, out);
    if (is_byte_float(in)) return byte_float_tiers(row, in);
    const InstructionSet& set = current_instruction_set();
    const std::size_t format = static_cast<std::size_t>(in == Format::boolean ? Format::u8 : in);
    switch (row.combine) {
        case Combine::sum:
            if (row.map == Map::exponential) return exponential_tiers(*set.exponentials, in, out);
            return is_float(in) ? float_sum_tiers(set, row, in, out, count)
                                : integer_tiers(set, row, in, out, count);
        case Combine::minimum:
        case Combine::maximum: {
            const bool maximum = row.combine == Combine::maximum;
            return sure_tiers(set.searches->extreme[format][maximum], Route::extremes,
                              set.shorts->extreme[format][maximum], count);
        }
        case Combine::product:
            return product_tiers(set, in, out, count);
        case Combine::minimum_position:
        case Combine::maximum_position: {
            const bool maximum = row.combine == Combine::maximum_position;
            return sure_tiers(set.searches->position[format][maximum][row.last], Route::positions,
                              set.shorts->position[format][maximum][row.last], count);
        }
        case Combine::logical_and:
        case Combine::logical_or: {
            const bool any = row.combine == Combine::logical_or;
            return sure_tiers(set.searches->logical[format][any], Route::truths,
                              set.shorts->logical[format][any], count);
        }
        case Combine::spread:
            break;
    }
    return {};
}

}  // namespace samesum
