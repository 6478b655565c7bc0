// Figures of arrays that come in windows. Included by module.cpp alone.
#pragma once

#include "python/reductions.hpp"
#include "run/statistics.hpp"

namespace samesum::python {

// The rows of a C-contiguous array of rank 2, one for each output.
inline PyArrayObject* checked_rows(nb::handle x, std::int64_t outputs) {
    PyArrayObject* array = checked_array(x, "x");
    if (PyArray_NDIM(array) != 2 || PyArray_DIM(array, 0) != outputs || !PyArray_ISCARRAY_RO(array))
        raise("ShapeError",
              "x has to be C-contiguous, aligned and of shape [" + std::to_string(outputs) + ", n]");
    return array;
}

inline void construct_statistics(Statistics* self, nb::handle dtype, std::int64_t outputs) {
    const Format format = format_in(dtype);
    if (!is_float(format) || is_byte_float(format) || outputs < 0)
        raise("DtypeError", "statistics of " + name_of(format) + ", " + std::to_string(outputs) + " outputs");
    new (self) Statistics(format, outputs);
}

inline void add_to_statistics(Statistics& statistics, nb::handle x) {
    PyArrayObject* array = checked_rows(x, static_cast<std::int64_t>(statistics.sets().size()));
    if (checked_format(PyArray_DESCR(array)) != statistics.format())
        raise("DtypeError", "the statistics are of " + name_of(statistics.format()));
    const char* data = static_cast<const char*>(PyArray_DATA(array));
    unlocked(PyArray_NBYTES(array), [&] { statistics.add(data, PyArray_DIM(array, 1)); });
}

inline bool add_file_to_statistics(Statistics& statistics, int descriptor, std::int64_t offset,
                                   std::int64_t n) {
    if (statistics.sets().size() != 1 || descriptor < 0 || offset < 0 || n < 0 || n > INT64_MAX / 16)
        raise("ShapeError",
              "a file is of one set, from an offset and of a number of elements that are not negative");
    bool is_read = false;
    unlocked(n * static_cast<std::int64_t>(size_of(statistics.format())),
             [&] { is_read = statistics.add_file(descriptor, offset, n); });
    return is_read;
}

// An int64 array of shape [outputs, 8]: NaNs, +inf, -inf, zeros, subnormals; of the finite elements the least
// and the greatest key and the bits of the least magnitude that is not zero.
inline nb::object counted_statistics(const Statistics& statistics) {
    npy_intp shape[] = {static_cast<npy_intp>(statistics.sets().size()), 8};
    const nb::object result = nb::steal(PyArray_SimpleNew(2, shape, NPY_INT64));
    if (!result.is_valid()) throw nb::python_error();
    std::int64_t* to = static_cast<std::int64_t*>(PyArray_DATA(array_of(result)));
    for (const SetStatistics& set : statistics.sets()) {
        to = std::copy(set.counts.begin(), set.counts.end(), to);
        *to++ = set.least;
        *to++ = set.greatest;
        *to++ = set.smallest;
    }
    return result;
}

inline nb::bytes encoded_statistics(const Statistics& statistics, std::size_t map) {
    if (map > 2) raise("AttributeValueError", "map " + std::to_string(map) + "; allowed are 0 to 2");
    const std::string bytes = statistics.encoded(map);
    return nb::bytes(bytes.data(), bytes.size());
}

inline void count_bytes_of(nb::handle x, nb::handle counts) {
    PyArrayObject* to = checked_array(counts, "counts");
    if (PyArray_NDIM(to) != 2 || PyArray_DIM(to, 1) != 256 || PyArray_TYPE(to) != NPY_INT64 ||
        !PyArray_ISCARRAY(to))
        raise("ShapeError", "the counts have to be a writeable int64 array of shape [outputs, 256]");
    PyArrayObject* array = checked_rows(x, PyArray_DIM(to, 0));
    if (PyArray_TYPE(array) != NPY_UINT8) raise("DtypeError", "the elements have to be uint8");
    unlocked(PyArray_NBYTES(array), [&] {
        count_bytes(static_cast<const unsigned char*>(PyArray_DATA(array)), PyArray_DIM(array, 0),
                    PyArray_DIM(array, 1), static_cast<std::int64_t*>(PyArray_DATA(to)));
    });
}

inline PyArrayObject* checked_counts(nb::handle counts, std::int64_t most) {
    PyArrayObject* to = checked_array(counts, "counts");
    if (PyArray_NDIM(to) != 1 || PyArray_DIM(to, 0) > most || PyArray_TYPE(to) != NPY_INT64 ||
        !PyArray_ISCARRAY(to))
        raise("ShapeError", "the counts have to be a writeable int64 array of rank 1");
    return to;
}

inline void count_words_of(nb::handle x, nb::handle counts) {
    PyArrayObject* to = checked_counts(counts, 1 << 16);
    PyArrayObject* array = checked_array(x, "x");
    if (PyArray_TYPE(array) != NPY_UINT16 || !PyArray_ISCARRAY_RO(array) || PyArray_DIM(to, 0) != 1 << 16)
        raise("ShapeError", "x has to be C-contiguous, aligned uint16, with 65536 counts");
    unlocked(PyArray_NBYTES(array), [&] {
        count_words(static_cast<const std::uint16_t*>(PyArray_DATA(array)), PyArray_SIZE(array),
                    static_cast<std::int64_t*>(PyArray_DATA(to)));
    });
}

// How many finite elements are in no bin.
inline std::int64_t count_bins_of(nb::handle x, int exponent, std::int64_t first, nb::handle counts) {
    constexpr std::int64_t far = (std::int64_t{1} << 30) - 1, most_bins = 1 << 16, most_exponent = 1000;
    PyArrayObject* to = checked_counts(counts, most_bins);
    PyArrayObject* array = checked_array(x, "x");
    const bool is_float = PyArray_TYPE(array) == NPY_FLOAT32;
    if (!(is_float || PyArray_TYPE(array) == NPY_FLOAT64) || !PyArray_ISCARRAY_RO(array))
        raise("DtypeError", "x has to be C-contiguous, aligned float32 or float64");
    const Bins bins{exponent, first, PyArray_DIM(to, 0)};
    if (first < -far || first > far - bins.size || exponent < -most_exponent || exponent > most_exponent)
        raise("AttributeValueError", "bins have to begin below 2^30 times 2^-1000 to 2^1000");
    std::int64_t* const counted = static_cast<std::int64_t*>(PyArray_DATA(to));
    std::int64_t outside = 0;
    unlocked(PyArray_NBYTES(array), [&] {
        const void* data = PyArray_DATA(array);
        outside = is_float ? count_bins(static_cast<const float*>(data), PyArray_SIZE(array), bins, counted)
                           : count_bins(static_cast<const double*>(data), PyArray_SIZE(array), bins, counted);
    });
    return outside;
}

inline void define_statistics(nb::module_& m) {
    nb::class_<Statistics>(m, "Statistics")
        .def("__init__", &construct_statistics, "dtype"_a, "outputs"_a)
        .def("add", &add_to_statistics, "x"_a)
        .def("add_file", &add_file_to_statistics, "descriptor"_a, "offset"_a, "n"_a)
        .def("counted", &counted_statistics)
        .def("encoded", &encoded_statistics, "map"_a);
    m.def("count_bytes", &count_bytes_of, "x"_a, "counts"_a);
    m.def("count_words", &count_words_of, "x"_a, "counts"_a);
    m.def("count_bins", &count_bins_of, "x"_a, "exponent"_a, "first"_a, "counts"_a);
}

}  // namespace samesum::python
