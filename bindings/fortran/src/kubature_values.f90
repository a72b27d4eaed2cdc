!> The types of the module kubature: results, maps, progress; and the conversion of texts and errors from C.
module kubature_values
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, c_null_char, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use kubature_c
  implicit none
  public

  !> The values of stat, besides 0 and what an integrand sets.
  integer, parameter :: kubature_invalid_argument = -1, kubature_out_of_memory = -2, kubature_unsupported = -3, &
      kubature_failed = -4
  !> Why an integration ended (kubature_result%status).
  integer, parameter :: kubature_converged = 0, kubature_completed = 1, kubature_evaluation_limit = 2, &
      kubature_iteration_limit = 3, kubature_time_limit = 4, kubature_precision_limit = 5, &
      kubature_memory_exhausted = 6, kubature_non_finite = 7, kubature_no_variance = 8, kubature_stopped = 9
  !> The upper bound of an infinite side; its negative is the lower bound.
  real(real64), parameter :: kubature_infinity = transfer(9218868437227405312_int64, 1._real64)

  !> The state of a call in progress, for a callback; value and error are NaN while no iteration is included.
  type :: kubature_progress
    character(:), allocatable :: method
    integer :: iteration
    integer(int64) :: evaluations
    real(real64) :: value, error, seconds
  end type

  !> The estimate of one iteration of a Monte Carlo method; `included`: whether the value of the result includes it.
  type :: kubature_iteration
    real(real64), allocatable :: value(:), error(:)
    integer(int64) :: evaluations
    logical :: included
  end type

  !> For each component, the value, the error (one standard deviation, or an error estimate of cubature) and the
  !> agreement of the iterations; and the covariance of the errors if it is known, with several components by the option
  !> covariance = full. text is all of it in one line.
  type :: kubature_result
    integer :: status = kubature_stopped
    real(real64), allocatable :: value(:), error(:), chi2_per_dof(:), q_value(:), covariance(:, :)
    !> The agreement of the iterations in all components together; NaN and 0 without a covariance.
    real(real64) :: chi2 = 0
    integer :: dof = 0
    integer(int64) :: evaluations = 0, regions = 0, non_finite = 0
    !> The shape parameter of the tail of the weights: above 0.7 errors are unreliable; NaN for cubature and where it is
    !> not known.
    real(real64) :: k_hat = 0
    real(real64) :: seconds = 0
    type(kubature_iteration), allocatable :: iterations(:)
    character(:), allocatable :: text, status_name, method, precision, backend
  contains
    !> Components 1 and 2, 3 and 4, ... as complex numbers, and their errors.
    procedure :: complex_value => result_complex_value
    procedure :: complex_error => result_complex_error
  end type

  !> A VEGAS map: edges(:, i) are those of the bins along axis i, from 0 to 1 in units of the box's side.
  type :: kubature_map
    real(real64), allocatable :: edges(:, :)
  contains
    procedure :: save => map_save
    procedure :: load => map_load
  end type

contains

  pure function result_complex_value(this) result(numbers)
    class(kubature_result), intent(in) :: this
    complex(real64), allocatable :: numbers(:)
    numbers = in_pairs(this%value)
  end function

  pure function result_complex_error(this) result(numbers)
    class(kubature_result), intent(in) :: this
    complex(real64), allocatable :: numbers(:)
    numbers = in_pairs(this%error)
  end function

  pure function in_pairs(parts) result(numbers)
    real(real64), intent(in) :: parts(:)
    complex(real64), allocatable :: numbers(:)
    integer :: last
    last = size(parts)/2*2
    numbers = cmplx(parts(1:last:2), parts(2:last:2), real64)
  end function

  subroutine read_result(from, to)
    type(c_ptr), intent(in) :: from
    type(kubature_result), intent(inout) :: to
    integer(c_int) :: c, i, count, included, ignored
    real(real64) :: of_ends
    to%status = c_status(from)
    to%chi2 = c_chi2(from)
    to%dof = c_dof(from)
    to%evaluations = c_evaluations(from)
    to%regions = c_regions(from)
    to%non_finite = c_non_finite(from)
    to%k_hat = c_k_hat(from)
    to%seconds = c_seconds(from)
    to%text = to_text(c_text(from))
    to%status_name = to_text(c_status_name(c_status(from)))
    to%method = to_text(c_method(from))
    to%precision = to_text(c_precision(from))
    to%backend = to_text(c_backend(from))
    count = c_components(from)
    to%value = [(c_value(from, c), c=0, count - 1)]
    to%error = [(c_error(from, c), c=0, count - 1)]
    to%chi2_per_dof = [(c_chi2_per_dof(from, c), c=0, count - 1)]
    to%q_value = [(c_q_value(from, c), c=0, count - 1)]
    of_ends = c_covariance(from, 0, count - 1)
    if (abs(of_ends) <= huge(of_ends)) & ! a number
        to%covariance = reshape([((c_covariance(from, c, i), c=0, count - 1), i=0, count - 1)], [count, count])
    allocate (to%iterations(c_iterations(from)))
    do i = 1, size(to%iterations)
      associate (iteration => to%iterations(i))
        allocate (iteration%value(count), iteration%error(count))
        do c = 1, count
          ignored = c_iteration(from, i - 1, c - 1, iteration%value(c), iteration%error(c), iteration%evaluations, included)
        end do
        iteration%included = included /= 0
      end associate
    end do
  end subroutine

  ! ---- maps --------------------------------------------------------------------------------------------------

  subroutine map_save(this, file, stat, errmsg)
    class(kubature_map), intent(in) :: this
    character(*), intent(in) :: file
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int) :: code
    handle = c_null_ptr
    code = make_map(this, handle)
    if (code == 0) code = c_map_save(handle, to_c(file))
    call c_map_destroy(handle)
    call report(code, stat, errmsg)
  end subroutine

  subroutine map_load(this, file, stat, errmsg)
    class(kubature_map), intent(inout) :: this
    character(*), intent(in) :: file
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int) :: code
    handle = c_null_ptr
    code = c_map_load(to_c(file), handle)
    if (code == 0) call read_map(handle, this)
    call c_map_destroy(handle)
    call report(code, stat, errmsg)
  end subroutine

  integer(c_int) function make_map(from, handle) result(code)
    class(kubature_map), intent(in) :: from
    type(c_ptr), intent(inout) :: handle
    if (allocated(from%edges)) then
      code = c_map_create(int(size(from%edges, 2), c_int), int(size(from%edges, 1) - 1, c_int), from%edges, handle)
    else
      code = c_map_create(0_c_int, 0_c_int, [0._real64], handle) ! which rejects it with a message
    end if
  end function

  subroutine read_map(handle, to)
    type(c_ptr), intent(in) :: handle
    class(kubature_map), intent(inout) :: to
    real(c_double), pointer :: edges(:)
    integer(c_int) :: i
    if (allocated(to%edges)) deallocate (to%edges)
    allocate (to%edges(c_map_bins(handle) + 1, c_map_axes(handle)))
    do i = 1, size(to%edges, 2)
      call c_f_pointer(c_map_edges(handle, i - 1), edges, [size(to%edges, 1)])
      to%edges(:, i) = edges
    end do
  end subroutine

  ! ---- texts and errors --------------------------------------------------------------------------------------

  function to_text(from) result(text)
    type(c_ptr), intent(in) :: from
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    text = ''
    if (.not. c_associated(from)) return
    call c_f_pointer(from, characters, [c_strlen(from)])
    text = repeat(' ', size(characters))
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function

  function to_c(text) result(with_end)
    character(*), intent(in) :: text
    character(:, c_char), allocatable :: with_end
    with_end = trim(text)//c_null_char
  end function

  subroutine report(code, stat, errmsg)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    if (code == 0) then
      if (present(stat)) stat = 0
    else
      call fail(int(code), to_text(c_last_error()), stat, errmsg)
    end if
  end subroutine

  subroutine fail(code, sentence, stat, errmsg)
    integer, intent(in) :: code
    character(*), intent(in) :: sentence
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    if (present(errmsg)) errmsg = sentence
    if (.not. present(stat)) error stop 'kubature: '//sentence
    stat = code
  end subroutine
end module
