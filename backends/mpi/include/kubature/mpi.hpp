#pragma once

#include <kubature/communicator.hpp>

#include <mpi.h>

#include <source_location>

namespace kubature {

/// The processes of an MPI communicator, which is duplicated: what kubature sends never meets what the caller sends.
/// Called by all of them, between MPI_Init and MPI_Finalize, and its copies end before MPI_Finalize; throws
/// InvalidArgument where MPI is not initialised. All calls of MPI are made by the thread that integrates
/// (MPI_THREAD_FUNNELED where that is the main one).
///
///   kubature::Communicator const ranks = kubature::communicator(MPI_COMM_WORLD);
///   Kokkos::ScopeGuard const kokkos(kubature::device_of(ranks));
///   auto result = kubature::integrate(Kokkos::DefaultExecutionSpace(), ranks, kubature::VegasPlus{}, f, box);
Communicator communicator(MPI_Comm comm, std::source_location where = std::source_location::current());

} // namespace kubature
