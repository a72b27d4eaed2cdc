#pragma once

#include <kubature/communicator.hpp>

#include <mpi.h>

#include <source_location>

namespace kubature {

/// The ranks of an MPI communicator, which is duplicated to keep kubature's messages apart from the caller's. Call it
/// on all ranks, between MPI_Init and MPI_Finalize; all copies must be destroyed before MPI_Finalize. Throws
/// InvalidArgument if MPI is not initialised. All calls of MPI are made by the thread that integrates
/// (MPI_THREAD_FUNNELED if that is the main thread).
///
///   kubature::Communicator const ranks = kubature::communicator(MPI_COMM_WORLD);
///   Kokkos::ScopeGuard const kokkos(kubature::device_of(ranks));
///   auto result = kubature::integrate(Kokkos::DefaultExecutionSpace(), ranks, kubature::VegasPlus{}, f, box);
Communicator communicator(MPI_Comm comm, std::source_location where = std::source_location::current());

} // namespace kubature
