# Lemma 67: 1 / (1 + e^-x) and e^x / (1 + e^x) in doubles, from an exponential that is off by 2^-51: by less than 2^-49.
@rnd = float<ieee_64, ne>;
e = rnd(any_e);
below rnd= 1 + e;
one rnd= 1 / below;
other rnd= e / below;

{ e -/ E in [-1b-51, 1b-51] /\ E in [1b-900, 1] ->
  one -/ (1 / (1 + E)) in [-1b-49, 1b-49]
  /\ other -/ (E / (1 + E)) in [-1b-49, 1b-49] }
