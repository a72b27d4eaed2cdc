#include <kubature/integrate.hpp>
#include <kubature/integrate_many.hpp>
#include <Kokkos_Core.hpp>
struct G { template<class Real,int D> KOKKOS_FUNCTION Real operator()(kubature::Point<Real,D> const& x) const { return x[0]*x[1]; } };
int main(){ using namespace kubature; Box<2> box; 
 auto a=integrate(Pagani{}, G{}, box, Tolerance{.relative=1e-6});
 auto b=integrate(VegasPlus{}, G{}, box, Tolerance{.relative=1e-3});
 auto c=integrate(QuasiMonteCarlo{}, G{}, box, Tolerance{.relative=1e-3});
 auto d=integrate(TwoPhase{}, G{}, box, Tolerance{.relative=1e-3});
 auto e=integrate(MixedPrecision{}, G{}, box, Tolerance{.relative=1e-3});
 auto f=integrate(Auto{}, G{}, box, Tolerance{.relative=1e-3});
 auto g=integrate(MCubes{}, G{}, box, Tolerance{.relative=1e-3});
 auto h=integrate(PlainMonteCarlo{}, G{}, box, Tolerance{.relative=1e-3});
 return a.value+b.value+c.value+d.value+e.value+f.value+g.value+h.value>0;}
