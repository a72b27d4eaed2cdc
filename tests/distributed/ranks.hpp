#pragma once

#include <kubature/communicator.hpp>

/// All processes of the test.
kubature::Communicator const& ranks();
