// Whole calls on arrays of any layout (permuted, cut, mirrored, repeated, in the other byte order), of every
// format and with masks and labels, beside the exact result of each set.
#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "exact_results.hpp"
#include "guards.hpp"
#include "method_rows.hpp"
#include "run/masks/masked.hpp"
#include "run/reduce/reduce.hpp"
#include "run/scans/scan.hpp"
#include "run/segments/segments.hpp"

namespace {

using namespace walk;
using samesum::Reduction;
using samesum::View;

Guarded room{1 << 21}, out_room{1 << 20}, mask_room{1 << 18};

bool are_whole() { return room.is_whole() && out_room.is_whole() && mask_room.is_whole(); }

constexpr int most_rank = 4;

struct Array {
    int rank = 0;
    std::int64_t shape[most_rank], strides[most_rank];
    bool reduced[most_rank];
    Format format;
    bool swapped = false;
    char* first = nullptr;
    // The same elements in C order, in the byte order of the machine.
    std::vector<std::uint64_t> bits;

    std::int64_t count() const {
        return std::accumulate(shape, shape + rank, std::int64_t{1}, std::multiplies<>());
    }
    View view() const { return {first, rank, shape, strides, format, swapped}; }
};

Array drawn(Random& random, Format format, Family family) {
    Array x;
    x.format = format;
    x.rank = 1 + static_cast<int>(below(random, most_rank));
    int order[most_rank] = {0, 1, 2, 3};
    std::shuffle(order, order + x.rank, random);
    const std::int64_t size = sized(samesum::size_of(format));
    std::int64_t stride = size, lowest = 0, highest = 0;
    for (int i = 0; i < x.rank; ++i) {
        const int axis = order[i];
        const std::int64_t length = 1 + sized(below(random, stride < 600 && one_in(random, 2) ? 70 : 5)),
                           gap = one_in(random, 3) ? 1 + sized(below(random, 3)) : 1;
        x.shape[axis] = length;
        x.strides[axis] = one_in(random, 9) ? 0 : one_in(random, 5) ? -stride * gap : stride * gap;
        x.reduced[axis] = one_in(random, 2);
        stride *= length * gap;
        (x.strides[axis] < 0 ? lowest : highest) += (length - 1) * x.strides[axis];
    }
    x.swapped = size > 1 && one_in(random, 6);
    char* const p = room.take(static_cast<std::size_t>(highest - lowest + size),
                              one_in(random, 4) ? Edge::front : Edge::end);
    const std::size_t places = static_cast<std::size_t>((highest - lowest) / size) + 1;
    const std::vector<std::uint64_t> all = draw(random, format, family, places);
    for (std::size_t i = 0; i < places; ++i) {
        std::memcpy(p + sized(i) * size, &all[i], static_cast<std::size_t>(size));
        if (x.swapped) std::reverse(p + sized(i) * size, p + sized(i + 1) * size);
    }
    x.first = p - lowest;
    for (std::int64_t i = 0, n = x.count(); i < n; ++i) {
        std::int64_t left = i, at = -lowest;
        for (int axis = x.rank; axis-- > 0; left /= x.shape[axis])
            at += left % x.shape[axis] * x.strides[axis];
        x.bits.push_back(all[static_cast<std::size_t>(at / size)]);
    }
    return x;
}

// The elements of each output, side by side, of those that `chosen` has.
std::vector<std::string> sets_of(const Array& x, const std::vector<std::uint8_t>& chosen) {
    std::int64_t outputs = 1;
    for (int axis = 0; axis < x.rank; ++axis) outputs *= x.reduced[axis] ? 1 : x.shape[axis];
    std::vector<std::string> sets(static_cast<std::size_t>(outputs));
    for (std::size_t i = 0; i < x.bits.size(); ++i) {
        std::int64_t left = sized(i), to = 0, step = 1;
        for (int axis = x.rank; axis-- > 0; left /= x.shape[axis])
            if (!x.reduced[axis]) to += left % x.shape[axis] * step, step *= x.shape[axis];
        if (chosen.empty() || chosen[i])
            sets[static_cast<std::size_t>(to)].append(reinterpret_cast<const char*>(&x.bits[i]),
                                                      samesum::size_of(x.format));
    }
    return sets;
}

struct Asked {
    Reduction row;
    Format format;
};

// What may be asked of a format.
std::vector<Asked> asked_of(Format in) {
    const bool is_real = samesum::is_float(in);
    const Format out = is_real ? in : Format::f64, whole = is_real ? in : Format::i64;
    const auto row = [](Map map, Combine combine, Finalize finalize, bool last = false) {
        return Reduction{map, combine, finalize, last};
    };
    std::vector<Asked> all{
        {row(Map::itself, Combine::sum, Finalize::itself), whole},
        {row(Map::itself, Combine::sum, Finalize::over_count), out},
        {row(Map::magnitude, Combine::sum, Finalize::itself), whole},
        {row(Map::square, Combine::sum, Finalize::itself), whole},
        {row(Map::square, Combine::sum, Finalize::root), out},
        {row(Map::itself, Combine::product, Finalize::itself), whole},
        {row(Map::itself, Combine::minimum, Finalize::itself), in},
        {row(Map::itself, Combine::maximum, Finalize::itself), in},
        {row(Map::itself, Combine::logical_and, Finalize::itself), Format::boolean},
        {row(Map::itself, Combine::logical_or, Finalize::itself), Format::boolean},
        {row(Map::itself, Combine::spread, Finalize::itself), out},
        {row(Map::itself, Combine::minimum_position, Finalize::itself), Format::i64},
        {row(Map::itself, Combine::maximum_position, Finalize::itself, true), Format::i64}};
    return all;
}

std::uint64_t exact_of(const Asked& asked, const Set& set) {
    const Finish how{asked.row.finalize, asked.format, sized(set.n)};
    const bool is_real = samesum::is_float(set.format);
    switch (asked.row.combine) {
        case Combine::sum:
            return by_method(is_real ? samesum::exact_method(set.format, asked.row.map)
                                     : samesum::wide_method(set.format, asked.row.map),
                             set, {how})[0];
        case Combine::product:
            return is_real ? by_method(samesum::product_method(set.format), set, {how})[0]
                           : wrapping_product_of(set);
        case Combine::minimum:
        case Combine::maximum:
            return extreme_of(set, asked.row.combine == Combine::maximum);
        case Combine::minimum_position:
        case Combine::maximum_position:
            return position_of(set, asked.row.combine == Combine::maximum_position, asked.row.last);
        case Combine::spread:
            return moment_of(set, how);
        default:
            return truth_of(set, asked.row.combine == Combine::logical_or);
    }
}

// How many results are not those of the sets; empty ones are passed over.
std::size_t wrong_results(const Asked& asked, Format in, const std::vector<std::string>& sets,
                          const char* out) {
    const std::size_t size = samesum::size_of(in), out_size = samesum::size_of(asked.format);
    std::size_t wrong = !are_whole();
    for (std::size_t j = 0; j < sets.size(); ++j) {
        if (sets[j].empty()) continue;
        const std::uint64_t wanted =
            exact_of(asked, {sets[j].data(), sized(size), sets[j].size() / size, in});
        wrong += bits_of(out + j * out_size, asked.format) !=
                 (wanted & (~std::uint64_t{0} >> (64 - 8 * out_size)));
    }
    return wrong;
}

// work(format, family, random) so many times for each format, in each instruction set.
template <class Work>
void each_array(int times, const Work& work) {
    each_instruction_set([&](const InstructionSet& set, std::size_t) {
        for (int in = 0; in <= static_cast<int>(Format::u64); ++in) {
            Random random(static_cast<std::uint64_t>(in));
            for (int i = 0; i < times; ++i) {
                CAPTURE(set.name);
                CAPTURE(in);
                CAPTURE(i);
                Family family = families[below(random, std::size(families))];
                if (in > 3 && (family == Family::cancelling || family == Family::ties)) family = Family::bits;
                work(static_cast<Format>(in), family, random);
            }
        }
    });
}

}  // namespace

TEST_CASE("reductions of arrays of any layout are exact") {
    each_array(130, [](Format format, Family family, Random& random) {
        const Array x = drawn(random, format, family);
        const std::vector<std::string> sets = sets_of(x, {});
        const std::vector<Asked> all = asked_of(format);
        const Asked& asked = all[below(random, all.size())];
        char* const out = out_room.take(sets.size() * samesum::size_of(asked.format));
        samesum::reduce(x.view(), x.reduced, asked.row, asked.format, out);
        CHECK_MESSAGE(wrong_results(asked, format, sets, out) == 0, name_of(family), ", combine ",
                      static_cast<int>(asked.row.combine), ", rank ", x.rank);
    });
}

TEST_CASE("reductions under a mask are those of the chosen elements") {
    each_array(100, [](Format format, Family family, Random& random) {
        const Array x = drawn(random, format, family);
        const std::size_t count = static_cast<std::size_t>(x.count()), share = below(random, 10);
        char* const mask = mask_room.take(count);
        std::vector<std::uint8_t> chosen(count);
        for (std::size_t i = 0; i < count; ++i)
            mask[i] = static_cast<char>(chosen[i] = below(random, 10) <= share);
        std::int64_t mask_strides[most_rank], step = 1;
        for (int axis = x.rank; axis-- > 0; step *= x.shape[axis]) mask_strides[axis] = step;
        const std::vector<std::string> sets = sets_of(x, chosen);
        const bool has_empty =
            std::any_of(sets.begin(), sets.end(), [](const std::string& set) { return set.empty(); });
        std::vector<Asked> all = asked_of(format);
        all.resize(has_empty ? 6 : 11);  // positions count the elements that are left out
        const Asked& asked = all[below(random, all.size())];
        View view = x.view();
        view.mask = mask;
        view.mask_strides = mask_strides;
        char* const out = out_room.take(sets.size() * samesum::size_of(asked.format));
        const samesum::Result result{asked.row, asked.format, out};
        samesum::reduce_masked(view, x.reduced, &result, 1);
        CHECK_MESSAGE(wrong_results(asked, format, sets, out) == 0, name_of(family), ", combine ",
                      static_cast<int>(asked.row.combine), ", rank ", x.rank);
    });
}

TEST_CASE("rows that share a label are reduced together") {
    each_array(70, [](Format format, Family family, Random& random) {
        const std::size_t rows = 1 + below(random, 200),
                          columns = 1 + below(random, one_in(random, 3) ? 40 : 4),
                          outer = 1 + below(random, 3), segments = 1 + below(random, 20),
                          size = samesum::size_of(format);
        const std::vector<std::uint64_t> bits = draw(random, format, family, outer * rows * columns);
        char* const x = room.take(bits.size() * size);
        for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(x + i * size, &bits[i], size);
        std::vector<std::int64_t> labels;
        for (std::size_t r = 0; r < rows; ++r) labels.push_back(sized(below(random, segments)));
        if (one_in(random, 3)) std::sort(labels.begin(), labels.end());
        std::vector<std::string> sets(outer * segments * columns);
        for (std::size_t i = 0; i < bits.size(); ++i) {
            const std::size_t o = i / (rows * columns), r = i / columns % rows, c = i % columns;
            sets[(o * segments + static_cast<std::size_t>(labels[r])) * columns + c].append(x + i * size,
                                                                                            size);
        }
        std::vector<Asked> all = asked_of(format);
        all.resize(10);
        const Asked& asked = all[below(random, all.size())];
        char* const out = out_room.take(sets.size() * samesum::size_of(asked.format));
        const samesum::SegmentReport report =
            samesum::reduce_segments({x,
                                      format,
                                      sized(outer),
                                      sized(columns),
                                      {labels.data(), false, false, sized(rows), sized(segments)},
                                      nullptr,
                                      asked.row,
                                      asked.format,
                                      out});
        CHECK(report.first_bad_label == -1);
        CHECK_MESSAGE(wrong_results(asked, format, sets, out) == 0, name_of(family), ", combine ",
                      static_cast<int>(asked.row.combine), ", ", rows, " rows of ", columns, " in ",
                      segments);
    });
}

TEST_CASE(
    "scans of arrays of any layout are exact, in either direction, with and without the element itself") {
    each_array(60, [](Format format, Family family, Random& random) {
        Array x = drawn(random, format, family);
        const int axis = static_cast<int>(below(random, static_cast<std::uint64_t>(x.rank)));
        const bool is_real = samesum::is_float(format), product = one_in(random, 3),
                   reverse = one_in(random, 2), exclusive = one_in(random, 2);
        const Format out_format = is_real ? format : Format::i64;
        const std::size_t out_size = samesum::size_of(out_format);
        char* const out = out_room.take(x.bits.size() * out_size);
        samesum::scan(product ? Combine::product : Combine::sum, x.view(), axis, {exclusive, reverse, false},
                      out_format, out);
        const std::int64_t inner = std::accumulate(x.shape + axis + 1, x.shape + x.rank, std::int64_t{1},
                                                   std::multiplies<>()),
                           n = x.shape[axis];
        std::size_t wrong = !are_whole();
        for (std::int64_t line = 0; line < x.count() / n; ++line) {
            const std::int64_t begin = line / inner * inner * n + line % inner;
            std::string so_far;
            for (std::int64_t i = 0; i < n; ++i) {
                const std::size_t at = static_cast<std::size_t>(begin + (reverse ? n - 1 - i : i) * inner);
                if (!exclusive)
                    so_far.append(reinterpret_cast<const char*>(&x.bits[at]), samesum::size_of(format));
                const Asked asked{
                    {Map::itself, product ? Combine::product : Combine::sum, Finalize::itself, false},
                    out_format};
                const std::size_t count = so_far.size() / samesum::size_of(format);
                const std::uint64_t one = is_real ? samesum::round_bits(1, out_format) : 1;
                if (i < 3 || i % 7 == 0 || i == n - 1) {
                    const std::uint64_t wanted =
                        count == 0 ? (product ? one : 0)
                                   : exact_of(asked, {so_far.data(), sized(samesum::size_of(format)), count,
                                                      format});
                    wrong += bits_of(out + at * out_size, out_format) != wanted;
                }
                if (exclusive)
                    so_far.append(reinterpret_cast<const char*>(&x.bits[at]), samesum::size_of(format));
            }
        }
        CHECK_MESSAGE(wrong == 0, name_of(family), product ? ", products along " : ", sums along ", axis,
                      " of ", x.rank, " axes");
    });
}
