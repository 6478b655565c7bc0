# Lemma 37: e^r - 1 as `exponential(const Sixteenths&)` computes it is rounded by less than 2^-57.6, and its product
# with a root of the table by less than 2^-52.9 of it. The polynomial's own error is in test_polynomials.py.
@rnd = float<ieee_64, ne>;
r = rnd(any_r);
root = rnd(any_root);
q0 = rnd(r * 0x1.6c185e4ba9534p-10 + 0x1.11123b390b495p-7);
q1 = rnd(r * q0 + 0x1.555555545e68fp-5);
q2 = rnd(r * q1 + 0x1.555555548ed4ap-3);
q3 = rnd(r * q2 + 0x1.0000000000005p-1);
square = rnd(r * r);
growth = rnd(square * q3 + r);
power = rnd(root * growth + root);

P0 = r * 0x1.6c185e4ba9534p-10 + 0x1.11123b390b495p-7;
P1 = r * P0 + 0x1.555555545e68fp-5;
P2 = r * P1 + 0x1.555555548ed4ap-3;
P3 = r * P2 + 0x1.0000000000005p-1;
G = r * r * P3 + r;

{ |r| in [0, 0x1.6314p-6] /\ root in [0.5, 1] ->
  growth - G in [-3b-59, 3b-59]
  /\ power - root * (1 + G) in [-9b-56, 9b-56] }

power - root * (1 + G) -> (power - (root * growth + root)) + root * (growth - G);
