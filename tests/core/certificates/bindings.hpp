// Bounds before the rounding test, for the tests. Included by module.cpp alone.
#pragma once

#include <string>

#include "certificates/certificates.hpp"
#include "certificates/states.hpp"
#include "kernels/instruction_set.hpp"
#include "python/reductions.hpp"
#include "run/reduce/finish.hpp"

namespace samesum::python {

// A new array of float64 of `rows` x n, from numbers in whole vectors.
class Numbers {
  public:
    Numbers(std::size_t rows, std::size_t n) : rows_(rows), n_(n), numbers_(rows * Table::pitch_of(n)) {}

    Table table() { return {numbers_.data(), n_, Table::pitch_of(n_)}; }

    nb::object array() {
        npy_intp shape[] = {static_cast<npy_intp>(rows_), static_cast<npy_intp>(n_)};
        const nb::object result = nb::steal(PyArray_SimpleNew(2, shape, NPY_DOUBLE));
        if (!result.is_valid()) throw nb::python_error();
        double* to = static_cast<double*>(PyArray_DATA(array_of(result)));
        for (std::size_t i = 0; i < rows_; ++i, to += n_) std::copy_n(table().row(i), n_, to);
        return result;
    }

  private:
    std::size_t rows_, n_;
    std::vector<double> numbers_;
};

// C-contiguous, in the machine's byte order, of this rank.
inline Input plain_input(nb::handle x, int rank) {
    Input input = input_of(x);
    if (input.view.rank != rank || input.view.swapped || !PyArray_ISCARRAY_RO(input.array)) {
        raise("ShapeError", "the array has to be C-contiguous, of rank " + std::to_string(rank) +
                                " and in native byte order; got shape " + shape_of(input));
    }
    return input;
}

// Rows of float64.
inline Numbers numbers_of(nb::handle x, std::size_t rows) {
    const Input input = plain_input(x, 2);
    if (input.view.format != Format::f64 || input.view.shape[0] != static_cast<std::int64_t>(rows))
        raise("ShapeError", "the numbers have to be " + std::to_string(rows) + " rows of float64");
    const std::size_t n = static_cast<std::size_t>(input.view.shape[1]);
    Numbers numbers(rows, n);
    for (std::size_t i = 0; i < rows; ++i)
        std::copy_n(reinterpret_cast<const double*>(input.view.data) + i * n, n, numbers.table().row(i));
    return numbers;
}

inline std::size_t float_place(const Input& x) {
    if (is_float(x.view.format) && !is_byte_float(x.view.format))
        return static_cast<std::size_t>(x.view.format);
    raise("DtypeError", name_of(x.view.format) + " has no certificates; allowed are float16 to float64");
}

// The states of a method over each set, a row for each of their numbers.
inline nb::object certified_states(const std::string& method, unsigned code, nb::handle x, nb::handle axes) {
    const Sets sets(x, axes, false);
    const CertifiedMethod found = certified_method(method, sets.x.view.format, static_cast<Map>(code & 15));
    if (found.method.init == nullptr)
        raise("UnsupportedOperator", "no method '" + method + "' for " + name_of(sets.x.view.format));
    Numbers states(found.reader->rows, static_cast<std::size_t>(sets.outputs));
    read_states(sets.x.view, sets.reduced, found, states.table());
    return states.array();
}

inline Finish finish_of(unsigned finalize, std::int64_t count, Format format) {
    return {static_cast<Finalize>(finalize), format, count};
}

// What the certificate says of the results of totals hi, lo, bound: hi, lo and bound.
inline nb::object certified_results(nb::handle totals, unsigned finalize, std::int64_t count, bool interval) {
    Numbers from = numbers_of(totals, 3), to(3, from.table().n);
    const FloatingPointScope scope;
    current_instruction_set().certificates->finalized(from.table(), finish_of(finalize, count, Format::f64),
                                                      interval, to.table());
    return to.array();
}

// The rounded results of totals hi, lo, bound, and which of them are not certain.
inline nb::tuple tested_results(nb::handle totals, unsigned finalize, std::int64_t count, nb::handle dtype,
                                bool interval) {
    Numbers from = numbers_of(totals, 3);
    const Format format = checked_format(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
    npy_intp n = static_cast<npy_intp>(from.table().n);
    const nb::object results = nb::steal(PyArray_NewFromDescr(&PyArray_Type, descr_of(format), 1, &n, nullptr,
                                                              nullptr, 0, nullptr)),
                     failed = nb::steal(PyArray_ZEROS(1, &n, NPY_BOOL, 0));
    if (!results.is_valid() || !failed.is_valid()) throw nb::python_error();
    const FloatingPointScope scope;
    current_instruction_set().certificates->tested(
        from.table(), finish_of(finalize, count, format), interval, PyArray_DATA(array_of(results)),
        static_cast<std::uint8_t*>(PyArray_DATA(array_of(failed))));
    return nb::make_tuple(results, failed);
}

// Of whole sets of up to 64 elements, the rows of x: hi, lo, bound; kind 0 to 2 is the map of a sum, 3 a
// product.
inline nb::object certified_short_sets(unsigned kind, nb::handle x) {
    const Input input = plain_input(x, 2);
    const std::size_t format = float_place(input), rows = static_cast<std::size_t>(input.view.shape[0]),
                      n = static_cast<std::size_t>(input.view.shape[1]);
    if (kind > 3 || rows < 1 || rows > short_elements)
        raise("ShapeError", "short sets have 1 to 64 elements; got shape " + shape_of(input));
    Numbers to(3, n);
    const FloatingPointScope scope;
    current_instruction_set().certificates->short_sets[format][kind](input.view.data, input.view.strides[0],
                                                                     rows, to.table());
    return to.array();
}

// The prefixes of a block of a row after a carry: hi, lo and bound; None where that is no way for it.
inline nb::object certified_prefixes(unsigned way, nb::handle x, double hi, double lo, double bound) {
    const Input input = plain_input(x, 1);
    const std::size_t format = float_place(input), n = static_cast<std::size_t>(input.count);
    if (n > scan_elements || n == 0 || way > 3)
        raise("ShapeError", "a block has 1 to 512 elements and its ways are 0 to 3");
    Numbers to(3, n);
    const FloatingPointScope scope;
    const bool found = current_instruction_set().certificates->prefixes[format](
        static_cast<PrefixWay>(way), {hi, lo, bound}, input.view.data, to.table());
    return found ? to.array() : nb::none();
}

// The totals of columns after all rows have been scanned, `batch` at a time: hi, lo and bound.
inline nb::object certified_columns(nb::handle x, std::size_t batch) {
    const Input input = plain_input(x, 2);
    float_place(input);
    const std::size_t rows = static_cast<std::size_t>(input.view.shape[0]),
                      n = static_cast<std::size_t>(input.view.shape[1]);
    const bool tall = batch > scan_rows;
    if (n < (tall ? scan_lines : 1) || n > tile_columns || batch < 1 || batch > tall_rows)
        raise("ShapeError", "columns are 1 to 1024, from batches of more than 4 rows on 8, of up to 32");
    Numbers to(3, n);
    read_scanned(input.view.data, rows, batch, input.view.format, to.table());
    return to.array();
}

// An elementary function of hi + lo, in two words.
inline nb::object elementary(unsigned function, nb::handle x) {
    Numbers from = numbers_of(x, 2), to(2, from.table().n);
    if (function > static_cast<unsigned>(Elementary::double_logarithm))
        raise("UnsupportedOperator", "elementary functions are 0 to 14; got " + std::to_string(function));
    const FloatingPointScope scope;
    current_instruction_set().certificates->elementary(static_cast<Elementary>(function), from.table(),
                                                       to.table());
    return to.array();
}

// Sigmoid to cosine by their numbers, from 0: hi, lo and bound of step 0, which is rounded if that is
// certain, of the two words of step 1, which decide what is not, or of step 2, which is before these in
// float64. The bound of 0 and 1 is not told.
inline nb::object smooth_function(unsigned function, unsigned step, nb::handle x) {
    Numbers from = numbers_of(x, 1), to(3, from.table().n);
    if (function >= unary_count - first_smooth || step > static_cast<unsigned>(SmoothStep::close))
        raise("UnsupportedOperator", "smooth functions are 0 to 7 and steps 0 to 2; got " +
                                         std::to_string(function) + " and " + std::to_string(step));
    const FloatingPointScope scope;
    current_instruction_set().certificates->smooth(static_cast<Unary>(first_smooth + function),
                                                   static_cast<SmoothStep>(step), from.table(), to.table());
    return to.array();
}

// The dot products of the rows of two arrays, or of their columns: hi, lo and bound.
inline nb::object certified_dots(nb::handle a, nb::handle b, bool columns) {
    const Input x = plain_input(a, 2), y = plain_input(b, 2);
    const std::size_t format = float_place(x), rows = static_cast<std::size_t>(x.view.shape[0]),
                      n = static_cast<std::size_t>(x.view.shape[1]), count = columns ? n : rows,
                      length = columns ? rows : n;
    const bool alike = y.view.format == x.view.format && y.view.shape[0] == x.view.shape[0] &&
                       y.view.shape[1] == x.view.shape[1];
    if (!alike || count < 1 || count > tile_columns || length < 1 || length > block_elements)
        raise("ShapeError", "both operands are 1 to 1024 vectors of 1 to 8192 elements, of one type");
    const FloatingPointScope scope;
    const DotMethods& methods = *current_instruction_set().dots;
    const Method& method = methods.floats[format];
    const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(n * size_of(x.view.format));
    const PairRows pair{x.view.data, y.view.data, step, false};
    const TileScope tile;
    method.init(tile.tile(), count);
    if (columns)
        method.columns(tile.tile(), &pair, step, rows, n);
    else
        method.lanes(tile.tile(), 0, &pair, n, step, rows);
    Numbers to(3, count);
    for (std::size_t j = 0; j < count; ++j) {
        const Sum total = methods.total[format](tile.tile(), j, static_cast<std::int64_t>(length));
        to.table().row(0)[j] = total.hi;
        to.table().row(1)[j] = total.lo;
        to.table().row(2)[j] = total.bound;
    }
    return to.array();
}

// What the lines of a normalization are measured at: centre, offset in two words and its bound, the inverse
// divisor in two words and its relative bound, and whether they are known.
inline nb::object certified_lines(nb::handle x, bool centred, bool words, double inside) {
    const Input input = plain_input(x, 2);
    const std::size_t format = float_place(input), count = static_cast<std::size_t>(input.view.shape[0]),
                      n = static_cast<std::size_t>(input.view.shape[1]);
    if (n < 1 || (words && format == static_cast<std::size_t>(Format::f64)))
        raise("ShapeError", "lines have elements, and those of float64 are in words at once");
    const FloatingPointScope scope;
    const NormMethods& methods = *current_instruction_set().norms;
    const NormRow row{Divisor::squares, centred, true, false, inside, 0};
    std::vector<const char*> at;
    for (std::size_t k = 0; k < count; ++k)
        at.push_back(input.view.data + k * n * size_of(input.view.format));
    std::vector<NormLine> lines(count);
    if (!words) methods.measure[format](row, at.data(), n, count, lines.data());
    for (std::size_t k = 0; words && k < count; ++k)
        methods.measure_words(row, methods.widen[format], size_of(input.view.format), at[k], n, &lines[k]);
    Numbers to(8, count);
    for (std::size_t k = 0; k < count; ++k) {
        const NormLine& l = lines[k];
        const double numbers[] = {l.centre,  l.offset,       l.offset_rest,   l.offset_error,
                                  l.inverse, l.inverse_rest, l.inverse_error, l.is_known ? 1.0 : 0.0};
        for (std::size_t i = 0; i < 8; ++i) to.table().row(i)[k] = numbers[i];
    }
    return to.array();
}

// One query of attention over float32: the means in doubles and their bounds by weighted magnitudes, then the
// words of the second tier and theirs.
inline nb::object certified_attention(nb::handle query, nb::handle keys, nb::handle values, nb::handle mask,
                                      double scale, double scale_rest, double cap) {
    const AttentionMethods& method = *current_instruction_set().attention;
    const Input k = plain_input(keys, 2), v = plain_input(values, 2);
    const auto size = [](const Input& x, int axis) { return static_cast<std::size_t>(x.view.shape[axis]); };
    const std::size_t count = size(k, 0), terms = size(k, 1), columns = size(v, 1);
    if (k.view.format != Format::f32 || v.view.format != Format::f32 || size(v, 0) != count)
        raise("ShapeError", "keys and values have to be as many rows of float32");
    Numbers q = numbers_of(query, 1), added = numbers_of(mask, 1);
    const auto padded = [&](std::size_t n) { return (n + method.lanes - 1) / method.lanes * method.lanes; };
    const std::size_t lanes = padded(count), places = padded(columns);
    std::vector<double> panels(lanes * terms), norms(lanes), means(places * count), greatest(places),
        weights(lanes), out(lanes, -HUGE_VAL), sums(places), room(6 * lanes), words(3 * method.lanes);
    std::copy_n(added.table().row(0), count, out.data());
    const std::ptrdiff_t float_size = 4, key_size = float_size * static_cast<std::ptrdiff_t>(terms),
                         value_size = float_size * static_cast<std::ptrdiff_t>(columns);
    method.pack[2]({k.view.data, key_size, float_size, count, terms}, panels.data());
    method.norms(panels.data(), count, terms, norms.data());
    method.pack[2]({v.view.data, float_size, value_size, columns, count}, means.data());
    method.greatest(means.data(), columns, count, greatest.data());
    const double* const x = q.table().row(0);
    double norm = 0;
    for (std::size_t t = 0; t < terms; ++t) norm += x[t] * x[t];
    norm = std::sqrt(norm) * (1 + static_cast<double>(terms + 4) * 0x1p-52);
    const ScoreRow row{{scale, scale_rest, cap},
                       norm,
                       packed_depth(terms),
                       terms,
                       lanes,
                       norms.data(),
                       out.data(),
                       Shown::none};
    method.multiply(x, terms, 1, panels.data(), terms, lanes, terms, weights.data(), lanes);
    const RowFacts facts = method.weigh(row, weights.data(), nullptr, nullptr);
    method.multiply(weights.data(), lanes, 1, means.data(), count, places, count, sums.data(), places);
    const MeanError error = MeanError::of(facts, count, method.lanes / 2);
    const RowFacts in_words = method.weigh_words(row, x, panels.data(), room.data());
    Numbers to(5, columns);
    for (std::size_t c = 0; c < columns; ++c) {
        const std::size_t lane = c % method.lanes;
        const double* const panel = means.data() + (c - lane) * count;
        if (lane == 0) {
            method.magnitudes(panel, weights.data(), count, facts.total, greatest.data() + c);
            method.average_words(panel, room.data(), lanes, count, in_words, words.data());
        }
        const double mean = sums[c] / facts.total;
        to.table().row(0)[c] = mean;
        to.table().row(1)[c] = greatest[c] * error.of_values + magnitude(mean) * error.of_mean;
        for (std::size_t i = 0; i < 3; ++i) to.table().row(2 + i)[c] = words[i * method.lanes + lane];
    }
    return to.array();
}

inline void define_certificates(nb::module_& m) {
    m.def("certified_states", &certified_states, "method"_a, "code"_a, "x"_a, "axes"_a.none());
    m.def("certified_results", &certified_results, "totals"_a, "finalize"_a, "count"_a, "interval"_a);
    m.def("tested_results", &tested_results, "totals"_a, "finalize"_a, "count"_a, "dtype"_a, "interval"_a);
    m.def("certified_short_sets", &certified_short_sets, "kind"_a, "x"_a);
    m.def("certified_prefixes", &certified_prefixes, "way"_a, "x"_a, "hi"_a, "lo"_a, "bound"_a);
    m.def("certified_columns", &certified_columns, "x"_a, "batch"_a);
    m.def("elementary", &elementary, "function"_a, "x"_a);
    m.def("smooth_function", &smooth_function, "function"_a, "step"_a, "x"_a);
    m.def("certified_dots", &certified_dots, "a"_a, "b"_a, "columns"_a);
    m.def("certified_attention", &certified_attention, "query"_a, "keys"_a, "values"_a, "mask"_a, "scale"_a,
          "scale_rest"_a, "cap"_a);
    m.def("certified_lines", &certified_lines, "x"_a, "centred"_a, "words"_a, "inside"_a);
}

}  // namespace samesum::python
