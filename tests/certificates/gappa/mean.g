# Lemma 8: of q + (rest / n), the mean of two words, what the division of the remainder rounds off is below 2^-50 of
# the correction, as `quotient_or_root` counts on; and Lemma 7: a quotient and a root in one word are off by 2^-53.
@rnd = float<ieee_64, ne>;
rest = rnd(any_rest);
n = rnd(any_n);
value = rnd(any_value);
correction rnd= rest / n;
quotient rnd= value / n;
root rnd= sqrt(value);

{ |rest| in [1b-950, 1b950] /\ n in [1, 1b53] /\ value in [1b-900, 1b1000] ->
  correction -/ (rest / n) in [-1b-53, 1b-53]
  /\ quotient -/ (value / n) in [-1b-53, 1b-53]
  /\ root -/ sqrt(value) in [-1b-53, 1b-53] }
