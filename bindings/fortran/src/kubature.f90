!> Integrals of functions of 1 to 1024 variables over boxes. Methods, precisions and options are given by name, as
!> `kubature list` prints them.
!>
!>     use kubature
!>     type(kubature_integrator) :: vegas
!>     type(kubature_result) :: r
!>     call vegas%create('vegas+')
!>     call vegas%set('relative', 1e-4_real64)
!>     call vegas%integrate('exp(-x*y-y)', [0._real64, 0._real64], [1._real64, kubature_infinity], r)
!>     print '(a)', r%text
!>
!> Procedures that can fail take stat and errmsg, as allocate does: stat is 0, one of the numbers below, or what the
!> integrand set, and errmsg is a message. Without stat, a failure ends the program with that message. Failure to reach
!> a tolerance is not an error but a status of the result.
module kubature
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_funloc, c_int, c_int64_t, c_loc, &
      c_null_funptr, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use kubature_c
  use kubature_values
  implicit none
  private
  public :: kubature_integrator, kubature_result, kubature_iteration, kubature_map, kubature_progress, kubature_function, &
      kubature_point_function, kubature_callback, kubature_version, kubature_initialize, kubature_finalize, int64, real64
  public :: kubature_invalid_argument, kubature_out_of_memory, kubature_unsupported, kubature_failed
  public :: kubature_converged, kubature_completed, kubature_evaluation_limit, kubature_iteration_limit, &
      kubature_time_limit, kubature_precision_limit, kubature_memory_exhausted, kubature_non_finite, &
      kubature_no_variance, kubature_stopped, kubature_infinity

  abstract interface
    !> Many points at once: x(i, k) is coordinate i of point k, and values(c, k) is component c there. A status other
    !> than 0 ends the integration.
    subroutine kubature_function(x, values, status)
      import :: real64
      real(real64), intent(in), contiguous :: x(:, :)
      real(real64), intent(out), contiguous :: values(:, :)
      integer, intent(inout) :: status
    end subroutine
    !> A single point.
    real(real64) function kubature_point_function(x)
      import :: real64
      real(real64), intent(in), contiguous :: x(:)
    end function
    !> Called after each iteration, and about ten times a second during a long one.
    subroutine kubature_callback(progress, stop)
      import :: kubature_progress
      type(kubature_progress), intent(in) :: progress
      logical, intent(inout) :: stop
    end subroutine
  end interface

  !> The state that the procedures called from C receive through their pointer.
  type :: context
    procedure(kubature_function), pointer, nopass :: batch => null()
    procedure(kubature_point_function), pointer, nopass :: point => null()
    procedure(kubature_callback), pointer, nopass :: callback => null()
  end type

  !> A method with its options and the state that it keeps from call to call. It cannot be copied; it is destroyed with
  !> its variable, by destroy, or when it is created anew.
  type :: kubature_integrator
    private
    type(c_ptr) :: handle = c_null_ptr
    type(context), pointer :: own => null()
  contains
    procedure :: create
    procedure, private :: set_real, set_int32, set_int64, set_logical, set_text
    !> Sets an option, tolerance or limit by name.
    generic :: set => set_real, set_int32, set_int64, set_logical, set_text
    procedure :: get
    procedure :: watch
    procedure, private :: integrate_expression, integrate_function
    !> integrate(f, lower, upper, result): f is a formula or a kubature_function.
    generic :: integrate => integrate_expression, integrate_function
    procedure :: integrate_pointwise
    procedure :: map
    procedure :: use_map
    procedure :: destroy
    procedure, private :: refuse_copy
    generic :: assignment(=) => refuse_copy
    final :: finish
  end type

contains

  !> "0.2.0, commit 0123456789ab, Kokkos 5.2.2 (OpenMP, Serial), GCC 16.1.0".
  function kubature_version() result(line)
    character(:), allocatable :: line
    line = to_text(c_version())
  end function

  !> Initialises Kokkos unless it already is; procedures that need Kokkos do so themselves.
  subroutine kubature_initialize(stat, errmsg)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    call report(c_initialize(), stat, errmsg)
  end subroutine

  !> Finalises Kokkos if this library has initialised it; integrators must be destroyed before.
  subroutine kubature_finalize(stat, errmsg)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    call report(c_finalize(), stat, errmsg)
  end subroutine

  ! ---- integrators -------------------------------------------------------------------------------------------

  !> @param method       'vegas+', 'mcubes', 'mc', 'pagani', ...
  !> @param precision    'fp64', 'fp32', 'adaptive', ...; by default that of the method
  !> @param communicator of MPI, whose ranks work together and all make the same calls; %mpi_val of an mpi_f08 one
  subroutine create(this, method, precision, communicator, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    character(*), intent(in) :: method
    character(*), intent(in), optional :: precision
    integer, intent(in), optional :: communicator
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    character(:, c_char), allocatable :: name
    call this%destroy()
    if (present(precision)) name = to_c(precision)
    if (present(communicator)) then
      call report(c_integrator_create_mpi(to_c(method), name, int(communicator, c_int), this%handle), stat, errmsg)
    else
      call report(c_integrator_create(to_c(method), name, this%handle), stat, errmsg)
    end if
    allocate (this%own)
  end subroutine

  subroutine destroy(this)
    class(kubature_integrator), intent(inout) :: this
    call c_integrator_destroy(this%handle)
    this%handle = c_null_ptr
    if (associated(this%own)) deallocate (this%own)
  end subroutine

  impure elemental subroutine finish(this)
    type(kubature_integrator), intent(inout) :: this
    call this%destroy()
  end subroutine

  subroutine refuse_copy(to, from)
    class(kubature_integrator), intent(inout) :: to
    type(kubature_integrator), intent(in) :: from
    if (.not. (associated(to%own, from%own))) error stop 'kubature: an integrator cannot be copied'
  end subroutine

  subroutine set_real(this, option, value, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    character(*), intent(in) :: option
    real(real64), intent(in) :: value
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    call report(c_set(this%handle, to_c(option), value), stat, errmsg)
  end subroutine

  subroutine set_int32(this, option, value, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    character(*), intent(in) :: option
    integer(int32), intent(in) :: value
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    call this%set_int64(option, int(value, int64), stat, errmsg)
  end subroutine

  subroutine set_int64(this, option, value, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    character(*), intent(in) :: option
    integer(int64), intent(in) :: value
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    character(24) :: digits
    write (digits, '(i0)') value
    call this%set_text(option, digits, stat, errmsg)
  end subroutine

  subroutine set_logical(this, option, value, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    character(*), intent(in) :: option
    logical, intent(in) :: value
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    call this%set_text(option, trim(merge('true ', 'false', value)), stat, errmsg)
  end subroutine

  subroutine set_text(this, option, value, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    character(*), intent(in) :: option, value
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    call report(c_set_text(this%handle, to_c(option), to_c(value)), stat, errmsg)
  end subroutine

  !> The value that a call uses.
  subroutine get(this, option, value, stat, errmsg)
    class(kubature_integrator), intent(in) :: this
    character(*), intent(in) :: option
    character(:), allocatable, intent(out) :: value
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: text
    text = c_null_ptr
    call report(c_get_text(this%handle, to_c(option), text), stat, errmsg)
    value = to_text(text)
  end subroutine

  !> Sets the callback for the progress of the calls that follow; without an argument, there is none.
  subroutine watch(this, callback, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    procedure(kubature_callback), optional :: callback
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    if (.not. present(callback)) then
      call report(c_set_callback(this%handle, c_null_funptr, c_null_ptr), stat, errmsg)
    else
      if (associated(this%own)) this%own%callback => callback
      call report(c_set_callback(this%handle, c_funloc(call_back), c_loc(this%own)), stat, errmsg)
    end if
  end subroutine

  !> @param variables names in the order of the box's sides, separated by commas; by default x1 to x1024, or x, y, z, w,
  !>                  v, u, t, s
  subroutine integrate_expression(this, f, lower, upper, result, variables, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    character(*), intent(in) :: f
    real(real64), intent(in) :: lower(:), upper(:)
    type(kubature_result), intent(out) :: result
    character(*), intent(in), optional :: variables
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    character(:, c_char), allocatable :: names
    type(c_ptr) :: integrand
    integer(c_int) :: code
    if (present(variables)) names = to_c(variables)
    integrand = c_null_ptr
    code = c_expression(to_c(f), names, integrand)
    call integrate_any(this, code, integrand, lower, upper, result, stat, errmsg)
  end subroutine

  !> @param components number of values at a point
  subroutine integrate_function(this, f, lower, upper, result, components, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    procedure(kubature_function) :: f
    real(real64), intent(in) :: lower(:), upper(:)
    type(kubature_result), intent(out) :: result
    integer, intent(in), optional :: components
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    type(context), target :: of
    type(c_ptr) :: integrand
    integer(c_int) :: code, count
    of%batch => f
    count = 1
    if (present(components)) count = int(components, c_int)
    integrand = c_null_ptr
    code = c_function(c_funloc(call_batch), count, c_loc(of), integrand)
    call integrate_any(this, code, integrand, lower, upper, result, stat, errmsg)
  end subroutine

  !> As integrate, with a kubature_point_function, which is called for one point at a time.
  subroutine integrate_pointwise(this, f, lower, upper, result, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    procedure(kubature_point_function) :: f
    real(real64), intent(in) :: lower(:), upper(:)
    type(kubature_result), intent(out) :: result
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    type(context), target :: of
    type(c_ptr) :: integrand
    integer(c_int) :: code
    of%point => f
    integrand = c_null_ptr
    code = c_function(c_funloc(call_points), 1_c_int, c_loc(of), integrand)
    call integrate_any(this, code, integrand, lower, upper, result, stat, errmsg)
  end subroutine

  subroutine integrate_any(this, code, integrand, lower, upper, result, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    integer(c_int), intent(in) :: code !< returned by the call that made the integrand
    type(c_ptr), intent(in) :: integrand
    real(real64), intent(in) :: lower(:), upper(:)
    type(kubature_result), intent(out) :: result
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: box, found
    integer(c_int) :: returned
    box = c_null_ptr
    found = c_null_ptr
    returned = code
    if (returned == 0 .and. size(lower) /= size(upper)) then
      call c_integrand_destroy(integrand)
      call fail(kubature_invalid_argument, 'upper: give as many bounds as in lower', stat, errmsg)
      return
    end if
    if (returned == 0) returned = c_box_create(int(size(lower), c_int), lower, upper, box)
    if (returned == 0) returned = c_integrate(this%handle, integrand, box, found)
    if (returned == 0) call read_result(found, result)
    call c_result_destroy(found)
    call c_box_destroy(box)
    call c_integrand_destroy(integrand)
    call report(returned, stat, errmsg)
  end subroutine

  ! ---- maps --------------------------------------------------------------------------------------------------

  !> The map that the calls so far have trained.
  subroutine map(this, to, stat, errmsg)
    class(kubature_integrator), intent(in) :: this
    type(kubature_map), intent(out) :: to
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int) :: code
    handle = c_null_ptr
    code = c_map_of(this%handle, handle)
    if (code == 0) call read_map(handle, to)
    call c_map_destroy(handle)
    call report(code, stat, errmsg)
  end subroutine

  !> Starts the calls that follow from this map, with its number of bins.
  subroutine use_map(this, from, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    type(kubature_map), intent(in) :: from
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int) :: code
    handle = c_null_ptr
    code = make_map(from, handle)
    if (code == 0) code = c_use_map(this%handle, handle)
    call c_map_destroy(handle)
    call report(code, stat, errmsg)
  end subroutine

  ! ---- called from C ------------------------------------------------------------------------------------------

  integer(c_int) function call_batch(n, d, x, components, values, user) bind(c, name='') result(returned)
    integer(c_int64_t), value :: n
    integer(c_int), value :: d, components
    type(c_ptr), value :: x, values, user
    type(context), pointer :: of
    real(c_double), pointer, contiguous :: points(:, :), at(:, :)
    integer :: status
    call c_f_pointer(user, of)
    call c_f_pointer(x, points, [int(d, c_int64_t), n])
    call c_f_pointer(values, at, [int(components, c_int64_t), n])
    status = 0
    call of%batch(points, at, status)
    returned = int(status, c_int)
  end function

  integer(c_int) function call_points(n, d, x, components, values, user) bind(c, name='') result(returned)
    integer(c_int64_t), value :: n
    integer(c_int), value :: d, components
    type(c_ptr), value :: x, values, user
    type(context), pointer :: of
    real(c_double), pointer, contiguous :: points(:, :), at(:, :)
    integer(c_int64_t) :: k
    call c_f_pointer(user, of)
    call c_f_pointer(x, points, [int(d, c_int64_t), n])
    call c_f_pointer(values, at, [int(components, c_int64_t), n])
    do k = 1, n
      at(1, k) = of%point(points(:, k))
    end do
    returned = 0
  end function

  integer(c_int) function call_back(progress, user) bind(c, name='') result(returned)
    type(c_progress), intent(in) :: progress
    type(c_ptr), value :: user
    type(context), pointer :: of
    logical :: stop
    call c_f_pointer(user, of)
    stop = .false.
    call of%callback(kubature_progress(to_text(progress%method), progress%iteration, progress%evaluations, progress%value, &
        progress%error, progress%seconds), stop)
    returned = merge(1_c_int, 0_c_int, stop)
  end function

end module
