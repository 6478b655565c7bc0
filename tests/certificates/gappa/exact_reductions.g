# Lemmas 37, 47 and 69: arguments less a multiple of the first word of their step are exact. Multiples are integers k,
# the numbers that are reduced multiples of the last place that those have of which k is not zero.
@rnd = float<ieee_64, ne>;
@flt = float<ieee_32, ne>;
@whole = fixed<0, dn>;
k = whole(any_k);
d = fixed<-58, dn>(any_d);
reduced = rnd(d - k * 0x1.62e42fefap-5);

m = whole(any_m);
x = fixed<-29, dn>(any_x);
short = flt(x - m * 0x1.62e43p-6);

n = whole(any_n);
a = fixed<-53, dn>(any_a);
turned = rnd(a - n * 0x1.921fb544p+0);

{ |k| in [0, 16384] /\ |d - k * 0x1.62e42fefap-5| in [0, 0x1.6314p-6]
  /\ |m| in [0, 8192] /\ |x - m * 0x1.62e43p-6| in [0, 0x1.64p-7]
  /\ |n| in [0, 262144] /\ |a - n * 0x1.921fb544p+0| in [0, 0.7855] ->
  reduced - (d - k * 0x1.62e42fefap-5) in [0, 0]
  /\ short - (x - m * 0x1.62e43p-6) in [0, 0]
  /\ turned - (a - n * 0x1.921fb544p+0) in [0, 0] }
