# Lemma 43: 2 artanh(v / (2 + v)) as `logarithm_of_one_plus(Doubles)` computes it, for v above zero: the quotient is off
# by 2^-52, and what is added to it, once w is the square of the rounded quotient, by 2^-56.
@rnd = float<ieee_64, ne>;
v = rnd(any_v);
below rnd= 2 + v;
s rnd= v / below;
w = rnd(s * s);
q0 = rnd(w * 0x1.02cbb4f6abcb3p-4 + 0x1.da5426ebd51dfp-5);
q1 = rnd(w * q0 + 0x1.113eeed150d0cp-4);
q2 = rnd(w * q1 + 0x1.3b1264101e254p-4);
q3 = rnd(w * q2 + 0x1.745d1d12c9b8ep-4);
q4 = rnd(w * q3 + 0x1.c71c71b789d77p-4);
q5 = rnd(w * q4 + 0x1.249249249e151p-3);
q6 = rnd(w * q5 + 0x1.999999999990ep-3);
q7 = rnd(w * q6 + 0x1.5555555555555p-2);
part = rnd(w * q7);

P0 = w * 0x1.02cbb4f6abcb3p-4 + 0x1.da5426ebd51dfp-5;
P1 = w * P0 + 0x1.113eeed150d0cp-4;
P2 = w * P1 + 0x1.3b1264101e254p-4;
P3 = w * P2 + 0x1.745d1d12c9b8ep-4;
P4 = w * P3 + 0x1.c71c71b789d77p-4;
P5 = w * P4 + 0x1.249249249e151p-3;
P6 = w * P5 + 0x1.999999999990ep-3;
P7 = w * P6 + 0x1.5555555555555p-2;

{ v in [1b-900, 0.5] ->
  s -/ (v / (2 + v)) in [-1025b-62, 1025b-62]
  /\ |w| in [0, 0.0401]
  /\ part - w * P7 in [-1b-56, 1b-56] }
