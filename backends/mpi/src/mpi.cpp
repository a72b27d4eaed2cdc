#include <kubature/error.hpp>
#include <kubature/mpi.hpp>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <limits>
#include <vector>

namespace kubature {
namespace {

/// MPI counts elements in int, so longer messages are sent in pieces of this many elements.
constexpr std::size_t max_count = std::size_t{1} << 28;

/// Whether this MPI accepts pointers to the memory of the kind of GPU that Kokkos computes on. For NVIDIA's GPUs Open
/// MPI and MPICH have the same query; for others each has its own.
bool accepts_device_memory() {
#if defined(KOKKOS_ENABLE_HIP) && defined(MPIX_ROCM_AWARE_SUPPORT)
  return MPIX_Query_rocm_support() != 0;
#elif defined(KOKKOS_ENABLE_HIP) && defined(MPIX_GPU_SUPPORT_HIP)
  int accepted = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_HIP, &accepted) == MPI_SUCCESS && accepted;
#elif defined(KOKKOS_ENABLE_SYCL) && defined(MPIX_GPU_SUPPORT_ZE)
  int accepted = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_ZE, &accepted) == MPI_SUCCESS && accepted;
#elif defined(KOKKOS_ENABLE_CUDA) &&                                                                                   \
    (defined(MPIX_CUDA_AWARE_SUPPORT) || (defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000))
  return MPIX_Query_cuda_support() != 0;
#else
  return false;
#endif
}

class MpiLink : public Communicator::Link {
public:
  explicit MpiLink(MPI_Comm comm) {
    MPI_Comm_dup(comm, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL); // such an error could not be reported to the other ranks
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    MPI_Comm machine;
    MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local_rank_);
    MPI_Comm_size(machine, &local_size_);
    MPI_Comm_free(&machine);
    device_buffers_ = accepts_device_memory();
  }
  ~MpiLink() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized)
      MPI_Comm_free(&comm_);
  }
  MpiLink(MpiLink const&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int local_rank() const override { return local_rank_; }
  int local_size() const override { return local_size_; }
  bool device_buffers() const override { return device_buffers_; }

  std::int64_t largest(std::int64_t mine) override {
    std::int64_t result = 0;
    MPI_Allreduce(&mine, &result, 1, MPI_INT64_T, MPI_MAX, comm_);
    return result;
  }

  void sum(std::span<std::uint64_t> numbers) override {
    for (std::size_t at = 0; at < numbers.size(); at += max_count)
      MPI_Allreduce(MPI_IN_PLACE, numbers.data() + at, count(numbers.size() - at), MPI_UINT64_T, MPI_SUM, comm_);
  }

  void largest(std::span<std::uint32_t> numbers) override {
    for (std::size_t at = 0; at < numbers.size(); at += max_count)
      MPI_Allreduce(MPI_IN_PLACE, numbers.data() + at, count(numbers.size() - at), MPI_UINT32_T, MPI_MAX, comm_);
  }

  void gather(std::span<std::uint64_t> words, std::span<std::size_t const> begins) override {
    if (words.size() > std::numeric_limits<int>::max()) {
      for (int r = 0; r < size_; ++r)
        for (std::size_t at = begins[r]; at < begins[r + 1]; at += max_count)
          MPI_Bcast(words.data() + at, count(begins[r + 1] - at), MPI_UINT64_T, r, comm_);
      return;
    }
    std::vector<int> counts, places;
    for (int r = 0; r < size_; ++r) {
      counts.push_back(static_cast<int>(begins[r + 1] - begins[r]));
      places.push_back(static_cast<int>(begins[r]));
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, words.data(), counts.data(), places.data(), MPI_UINT64_T, comm_);
  }

  void exchange(std::vector<Communicator::Message> const& out, std::vector<Communicator::Message> const& in) override {
    std::vector<MPI_Request> requests;
    for (auto const& [from, bytes] : in)
      for (std::size_t at = 0; at < bytes.size(); at += max_count)
        MPI_Irecv(bytes.data() + at, count(bytes.size() - at), MPI_BYTE, from, 0, comm_, &requests.emplace_back());
    for (auto const& [to, bytes] : out)
      for (std::size_t at = 0; at < bytes.size(); at += max_count)
        MPI_Isend(bytes.data() + at, count(bytes.size() - at), MPI_BYTE, to, 0, comm_, &requests.emplace_back());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  void broadcast(std::string& text, int from) override {
    std::uint64_t size = text.size();
    MPI_Bcast(&size, 1, MPI_UINT64_T, from, comm_);
    text.resize(size);
    for (std::size_t at = 0; at < size; at += max_count)
      MPI_Bcast(text.data() + at, count(size - at), MPI_CHAR, from, comm_);
  }

private:
  static int count(std::size_t left) { return static_cast<int>(std::min(left, max_count)); }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
  bool device_buffers_ = false;
};

} // namespace

Communicator communicator(MPI_Comm comm, std::source_location where) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  require(initialized && !finalized, "MPI", "off", "call MPI_Init first, and MPI_Finalize afterwards", where);
  return Communicator(std::make_shared<MpiLink>(comm));
}

} // namespace kubature
