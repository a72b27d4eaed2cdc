!> Functions and callbacks of Fortran, and the procedures through which C calls them.
module kubature_functions
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use kubature_c
  use kubature_values
  implicit none
  private
  public :: kubature_function, kubature_point_function, kubature_callback, context, call_batch, call_points, call_back

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

contains

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
