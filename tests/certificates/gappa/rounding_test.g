# Lemma 5: what `widened` makes of a bound is off by less than 2^-51 of what it stands for, of any magnitude; and the
# ends of the interval are rounded by 2^-53 of themselves.
@rnd = float<ieee_64, ne>;
value = rnd(any_value);
bound = rnd(any_bound);
room rnd= bound * 0x1.004p0;
some rnd= value * 1b-52;
both rnd= room + some;
wide rnd= both + 1b-1070;
low rnd= value - wide;
high rnd= value + wide;

{ value in [1b-900, 1b1000] /\ bound in [1b-1000, 1b1000] ->
  wide -/ (bound * 0x1.004p0 + value * 1b-52 + 1b-1070) in [-1b-51, 1b-51]
  /\ low -/ (value - wide) in [-1b-53, 1b-53]
  /\ high -/ (value + wide) in [-1b-53, 1b-53] }
