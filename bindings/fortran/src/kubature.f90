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
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funloc, c_funptr, c_int, c_int64_t, c_loc, c_null_funptr, c_null_ptr, &
      c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use kubature_c
  use kubature_functions
  use kubature_values
  implicit none
  private
  public :: kubature_integrator, kubature_result, kubature_iteration, kubature_map, kubature_progress, kubature_function, &
      kubature_point_function, kubature_callback, kubature_version, kubature_initialize, kubature_finalize, int64, real64
  public :: kubature_invalid_argument, kubature_out_of_memory, kubature_unsupported, kubature_failed
  public :: kubature_converged, kubature_completed, kubature_evaluation_limit, kubature_iteration_limit, &
      kubature_time_limit, kubature_precision_limit, kubature_memory_exhausted, kubature_non_finite, &
      kubature_no_variance, kubature_stopped, kubature_infinity

  !> What C has made, and the code that it returned.
  type :: made
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int) :: code = 0
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
    procedure, private :: integrate_expression, integrate_expression_over, integrate_function, integrate_function_over
    !> integrate(f, lower, upper, result) or integrate(f, domain, result): f is a formula or a kubature_function, and a
    !> domain the text that the program takes as --box or --domain, "x=0:1,y=0:x" or "ball 0,0 1".
    generic :: integrate => integrate_expression, integrate_expression_over, integrate_function, integrate_function_over
    procedure, private :: integrate_pointwise_in, integrate_pointwise_over
    !> As integrate, with a kubature_point_function, which is called for one point at a time.
    generic :: integrate_pointwise => integrate_pointwise_in, integrate_pointwise_over
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
    if (bounds_match(lower, upper, stat, errmsg)) call integrate_formula(this, f, made_by_sides(lower, upper), result, &
        variables, stat, errmsg)
  end subroutine

  !> @param breaks points at which sides are cut, as the program takes them: "x=0.3,0.7,y=1"
  subroutine integrate_expression_over(this, f, domain, result, breaks, variables, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    character(*), intent(in) :: f, domain
    type(kubature_result), intent(out) :: result
    character(*), intent(in), optional :: breaks, variables
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    call integrate_formula(this, f, made_by_text(domain, breaks), result, variables, stat, errmsg)
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
    of%batch => f
    if (bounds_match(lower, upper, stat, errmsg)) call integrate_procedure(this, of, made_by_sides(lower, upper), result, &
        components, stat, errmsg)
  end subroutine

  subroutine integrate_function_over(this, f, domain, result, breaks, components, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    procedure(kubature_function) :: f
    character(*), intent(in) :: domain
    type(kubature_result), intent(out) :: result
    character(*), intent(in), optional :: breaks
    integer, intent(in), optional :: components
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    type(context), target :: of
    of%batch => f
    call integrate_procedure(this, of, made_by_text(domain, breaks), result, components, stat, errmsg)
  end subroutine

  subroutine integrate_pointwise_in(this, f, lower, upper, result, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    procedure(kubature_point_function) :: f
    real(real64), intent(in) :: lower(:), upper(:)
    type(kubature_result), intent(out) :: result
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    type(context), target :: of
    of%point => f
    if (bounds_match(lower, upper, stat, errmsg)) call integrate_procedure(this, of, made_by_sides(lower, upper), result, &
        stat=stat, errmsg=errmsg)
  end subroutine

  subroutine integrate_pointwise_over(this, f, domain, result, breaks, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    procedure(kubature_point_function) :: f
    character(*), intent(in) :: domain
    type(kubature_result), intent(out) :: result
    character(*), intent(in), optional :: breaks
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    type(context), target :: of
    of%point => f
    call integrate_procedure(this, of, made_by_text(domain, breaks), result, stat=stat, errmsg=errmsg)
  end subroutine

  logical function bounds_match(lower, upper, stat, errmsg)
    real(real64), intent(in) :: lower(:), upper(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    bounds_match = size(lower) == size(upper)
    if (.not. bounds_match) call fail(kubature_invalid_argument, 'upper: give as many bounds as in lower', stat, errmsg)
  end function

  type(made) function made_by_sides(lower, upper) result(box)
    real(real64), intent(in) :: lower(:), upper(:)
    box%code = c_box_create(int(size(lower), c_int), lower, upper, box%handle)
  end function

  type(made) function made_by_text(domain, breaks) result(box)
    character(*), intent(in) :: domain
    character(*), intent(in), optional :: breaks
    character(:, c_char), allocatable :: cuts
    if (present(breaks)) cuts = to_c(breaks)
    box%code = c_box_create_text(to_c(domain), cuts, box%handle)
  end function

  subroutine integrate_formula(this, f, box, result, variables, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    character(*), intent(in) :: f
    type(made), intent(in) :: box
    type(kubature_result), intent(out) :: result
    character(*), intent(in), optional :: variables
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    character(:, c_char), allocatable :: names
    type(made) :: integrand
    if (present(variables)) names = to_c(variables)
    if (box%code == 0) integrand%code = c_expression(to_c(f), names, integrand%handle)
    call integrate_any(this, integrand, box, result, stat, errmsg)
  end subroutine

  subroutine integrate_procedure(this, of, box, result, components, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    type(context), intent(in), target :: of
    type(made), intent(in) :: box
    type(kubature_result), intent(out) :: result
    integer, intent(in), optional :: components
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    type(made) :: integrand
    type(c_funptr) :: call
    integer(c_int) :: count
    count = 1
    if (present(components)) count = int(components, c_int)
    call = c_funloc(call_points)
    if (associated(of%batch)) call = c_funloc(call_batch)
    if (box%code == 0) integrand%code = c_function(call, count, c_loc(of), integrand%handle)
    call integrate_any(this, integrand, box, result, stat, errmsg)
  end subroutine

  !> Destroys both.
  subroutine integrate_any(this, integrand, box, result, stat, errmsg)
    class(kubature_integrator), intent(inout) :: this
    type(made), intent(in) :: integrand, box
    type(kubature_result), intent(out) :: result
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: found
    integer(c_int) :: code
    found = c_null_ptr
    code = merge(box%code, integrand%code, box%code /= 0)
    if (code == 0) code = c_integrate(this%handle, integrand%handle, box%handle, found)
    if (code == 0) call read_result(found, result)
    call c_result_destroy(found)
    call c_box_destroy(box%handle)
    call c_integrand_destroy(integrand%handle)
    call report(code, stat, errmsg)
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

end module
