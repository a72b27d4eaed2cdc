#include <kubature/cubature_rule.hpp>
#include <kubature/error.hpp>
#include <kubature/point.hpp>

#include <algorithm>
#include <cmath>

namespace kubature {
namespace {

constexpr int rules = CubatureRule::rules;
using Generator = std::vector<double>;

/// A weight as a polynomial in the number of variables: coefficients from the constant up.
struct Polynomial {
  double coefficient[4];
  double operator()(int d) const {
    return coefficient[0] + d * (coefficient[1] + d * (coefficient[2] + d * coefficient[3]));
  }
};

/// An orbit as published: weights of one point, of the corners all together.
struct Published {
  Generator generator;
  std::array<Polynomial, rules> weight;
};

/// The coordinate of the corners, which have as many as there are variables.
constexpr double corner_7_9 = 0.34303789878087814570;

std::vector<Published> degree_7() {
  constexpr double a = 0.20302858736911986780, b = 0.47795365790226950619;
  return {
      {{},
       {{{{0.64485668767465982223, -0.40385257701150182546, 0.019417866674748388428}},
         {{0.088785828081335044443, -0.18041318740733609012, 0.01177982690775806141}},
         {{-0.088785828081335044443, 0.236741833215622031494, -0.01177982690775806141}},
         {{0.17757165616267008889, -0.99129176779582358138, -0.0097089333373741942142}},
         {{0.35514331232534017777, 0.40385257701150182546, -0.019417866674748388428}}}}},
      {{a},
       {{{{0.12359398032043233572}},
         {{0.074978148702033690681}},
         {{-0.12359398032043233572}},
         {{0.55489147051423559776}},
         {{-0.12359398032043233572}}}}},
      {{b},
       {{{{0.088041241522692771226, -0.019417866674748388428}},
         {{0.021118358455513385083, -0.01177982690775806141}},
         {{-0.0310485787794787183917, 0.01177982690775806141}},
         {{-0.064100053285010904179, 0.0097089333373741942142}},
         {{-0.088041241522692771226, 0.019417866674748388428}}}}},
      {{0.375}, {{{{0}}, {{0}}, {{0.030381729038221007659}}, {{0}}, {{0}}}}},
      {{b, b},
       {{{{0.0097089333373741942142}},
         {{0.0058899134538790307051}},
         {{-0.0058899134538790307051}},
         {{-0.0048544666686870971071}},
         {{-0.0097089333373741942142}}}}},
      {{corner_7_9},
       {{{{0.35514331232534017777}},
         {{-0.088785828081335044443}},
         {{0.088785828081335044443}},
         {{-0.17757165616267008889}},
         {{-0.35514331232534017777}}}}},
  };
}

std::vector<Published> degree_9() {
  constexpr double a = 0.47795365790226950619, b = 0.20302858736911986780;
  return {
      {{},
       {{{{0.74849988504685208004, -0.63833920076702389094, 0.11415390023857325268, -0.0023611709677855117884}},
         {{0.062875028738286979989, -0.14225104571434243234, 0.057471507864489725949, -0.0014324017033399125142}},
         {{-0.062875028738286979989, 0.39684217896330152134, -0.057471507864489725949, 0.0014324017033399125142}},
         {{-0.25150011495314791996, 0.25733445687458287414, -1.09317466643966300832, -0.0023611709677855117884}},
         {{0.25150011495314791996, 0.27354563090653242433, -0.11415390023857325268, 0.0023611709677855117884}}}}},
      {{a},
       {{{{0.10557491625218991012, -0.072609367395893679605, 0.0035417564516782676826}},
         {{0.010636783990231217481, -0.032268563892953949998, 0.0021486025550098687713}},
         {{0.004052318505912272694, 0.032268563892953949998, -0.0021486025550098687713}},
         {{0.56533939746025335658, 0.438737716068782234705, 0.0035417564516782676826}},
         {{0.07682186867805582319, 0.072609367395893679605, -0.0035417564516782676826}}}}},
      {{b},
       {{{{0.21415883524352793401, -0.04508628929435784076}},
         {{0.054941067048711234101, -0.027351546526545644722}},
         {{0.064434894976996518869, 0.027351546526545644722}},
         {{0.14744939829434460168, 0.65089519391920250593}},
         {{-0.21415883524352793401, 0.04508628929435784076}}}}},
      {{0.44762735462617812882},
       {{{{0.057693384490973483573}},
         {{0.034999626602143583822}},
         {{-0.057693384490973483573}},
         {{-1.3868627719278281436}},
         {{-0.057693384490973483573}}}}},
      {{0.125}, {{{{0}}, {{0}}, {{-0.2386668732575008879}}, {{0}}, {{0}}}}},
      {{a, a},
       {{{{0.015532417276607053264, -0.0035417564516782676826}},
         {{0.0035328099607090870236, -0.0021486025550098687713}},
         {{-0.0035328099607090870236, 0.0021486025550098687713}},
         {{0.107849617151049269454, -0.0035417564516782676826}},
         {{-0.015532417276607053264, 0.0035417564516782676826}}}}},
      {{a, b},
       {{{{0.02254314464717892038}},
         {{0.013675773263272822361}},
         {{-0.013675773263272822361}},
         {{-0.32544759695960125297}},
         {{-0.02254314464717892038}}}}},
      {{a, a, a},
       {{{{0.0017708782258391338413}},
         {{0.0010743012775049343856}},
         {{-0.0010743012775049343856}},
         {{0.0017708782258391338413}},
         {{-0.0017708782258391338413}}}}},
      {{corner_7_9},
       {{{{0.25150011495314791996}},
         {{-0.062875028738286979989}},
         {{0.062875028738286979989}},
         {{0.25150011495314791996}},
         {{-0.25150011495314791996}}}}},
  };
}

/// An orbit of a rule for one number of variables only.
struct Fixed {
  Generator generator;
  std::array<double, rules> weight;
};

std::vector<Fixed> degree_11() {
  return {
      {{}, {0.0009903847688882167, 1.715006248224684, 1.936014978949526, 0.517082819560576, 2.05440450381852}},
      {{0.095},
       {0.0084964717409851, -0.3755893815889209, -0.3673449403754268, 0.01445269144914044, 0.013777599884901202}},
      {{0.25},
       {0.00013587331735072814, 0.1488632145140549, 0.02929778657898176, -0.3601489663995932, -0.576806291790441}},
      {{0.375},
       {0.022982920777660364, -0.2497046640620823, -0.1151883520260315, 0.3628307003418485, 0.03726835047700328}},
      {{0.4},
       {0.004202649722286289, 0.1792501419135204, 0.05086658220872218, 0.007148802650872729, 0.0068148789397772195}},
      {{0.4975},
       {0.0012671889041675774, 0.0034461267589738897, 0.04453911087786469, -0.09222852896022966, 0.057231697338518496}},
      {{0.49936724991757, 0.49936724991757},
       {0.0002109560854981544, -0.005140483185555825, -0.022878282571259, 0.01719339732471725, -0.044930187438112855}},
      {{0.38968518428362114, 0.38968518428362114},
       {0.016830857056410086, 0.006536017839876424, 0.02908926216345833, -0.102141653746035, 0.027292365738663484}},
      {{0.49998494965443835, 0.49998494965443835, 0.49998494965443835},
       {0.00021876823557504823, -0.00065134549392297, -0.002898884350669207, -0.007504397861080493,
        0.000354747395055699}},
      {{0.3951318612385894, 0.3951318612385894, 0.3951318612385894},
       {0.009690420479796819, -0.006304672433547204, -0.028059634133074954, 0.01648362537726711, 0.01571366799739551}},
      {{0.22016983438253684, 0.22016983438253684, 0.22016983438253684},
       {0.030773311284628138, 0.01266959399788263, 0.05638741361145884, 0.05234610158469334, 0.049900992192785674}},
      {{0.4774686911397297, 0.2189239229503431, 0.2189239229503431},
       {0.0084974310856038, -0.005454241018647931, -0.02427469611942451, 0.014454323316130661, 0.0137791555266677}},
      {{0.4830546566815374, 0.4830546566815374, 0.2288552938881567},
       {0.0017749535291258914, 0.004826995274768427, 0.021483070341828822, 0.003019236275367777,
        0.0028782064230998723}},
  };
}

std::vector<Fixed> degree_13() {
  return {
      {{}, {0.00844923090033615, 0.3213775489050763, 0.3372900883288987, -0.8264123822525677, 0.6539094339575232}},
      {{0.12585646717265545},
       {0.023771474018994404, -0.1767341636743844, -0.1644903060344491, 0.306583861409436, -0.2041614154424632}},
      {{0.3506966822267133},
       {0.02940016170142405, 0.07347600537466073, 0.07707849911634623, 0.002389292538329435, -0.174698151579499}},
      {{0.4795480315809981},
       {0.006644436465817374, -0.03638022004364754, -0.03804478358506311, -0.1343024157997222, 0.03937939671417803}},
      {{0.4978005239276064},
       {0.0042536044255016, 0.021252979220987123, 0.02223559940380806, 0.08833366840533902, 0.006974520545933992}},
      {{0.25}, {0, 0.1460984204026913, 0.1480693879765931, 0, 0}},
      {{0.07972723291487795, 0.07972723291487795},
       {0.0040664827465935255, 0.017476132861520992, 4.467143702185815e-6, 0.0009786283074168292,
        0.0066677021717782585}},
      {{0.1904495567970094, 0.1904495567970094},
       {0.03362231646315497, 0.1444954045641582, 0.150894476707413, -0.1319227889147519, 0.05512960621544304}},
      {{0.3291384627633596, 0.3291384627633596},
       {0.033200804136503725, 0.0001307687976001325, 3.6472001075162155e-5, 0.00799001220015063, 0.05443846381278608}},
      {{0.43807365825146577, 0.43807365825146577},
       {0.014093686924979677, 0.0005380992313941161, 0.000577719899901388, 0.0033917470797606257, 0.02310903863953934}},
      {{0.499121592026599, 0.499121592026599},
       {0.000977069770327625, 0.0001042259576889814, 0.0001041757313688177, 0.0022949157182832643,
        0.01506937747477189}},
      {{0.4895111329084231, 0.32461421628226944},
       {0.007531996943580376, -0.001401152865045733, -0.001452822267047819, -0.01358584986119197,
        -0.060570216489018905}},
      {{0.43637106005656195, 0.1791307322940614},
       {0.02577183086722915, 0.008041788181514763, 0.008338339968783704, 0.04025866859057809, 0.04225737654686337}},
      {{0.2833333333333333, 0.1038888888888889},
       {0.015625, -0.1420416552759383, -0.147279632923196, 0.003760268580063992, 0.02561989142123099}},
  };
}

/// The Kronrod rule of 15 points (nodes and weights: Piessens et al., QUADPACK, 1983). The weights of null rule r are
/// the values of q_{8-r}, where q_k are the even polynomials of degree 2k that are orthonormal over the nodes: it
/// vanishes for all polynomials of lower degree, and all have the same norm (Berntsen and Espelid, "Error estimation in
/// automatic quadrature routines", ACM TOMS 17 (1991) 233).
std::vector<Fixed> gauss_kronrod() {
  constexpr int orbits = 8;
  constexpr double node[orbits] = {0,
                                   0.207784955007898467600689403773245,
                                   0.405845151377397166906606412076961,
                                   0.586087235467691130294144691693013,
                                   0.741531185599394439863864773280788,
                                   0.864864423359769072789712788640926,
                                   0.949107912342758524526189684047851,
                                   0.991455371120812639206854697526329};
  constexpr double weight[orbits] = {0.209482141084727828012999174891714, 0.204432940075298892414161999234649,
                                     0.190350578064785409913256402421014, 0.169004726639267902826583426598550,
                                     0.140653259715525918745189590510238, 0.104790010322250183839876322541518,
                                     0.063092092629978553290700663189204, 0.022935322010529224963732008058970};
  // Gram and Schmidt on the even Legendre polynomials, twice for rounding.
  double q[orbits][orbits];
  auto const points = [](int j) { return j == 0 ? 1.0 : 2.0; };
  for (int k = 0; k < orbits; ++k) {
    for (int j = 0; j < orbits; ++j)
      q[k][j] = std::legendre(static_cast<unsigned>(2 * k), node[j]);
    for (int pass = 0; pass < 2; ++pass)
      for (int l = 0; l < k; ++l) {
        double product = 0;
        for (int j = 0; j < orbits; ++j)
          product += points(j) * q[k][j] * q[l][j];
        for (int j = 0; j < orbits; ++j)
          q[k][j] -= product * q[l][j];
      }
    double square = 0;
    for (int j = 0; j < orbits; ++j)
      square += points(j) * q[k][j] * q[k][j];
    for (int j = 0; j < orbits; ++j)
      q[k][j] /= std::sqrt(square);
  }
  std::vector<Fixed> result;
  for (int j = 0; j < orbits; ++j)
    result.push_back(
        {j == 0 ? Generator{} : Generator{node[j] / 2}, {weight[j] / 2, q[7][j], q[6][j], q[5][j], q[4][j]}});
  return result;
}

Rule choose(Rule rule, int d) {
  if (rule != Rule::automatic)
    return rule;
  return d == 1 ? Rule::gauss_kronrod : d == 2 ? Rule::degree_13 : d == 3 ? Rule::degree_11 : Rule::degree_9;
}

bool serves(Rule rule, int d) {
  switch (rule) {
  case Rule::gauss_kronrod:
    return d == 1;
  case Rule::degree_7:
  case Rule::degree_9:
    return d >= 2;
  case Rule::degree_11:
    return d == 3;
  case Rule::degree_13:
    return d == 2;
  case Rule::automatic:
    return true;
  }
  return false;
}

/// All permutations of the coordinates, with all signs except that the first coordinate that is not zero is positive.
std::vector<std::vector<double>> expand(Generator point, int d) {
  std::vector<std::vector<double>> result;
  point.resize(static_cast<std::size_t>(d), 0); // a generator ends before its zeros
  std::sort(point.begin(), point.end(), std::greater<>());
  do {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < point.size(); ++i)
      if (point[i] != 0)
        places.push_back(i);
    for (std::uint64_t signs = 0; signs < std::uint64_t{1} << (places.size() - 1); ++signs) {
      result.push_back(point);
      for (std::size_t k = 1; k < places.size(); ++k)
        if (signs >> (k - 1) & 1)
          result.back()[places[k]] *= -1;
    }
  } while (std::prev_permutation(point.begin(), point.end()));
  return result;
}

/// How many points expand() makes, times two.
std::uint64_t count(Generator const& generator, int d) {
  if (generator.empty())
    return 1;
  std::uint64_t points = 1;
  std::uint64_t same = 1;
  for (std::size_t k = 0; k < generator.size(); ++k) {
    same = k > 0 && generator[k] == generator[k - 1] ? same + 1 : 1;
    points = points * 2 * (static_cast<std::uint64_t>(d) - k) / same; // exact: a multinomial coefficient grows
  }
  return points;
}

} // namespace

std::string to_string(Rule rule) {
  switch (rule) {
  case Rule::automatic:
    return "automatic";
  case Rule::gauss_kronrod:
    return "gauss_kronrod";
  case Rule::degree_7:
    return "degree_7";
  case Rule::degree_9:
    return "degree_9";
  case Rule::degree_11:
    return "degree_11";
  case Rule::degree_13:
    return "degree_13";
  }
  return "unknown";
}

CubatureRule::CubatureRule(Rule rule, int d, std::source_location where) : name_(choose(rule, d)), dimension_(d) {
  require(d >= 1 && d <= max_dimension, "dimension", d, "rules serve 1 to 20 variables", where);
  require(serves(name_, d), "rule", to_string(name_),
          "does not serve " + std::to_string(d) + (d == 1 ? " variable" : " variables"), where);
  auto const add = [&](Generator const& generator, std::array<double, rules> const& weight, std::uint64_t points) {
    orbits_.push_back({generator, weight, points, {}, {}});
    points_ += points;
  };
  auto const add_all = [&](std::vector<Fixed> const& fixed) {
    for (auto const& orbit : fixed)
      add(orbit.generator, orbit.weight, count(orbit.generator, d));
  };
  auto const add_published = [&](std::vector<Published> const& published) {
    for (auto const& orbit : published) {
      bool const corners = &orbit == &published.back();
      auto const points = corners ? std::uint64_t{1} << d : count(orbit.generator, d);
      if (points == 0) // more coordinates than variables
        continue;
      std::array<double, rules> weight;
      for (int r = 0; r < rules; ++r)
        weight[r] = orbit.weight[r](d) / (corners ? static_cast<double>(points) : 1);
      add(corners ? Generator(static_cast<std::size_t>(d), orbit.generator[0]) : orbit.generator, weight, points);
    }
  };
  switch (name_) {
  case Rule::degree_7:
    degree_ = 7;
    error_coefficients_ = {5, 1, 5};
    add_published(kubature::degree_7());
    break;
  case Rule::degree_9:
    degree_ = 9;
    error_coefficients_ = {5, 1, 5};
    add_published(kubature::degree_9());
    break;
  case Rule::degree_11:
    degree_ = 11;
    error_coefficients_ = {4, 0.5, 3};
    add_all(kubature::degree_11());
    break;
  case Rule::degree_13:
    degree_ = 13;
    error_coefficients_ = {10, 1, 5};
    add_all(kubature::degree_13());
    break;
  default:
    degree_ = 23;
    error_coefficients_ = {5, 1, 5};
    add_all(kubature::gauss_kronrod());
  }
  // The published digits leave sums of weights that are wrong by some 1e-15, which null rules would show as an error.
  for (std::size_t r = 0; r < rules; ++r) {
    long double sum = r == 0 ? -1 : 0;
    for (auto const& orbit : orbits_)
      sum += static_cast<long double>(orbit.points) * orbit.weight[r];
    orbits_[0].weight[r] -= static_cast<double>(sum);
  }
  for (auto& s : orbits_)
    for (std::size_t r = 0; r < null_rules - 1; ++r) {
      auto const high = s.weight[r + 1], low = s.weight[r + 2];
      s.scale[r] = high == 0 ? 100 : -low / high;
      double norm = 0;
      for (auto const& other : orbits_)
        norm += static_cast<double>(other.points) * std::abs(other.weight[r + 2] + s.scale[r] * other.weight[r + 1]);
      s.norm[r] = 1 / norm;
    }
}

double CubatureRule::norm() const {
  double sum = 0;
  for (auto const& orbit : orbits_)
    sum += static_cast<double>(orbit.points) * std::abs(orbit.weight[0]);
  return sum;
}

double CubatureRule::rounding() const { return 4 * norm() * (1 + static_cast<double>(points_) / (1 << 14)); }

double CubatureRule::noise() const {
  double worst = 0;
  for (std::size_t r = 0; r < null_rules - 1; ++r) {
    double high = 0, low = 0;
    for (auto const& orbit : orbits_) {
      high += static_cast<double>(orbit.points) * std::abs(orbit.weight[r + 1]);
      low += static_cast<double>(orbit.points) * std::abs(orbit.weight[r + 2]);
    }
    for (auto const& orbit : orbits_)
      worst = std::max(worst, orbit.norm[r] * (low + std::abs(orbit.scale[r]) * high));
  }
  return error_coefficients_[2] * worst;
}

std::vector<std::vector<double>> CubatureRule::half_orbit(Orbit const& orbit) const {
  return orbit.generator.empty() ? std::vector<std::vector<double>>{} : expand(orbit.generator, dimension_);
}

} // namespace kubature
