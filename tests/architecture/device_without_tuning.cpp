// A device for which nobody has measured constants takes those of any device, and says so.
#include <kubature/tuning.hpp>

struct NewCard {
  using memory_space = Kokkos::AnonymousSpace;
};

static_assert(!kubature::Tuning<NewCard>::measured && kubature::Tuning<NewCard>::sampling_team > 1);
static_assert(kubature::Tuning<Kokkos::DefaultHostExecutionSpace>::measured);
