#include "file.hpp"

#include <kubature/integrate.hpp>

#include <cstdlib>
#include <string>

/// A checkpoint of any bytes, from which a call of VEGAS+ is to resume: it is refused, or the call ends with an
/// estimate. The checksum is corrected after each mutation, so that damage gets past it.
namespace {

using namespace kubature;
using kubature::fuzz::expect;

struct Sum {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return x[0] + x[1];
  }
};

fuzz::File const& file() {
  static fuzz::File const one;
  return one;
}

/// Ends after `iterations`, and leaves a checkpoint.
Result<> integrate_with(int iterations) {
  VegasPlus const method{
      .evaluations = 200, .iterations = 4, .skip = 1, .bins = 4, .checkpoint = {.file = file().name(), .seconds = 1e6}};
  int done = 0;
  return integrate(method, Sum{}, Box<2>{}, Tolerance{}, Limits{.seconds = 5},
                   [&](Progress const&) { return ++done < iterations; });
}

/// A checkpoint that the library has written.
std::string const& genuine() {
  static std::string const bytes = [] {
    fuzz::start_kokkos();
    std::filesystem::remove(file().name());
    integrate_with(2);
    auto contents = file().read();
    expect(!contents.empty(), "no checkpoint");
    return contents;
  }();
  return bytes;
}

/// FNV-1a over words of eight bytes, as docs/files.md says.
std::uint64_t check_sum(std::string_view body) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (std::size_t at = 0; at < body.size(); at += 8) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8 && at + k < body.size(); ++k)
      word |= std::uint64_t{static_cast<unsigned char>(body[at + k])} << (8 * k);
    sum = (sum ^ word) * 0x100000001b3u;
  }
  return sum;
}

/// Gives the contents the heading, the size and the checksum that they should have.
void mend(std::string& contents) {
  auto const heading = genuine().find('\n') + 1 + 4; // and the order of bytes
  constexpr std::size_t number = 8;
  if (contents.size() < heading + 2 * number)
    return;
  contents.replace(0, heading, genuine(), 0, heading);
  auto const body = contents.size() - heading - 2 * number;
  auto const put = [&](std::size_t at, std::uint64_t value) {
    for (std::size_t k = 0; k < number; ++k)
      contents[at + k] = static_cast<char>(value >> (8 * k));
  };
  put(heading, body);
  put(heading + number + body, check_sum(std::string_view(contents).substr(heading + number, body)));
}

} // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  auto const give = [&](std::string const& contents) {
    auto const length = std::min(contents.size(), most);
    std::memcpy(data, contents.data(), length);
    return length;
  };
  if (size < 16 || seed % 64 == 0)
    size = give(genuine());
  size = LLVMFuzzerMutate(data, size, most);
  if (seed % 16 == 1)
    return size;
  std::string contents(fuzz::text(data, size));
  mend(contents);
  return give(contents);
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  genuine();
  file().write(fuzz::text(data, size));
  try {
    auto const result = integrate_with(8);
    expect(result.evaluations > 0 && result.error >= 0, "a result that is none");
  } catch (InvalidArgument const& refused) {
    expect(*refused.what() != '\0', "a refusal without a word");
  }
  return 0;
}
