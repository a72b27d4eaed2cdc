#include "command_line.hpp"
#include "commands.hpp"
#include "processes.hpp"
#include "waiting.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>

namespace {

void complain(std::string message) {
  if (kubature::app::processes().rank() > 0) // all ranks report the same error
    return;
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::cerr << "kubature: error: " << message << '\n';
}

/// Runs the command. All ranks run it together, so that none waits for one that fails.
int run(int argc, char** argv) {
  using namespace kubature::app;
  auto const request = read_command_line(argc, argv);
  if (!request)
    return success;
  try {
    use_policies(request->options);
    return request->command(request->options);
  } catch (kubature::InvalidArgument const& refused) {
    throw as_typed(refused, request->options);
  }
}

} // namespace

int main(int argc, char** argv) {
  using namespace kubature::app;
  wait_briefly(argv);
  Launched const launched(argc, argv);
  int status = success;
  try {
    status = processes().agree([&] { return run(argc, argv); });
  } catch (BadInput const& error) {
    complain(error.what());
    status = bad_input;
  } catch (std::exception const& error) {
    complain(error.what());
    status = failed;
  }
  return agreed(status);
}
