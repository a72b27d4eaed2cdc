#include "command_line.hpp"
#include "commands.hpp"
#include "processes.hpp"
#include "waiting.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

void complain(std::string message) {
  if (kubature::app::processes().rank() > 0) // all ranks report the same error
    return;
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::cerr << "kubature: error: " << message << '\n';
}

/// Pictures are drawn by the Python package. Returns only if there is no Python.
int plot(int argc, char** argv) {
  static char python[] = "python3", option[] = "-c";
  static char code[] = "import sys\n"
                       "try:\n"
                       "  from kubature.__main__ import main\n"
                       "except ImportError as error:\n"
                       "  sys.exit(f'kubature: error: plot needs the Python package kubature: {error}')\n"
                       "sys.exit(main(['plot', *sys.argv[1:]]))";
  std::vector<char*> arguments{python, option, code};
  arguments.insert(arguments.end(), argv + 2, argv + argc);
  arguments.push_back(nullptr);
  execvp(python, arguments.data());
  complain("plot needs python3, with the Python package kubature");
  return kubature::app::failed;
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
  if (argc > 1 && std::string_view(argv[1]) == "plot")
    return plot(argc, argv);
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
