// An exact total as bytes, the same for the same total: docs/states.md says what each of them means.
#pragma once

#include <cstdint>
#include <string>

#include "exact/methods.hpp"
#include "exact/totals/superaccumulator.hpp"

namespace samesum {

void encode(const Superaccumulator& total, std::string& to);
void encode(const WholeWords& total, std::string& to);

// Reads one total and moves on; false if there is none in the canonical form.
bool decode(const char*& from, const char* end, Superaccumulator& total);
bool decode(const char*& from, const char* end, WholeWords& total);

}  // namespace samesum
