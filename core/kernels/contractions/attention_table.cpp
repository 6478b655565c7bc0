// Attention: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/contractions/attention_words.hpp"

namespace samesum::SAMESUM_ISA {

extern const AttentionMethods attention;
const AttentionMethods attention{
    panel_lanes,
    {pack_panels<Float16>, pack_panels<Bfloat16>, pack_panels<Float32>},
    panel_norms,
    panel_greatest,
    clear_panels,
    multiply_panels,
    {multiply_keys<Float16>, multiply_keys<Bfloat16>, multiply_keys<Float32>},
    {weigh_values<Float16>, weigh_values<Bfloat16>, weigh_values<Float32>},
    weigh_row,
    panel_magnitudes,
    {finish_averages<Format::f16>, finish_averages<Format::bf16>, finish_averages<Format::f32>},
    {certify_numbers<Format::f16>, certify_numbers<Format::bf16>, certify_numbers<Format::f32>},
    weigh_row_in_words,
    average_words};

}  // namespace samesum::SAMESUM_ISA
