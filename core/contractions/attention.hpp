// Attention, end to end.
#pragma once

#include <vector>

#include "layout/plan.hpp"
#include "methods/attention_method.hpp"

namespace samesum {

// Steps in bytes: of each axis of the batch, of rows and of what they are made of.
struct AttentionOperand {
    const char* data = nullptr;
    Format format{};
    std::int64_t batch[max_rank], row, term;
};

// Queries, keys and values of float16, bfloat16 or float32 in native byte order. A mask is of booleans or of
// any float of more than eight bits, `ends` of 64-bit integers: how many keys each query sees at most. Both
// may be missing.
struct AttentionCall {
    int rank;
    std::int64_t shape[max_rank];  // of the batch
    std::int64_t queries, keys, size, columns;
    AttentionOperand query, key, value, mask, ends;
    ScoreScale scale;
    Shown shown;
    Format result;
    char *out, *shown_out;  // C-contiguous
};

// The places of results that no bound decides.
struct AttentionLeft {
    std::vector<std::int64_t> out, shown;
};

inline std::int64_t attention_batches(const AttentionCall& call) {
    std::int64_t count = 1;
    for (int i = 0; i < call.rank; ++i) count *= call.shape[i];
    return count;
}

// So many multiply-adds take as long as a byte of a reduction.
constexpr std::int64_t multiply_adds_of_a_byte = 4;

inline std::int64_t attention_bytes(const AttentionCall& call) {
    return attention_batches(call) * call.queries * call.keys * (call.size + call.columns + 8) /
           multiply_adds_of_a_byte;
}

// A row whose keys are all left out has zeros; one with NaN or +infinity among its scores NaN. A score of
// -infinity leaves its key out: that and its value have no influence at all.
AttentionLeft attention(const AttentionCall& call);

}  // namespace samesum
