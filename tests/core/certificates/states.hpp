// What methods know of sets before they round anything, for the tests of their bounds.
#pragma once

#include <string_view>

#include "certificates/certificates.hpp"
#include "layout/plan.hpp"

namespace samesum {

// A method that certifies its results, and how its states are read.
struct CertifiedMethod {
    Method method;
    const StateReader* reader;
};

// By its name: lanes, few, singles, double_words, double_words_few, grids, ranges, products, exponentials,
// exponential_words. Empty where it does not serve this format and map.
CertifiedMethod certified_method(std::string_view name, Format in, Map map);

// The states of all elements of each set, in the order of the outputs.
void read_states(const View& x, const bool* reduced, const CertifiedMethod& certified, const Table& to);

// The totals of the columns of rows that follow one another, `batch` of which are scanned at a time.
void read_scanned(const char* x, std::size_t rows, std::size_t batch, Format format, const Table& to);

}  // namespace samesum
