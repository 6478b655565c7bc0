# Lemma 47: what is rounded in the growth of a power of e in floats (`powers_of<true>`). r is the rounded argument,
# exact the one less the last part of k ln 2 / 32, of which `lower` is the rest; rest is that of the root.
@flt = float<ieee_32, ne>;
r = flt(any_r);
exact = flt(any_exact);

rest = flt(any_rest);
q0 = flt(r * 0x1.555556p-3 + 0x1.000088p-1);
square = flt(r * r);
q1 = flt(square * q0 + rest);
q2 = flt(lower + q1);
growth = flt(exact + q2);

P = r * 0x1.555556p-3 + 0x1.000088p-1;

{ |r| in [0, 0.01086] /\ |exact| in [0, 0.01086] /\ |lower| in [0, 1b-22] /\ |rest| in [0, 1b-24] ->
  growth - (exact + lower + r * r * P + rest) in [-17b-35, 17b-35] }

growth - (exact + lower + r * r * P + rest) ->
  (growth - (exact + q2)) + (q2 - (lower + q1)) + (q1 - (square * q0 + rest)) + (square * q0 - r * r * P);
