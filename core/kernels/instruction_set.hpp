// The instruction sets compiled in, and the one in use.
#pragma once

#include <string>

#include "methods/attention_method.hpp"
#include "methods/contraction_method.hpp"
#include "methods/kept_blocks.hpp"
#include "methods/norm_method.hpp"
#include "methods/short_method.hpp"
#include "methods/tables.hpp"

namespace samesum {

struct Certificates;

struct InstructionSet {
    const char* name;
    const Methods* methods;
    const ScanMethods* scans;
    const ProductMethods* products;
    const SearchMethods* searches;
    const ExponentialMethods* exponentials;
    const TransposeMethods* transposes;
    const NormalizationMethods* normalizations;
    const WholeMethods* whole;
    const ShortMethods* shorts;
    const ShortIntegerMethods* short_integers;
    const ElementwiseMethods* elementwise;
    const SmoothMethods* smooth;
    const Certificates* certificates;  // in builds with SAMESUM_TEST_HOOKS
    const KeptBlocks* kept_blocks;
    const StatisticsMethods* statistics;
    const SpreadMethods* spreads;
    const NormMethods* norms;
    const DotMethods* dots;
    const ExtremeScanMethods* extreme_scans;
    const MaskMethods* masking;
    const WindowMethods* windows;
    const ContractionMethods* contractions;
    const AttentionMethods* attention;
    bool (*is_supported)();
};

// From the lowest to the highest.
extern const InstructionSet instruction_sets[];
extern const std::size_t instruction_set_count;

const InstructionSet& current_instruction_set();

// What to say where this machine has none of them, and nothing but this may be called; empty elsewhere.
std::string missing_instruction_set();

// False if there is no such set, or if this machine lacks it.
bool select_instruction_set(const char* name);

}  // namespace samesum
