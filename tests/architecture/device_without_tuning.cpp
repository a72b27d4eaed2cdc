// Does not compile: a device for which nobody has chosen constants. The test looks for the sentence that says so.
#include <kubature/tuning.hpp>

struct NewCard {
  using memory_space = Kokkos::AnonymousSpace;
};

static_assert(kubature::Tuning<NewCard>::sampling_team > 0);
