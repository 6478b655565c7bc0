// Attention from Python. Included by module.cpp alone.
#pragma once

#include "python/reductions.hpp"
#include "contractions/attention.hpp"

namespace samesum::python {

// The steps of an operand whose axes are those of the batch and two more, or one for `ends`.
inline AttentionOperand attention_operand(const Input& x, const char* name, AttentionCall& call, int more,
                                          std::int64_t rows, std::int64_t terms) {
    AttentionOperand operand{x.view.data, x.view.format, {}, 0, 0};
    const std::int64_t last[] = {rows, terms};
    bool fits = x.view.rank == call.rank + more && !x.view.swapped;
    for (int i = 0; fits && i < call.rank + more; ++i) {
        fits = x.view.shape[i] == (i < call.rank ? call.shape[i] : last[i - call.rank]);
        (i < call.rank ? operand.batch[i] : i == call.rank ? operand.row : operand.term) = x.view.strides[i];
    }
    if (!fits)
        raise("ShapeError", std::string(name) + " of attention has shape " + shape_of(x) +
                                ", which does not fit the batch of the queries");
    return operand;
}

inline nb::object places(const std::vector<std::int64_t>& found) {
    npy_intp count = static_cast<npy_intp>(found.size());
    const nb::object array = nb::steal(PyArray_SimpleNew(1, &count, NPY_INT64));
    if (!array.is_valid()) throw nb::python_error();
    if (count > 0) std::memcpy(PyArray_DATA(array_of(array)), found.data(), found.size() * sizeof found[0]);
    return array;
}

// All operands have the axes of one batch; what is shown is a number of `Shown`. Results, what is shown or
// None, and the places in both that are left to be decided.
inline nb::tuple attention(nb::handle query, nb::handle key, nb::handle value, nb::handle mask,
                           nb::handle ends, double scale, double scale_rest, double cap, int shown) {
    const Input q = input_of(query), k = input_of(key), v = input_of(value);
    for (const Input* x : {&q, &k, &v}) {
        if (x->view.format > Format::f32 || x->view.rank < 2)
            raise("DtypeError", "attention of " + name_of(x->view.format) + " and shape " + shape_of(*x) +
                                    "; allowed are float16, bfloat16 and float32, and two axes or more");
    }
    AttentionCall call{};
    call.rank = q.view.rank - 2;
    std::copy_n(q.view.shape, call.rank, call.shape);
    call.queries = q.view.shape[call.rank], call.size = q.view.shape[call.rank + 1];
    call.keys = k.view.shape[k.view.rank - 2], call.columns = v.view.shape[v.view.rank - 1];
    call.query = attention_operand(q, "q", call, 2, call.queries, call.size);
    call.key = attention_operand(k, "k", call, 2, call.keys, call.size);
    call.value = attention_operand(v, "v", call, 2, call.keys, call.columns);
    std::optional<Input> masks, all_ends;
    if (!mask.is_none()) {
        const Input& x = masks.emplace(input_of(mask));
        if (x.view.format > Format::f64 && x.view.format != Format::boolean)
            raise("DtypeError", "a mask of " + name_of(x.view.format) + "; allowed are bool and floats");
        call.mask = attention_operand(x, "the mask", call, 2, call.queries, call.keys);
    }
    if (!ends.is_none()) {
        const Input& x = all_ends.emplace(input_of(ends));
        if (x.view.format != Format::i64) raise("DtypeError", "the numbers of keys have to be int64");
        call.ends = attention_operand(x, "the number of keys", call, 1, call.queries, 0);
    }
    if (q.view.format != k.view.format)
        raise("DtypeError",
              "queries of " + name_of(q.view.format) + " and keys of " + name_of(k.view.format));
    call.scale = {scale, scale_rest, cap};
    call.shown = static_cast<Shown>(shown);
    call.result = q.view.format;
    npy_intp shape[max_rank + 2];
    std::copy_n(q.view.shape, call.rank + 1, shape);
    shape[call.rank + 1] = call.columns;
    Output output(nb::none(), q.array, call.result, call.rank + 2, shape);
    call.out = static_cast<char*>(output.data());
    std::optional<Output> shown_output;
    if (call.shown != Shown::none) {
        shape[call.rank + 1] = call.keys;
        shown_output.emplace(nb::none(), q.array, call.result, call.rank + 2, shape);
        call.shown_out = static_cast<char*>(shown_output->data());
    }
    AttentionLeft left;
    unlocked(attention_bytes(call), [&] { left = samesum::attention(call); });
    return nb::make_tuple(output.finished(), shown_output ? shown_output->finished() : nb::none(),
                          places(left.out), places(left.shown));
}

}  // namespace samesum::python
