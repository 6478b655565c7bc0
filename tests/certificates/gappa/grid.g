# Lemma 17: v = q + r for |v| <= 2 by a shift of 6 (GridOf with an exponent of zero): q is a multiple of 2^-50, r is
# not above 2^-51 and v - q, and the difference that gives q rounds nothing.
@rnd = float<ieee_64, ne>;
v = rnd(any_v);
moved = rnd(v + 6);
q = rnd(moved - 6);

{ v in [-2, 2] ->
  @FIX(q, -50)
  /\ q - (moved - 6) in [0, 0]
  /\ moved - (v + 6) in [-1b-51, 1b-51]
  /\ v - q in [-1b-51, 1b-51] }

v - q -> (v + 6 - moved) - (q - (moved - 6));
v + 6 - moved -> -(moved - (v + 6));
