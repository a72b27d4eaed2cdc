// How many clusters of galaxies a survey should find in a bin of observed richness and redshift, for two cosmologies:
// an integral over six variables of an integrand with a state, tables that each cosmology fills anew. The integrator
// keeps what the first one taught it. Four of the variables can be integrated in closed form; what is left goes to
// cubature for comparison, with the same tables, so that interpolating in them makes no difference between the two.
//
// The models are simplified: a flat universe, the mass function of Press and Schechter (1974) with a power law for the
// variance of the density, and its growth after Carroll, Press and Turner (1992).
#include <kubature/integrate.hpp>
#include <kubature/table.hpp>

#include <cmath>
#include <iostream>
#include <vector>

struct Cosmology {
  double matter, sigma8;

  double expansion(double z) const { return std::sqrt(matter * std::pow(1 + z, 3) + 1 - matter); }
  double growth(double z) const {
    auto const suppression = [](double m) {
      return 2.5 * m / (std::pow(m, 4.0 / 7) - (1 - m) + (1 + m / 2) * (1 + (1 - m) / 70));
    };
    return suppression(matter * std::pow(1 + z, 3) / std::pow(expansion(z), 2)) / suppression(matter) / (1 + z);
  }
  // Clusters by ln of the mass in solar masses / h and by comoving volume in (Mpc / h)^3.
  double mass_function(double log_mass, double z) const {
    double const density = 2.775e11 * matter, slope = 0.27;
    double const mass_in_8_mpc = 4 * M_PI / 3 * 512 * density;
    double const sigma = sigma8 * growth(z) * std::pow(std::exp(log_mass) / mass_in_8_mpc, -slope);
    double const nu = 1.686 / sigma;
    return std::sqrt(2 / M_PI) * density / std::exp(log_mass) * slope * nu * std::exp(-nu * nu / 2);
  }
};

// What the survey observes, and how well.
struct Survey {
  kubature::Side redshift{0.3, 0.5}, log_richness{3, 4};
  double area = 0.4;            // steradians
  double redshift_error = 0.03; // times 1 + z
  double scatter = 0.25;        // of ln richness between clusters of the same mass
  double noise = 0.15;          // of the observed ln richness
  double offset = 0.2;          // typical distance of the centre found from the true one, in Mpc / h
  double offset_lost = 0.5;     // distances from which on clusters are lost

  KOKKOS_FUNCTION static double log_richness_of(double log_mass) { return 3.4 + 1.1 * (log_mass - 33); }
};

KOKKOS_FUNCTION double normal_density(double x, double mean, double sigma) {
  double const t = (x - mean) / sigma;
  return Kokkos::exp(-t * t / 2) / (sigma * Kokkos::sqrt(2 * Kokkos::numbers::pi_v<double>));
}

// The probability that a normal variable falls on a side.
KOKKOS_FUNCTION double normal_part(kubature::Side const& side, double mean, double sigma) {
  double const scale = 1 / (sigma * Kokkos::sqrt(2.0));
  return (Kokkos::erf((side.upper - mean) * scale) - Kokkos::erf((side.lower - mean) * scale)) / 2;
}

struct ClusterCount {
  Survey survey;
  kubature::Table1D<> volume;   // comoving volume by z
  kubature::Table2D<> clusters; // the mass function, by ln mass and z

  KOKKOS_FUNCTION double operator()(kubature::Point<double, 6> const& x) const {
    double const z = x[0], log_mass = x[1], observed_z = x[2], deviation = x[3], observed_log_richness = x[4];
    double const r = x[5] / survey.offset, lost = x[5] / survey.offset_lost;
    double const log_richness = Survey::log_richness_of(log_mass) + deviation;
    double const found = r / survey.offset * Kokkos::exp(-(r * r + lost * lost) / 2);
    return survey.area * volume(z) * clusters(log_mass, z) * found *
           normal_density(observed_z, z, survey.redshift_error * (1 + z)) *
           normal_density(deviation, 0, survey.scatter) *
           normal_density(observed_log_richness, log_richness, survey.noise);
  }
};

// The same with the last four variables integrated. The sum of scatter and noise is normal.
struct ReducedCount {
  ClusterCount count;
  double found; // the integral over the offset

  KOKKOS_FUNCTION double operator()(kubature::Point<double, 2> const& x) const {
    double const z = x[0], log_mass = x[1];
    Survey const& survey = count.survey;
    double const sigma = Kokkos::sqrt(survey.scatter * survey.scatter + survey.noise * survey.noise);
    return survey.area * found * count.volume(z) * count.clusters(log_mass, z) *
           normal_part(survey.redshift, z, survey.redshift_error * (1 + z)) *
           normal_part(survey.log_richness, Survey::log_richness_of(log_mass), sigma);
  }
};

std::vector<double> nodes(kubature::Side const& side, int intervals) {
  std::vector<double> result;
  for (int k = 0; k <= intervals; ++k)
    result.push_back(side.lower + (side.upper - side.lower) * k / intervals);
  return result;
}

ClusterCount tabulate(Cosmology const& cosmology, Survey const& survey, kubature::Side const& redshifts,
                      kubature::Side const& log_masses) {
  double const hubble_length = 2997.92458; // Mpc / h
  auto const shells = nodes({0, redshifts.upper}, 2000);
  std::vector<double> volumes{0};
  double distance = 0;
  for (std::size_t k = 1; k < shells.size(); ++k) {
    double const from = shells[k - 1], to = shells[k];
    distance += hubble_length * (to - from) / cosmology.expansion((from + to) / 2);
    volumes.push_back(hubble_length * distance * distance / cosmology.expansion(to));
  }
  auto const mass_nodes = nodes(log_masses, 300), z_nodes = nodes(redshifts, 60);
  std::vector<double> clusters;
  for (double log_mass : mass_nodes)
    for (double z : z_nodes)
      clusters.push_back(cosmology.mass_function(log_mass, z));
  return {survey, kubature::Table1D<>({{shells}}, volumes), kubature::Table2D<>({{mass_nodes, z_nodes}}, clusters)};
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  Survey const survey;
  kubature::Side const redshifts{0.1, 0.8}, log_masses{30, 36.5}, offsets{0, 1};
  double const most = 8 * survey.scatter;
  kubature::Box<6> const box{redshifts, log_masses, survey.redshift, {-most, most}, survey.log_richness, offsets};

  // The integral of r exp(-c r^2) over the offsets.
  double const c = 0.5 / (survey.offset * survey.offset) + 0.5 / (survey.offset_lost * survey.offset_lost);
  double const found = -std::expm1(-c * offsets.upper * offsets.upper) / (2 * c * survey.offset * survey.offset);

  kubature::Integrator integrator(Kokkos::DefaultExecutionSpace(), kubature::VegasPlus{.evaluations = 200'000});
  bool right = true;
  for (Cosmology const& cosmology :
       {Cosmology{.matter = 0.3, .sigma8 = 0.8}, Cosmology{.matter = 0.28, .sigma8 = 0.85}}) {
    ClusterCount const count = tabulate(cosmology, survey, redshifts, log_masses);
    auto const result = integrator.integrate(count, box, {.relative = 1e-3});
    auto const reduced = kubature::integrate(kubature::Pagani{}, ReducedCount{count, found},
                                             kubature::Box<2>{redshifts, log_masses}, {.relative = 1e-5});
    std::cout << "Omega_m " << cosmology.matter << ", sigma_8 " << cosmology.sigma8 << '\n'
              << "  six variables: " << result << '\n'
              << "  two variables: " << reduced << '\n';
    right &= result.status == kubature::Status::converged && reduced.status == kubature::Status::converged &&
             std::abs(result.value - reduced.value) < 5 * std::hypot(result.error, reduced.error);
  }
  return right ? 0 : 1;
}
