// Convolutions of three neighbouring taps and more with half of the multiplications. (Lemma 91)
#pragma once

#include <optional>

#include "contractions/windows.hpp"

namespace samesum {

// What has four outputs side by side as one column: six neighbouring elements for three taps of the last
// axis. Nothing where that saves too little.
std::optional<std::vector<Taps>> winograd_taps(const Contraction& call, const std::vector<Taps>& axes);

// convolve(call, x, axes) by these products; false, with any results, where too many of them are in doubt.
// `b` of the call has the windows, `tiles` those of winograd_taps.
bool convolve_by_winograd(const Contraction& call, const ContractionOperand& tiles,
                          const std::vector<Taps>& axes);

}  // namespace samesum
