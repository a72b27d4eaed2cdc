! The declarations of kubature.h that the module kubature needs.
module kubature_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int64_t, c_ptr, c_size_t
  implicit none
  public

  type, bind(c) :: c_progress
    type(c_ptr) :: method
    integer(c_int) :: iteration
    integer(c_int64_t) :: evaluations
    real(c_double) :: value, error, seconds
  end type

  interface
    integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function

    type(c_ptr) function c_version() bind(c, name='kubature_version')
      import :: c_ptr
    end function
    type(c_ptr) function c_last_error() bind(c, name='kubature_last_error')
      import :: c_ptr
    end function
    integer(c_int) function c_initialize() bind(c, name='kubature_initialize')
      import :: c_int
    end function
    integer(c_int) function c_finalize() bind(c, name='kubature_finalize')
      import :: c_int
    end function

    integer(c_int) function c_box_create(dimension, lower, upper, box) bind(c, name='kubature_box_create')
      import :: c_double, c_int, c_ptr
      integer(c_int), value :: dimension
      real(c_double), intent(in) :: lower(*), upper(*)
      type(c_ptr), intent(inout) :: box
    end function
    integer(c_int) function c_box_create_text(text, breaks, box) bind(c, name='kubature_box_create_text')
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: text(*)
      character(kind=c_char), intent(in), optional :: breaks(*)
      type(c_ptr), intent(inout) :: box
    end function
    subroutine c_box_destroy(box) bind(c, name='kubature_box_destroy')
      import :: c_ptr
      type(c_ptr), value :: box
    end subroutine

    integer(c_int) function c_expression(formula, variables, integrand) bind(c, name='kubature_integrand_expression')
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: formula(*)
      character(kind=c_char), intent(in), optional :: variables(*)
      type(c_ptr), intent(inout) :: integrand
    end function
    integer(c_int) function c_function(f, components, user, integrand) bind(c, name='kubature_integrand_function')
      import :: c_funptr, c_int, c_ptr
      type(c_funptr), value :: f
      integer(c_int), value :: components
      type(c_ptr), value :: user
      type(c_ptr), intent(inout) :: integrand
    end function
    subroutine c_integrand_destroy(integrand) bind(c, name='kubature_integrand_destroy')
      import :: c_ptr
      type(c_ptr), value :: integrand
    end subroutine

    integer(c_int) function c_integrator_create(method, precision, integrator) bind(c, name='kubature_integrator_create')
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: method(*)
      character(kind=c_char), intent(in), optional :: precision(*)
      type(c_ptr), intent(inout) :: integrator
    end function
    integer(c_int) function c_integrator_create_mpi(method, precision, communicator, integrator) &
        bind(c, name='kubature_integrator_create_mpi')
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: method(*)
      character(kind=c_char), intent(in), optional :: precision(*)
      integer(c_int), value :: communicator
      type(c_ptr), intent(inout) :: integrator
    end function
    subroutine c_integrator_destroy(integrator) bind(c, name='kubature_integrator_destroy')
      import :: c_ptr
      type(c_ptr), value :: integrator
    end subroutine
    integer(c_int) function c_set(integrator, option, value) bind(c, name='kubature_set')
      import :: c_char, c_double, c_int, c_ptr
      type(c_ptr), value :: integrator
      character(kind=c_char), intent(in) :: option(*)
      real(c_double), value :: value
    end function
    integer(c_int) function c_set_text(integrator, option, value) bind(c, name='kubature_set_text')
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: integrator
      character(kind=c_char), intent(in) :: option(*), value(*)
    end function
    integer(c_int) function c_get_text(integrator, option, value) bind(c, name='kubature_get_text')
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: integrator
      character(kind=c_char), intent(in) :: option(*)
      type(c_ptr), intent(inout) :: value
    end function
    integer(c_int) function c_set_callback(integrator, callback, user) bind(c, name='kubature_set_callback')
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: integrator, user
      type(c_funptr), value :: callback
    end function
    integer(c_int) function c_integrate(integrator, integrand, box, result) bind(c, name='kubature_integrate')
      import :: c_int, c_ptr
      type(c_ptr), value :: integrator, integrand, box
      type(c_ptr), intent(inout) :: result
    end function

    integer(c_int) function c_status(result) bind(c, name='kubature_result_status')
      import :: c_int, c_ptr
      type(c_ptr), value :: result
    end function
    type(c_ptr) function c_status_name(status) bind(c, name='kubature_status_name')
      import :: c_int, c_ptr
      integer(c_int), value :: status
    end function
    integer(c_int) function c_components(result) bind(c, name='kubature_result_components')
      import :: c_int, c_ptr
      type(c_ptr), value :: result
    end function
    real(c_double) function c_value(result, component) bind(c, name='kubature_result_value')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: result
      integer(c_int), value :: component
    end function
    real(c_double) function c_error(result, component) bind(c, name='kubature_result_error')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: result
      integer(c_int), value :: component
    end function
    real(c_double) function c_covariance(result, i, j) bind(c, name='kubature_result_covariance')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: result
      integer(c_int), value :: i, j
    end function
    real(c_double) function c_chi2_per_dof(result, component) bind(c, name='kubature_result_chi2_per_dof')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: result
      integer(c_int), value :: component
    end function
    real(c_double) function c_q_value(result, component) bind(c, name='kubature_result_q_value')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: result
      integer(c_int), value :: component
    end function
    integer(c_int64_t) function c_evaluations(result) bind(c, name='kubature_result_evaluations')
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: result
    end function
    integer(c_int64_t) function c_regions(result) bind(c, name='kubature_result_regions')
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: result
    end function
    integer(c_int64_t) function c_non_finite(result) bind(c, name='kubature_result_non_finite')
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: result
    end function
    real(c_double) function c_chi2(result) bind(c, name='kubature_result_chi2')
      import :: c_double, c_ptr
      type(c_ptr), value :: result
    end function
    integer(c_int) function c_dof(result) bind(c, name='kubature_result_dof')
      import :: c_int, c_ptr
      type(c_ptr), value :: result
    end function
    real(c_double) function c_k_hat(result) bind(c, name='kubature_result_k_hat')
      import :: c_double, c_ptr
      type(c_ptr), value :: result
    end function
    real(c_double) function c_seconds(result) bind(c, name='kubature_result_seconds')
      import :: c_double, c_ptr
      type(c_ptr), value :: result
    end function
    type(c_ptr) function c_method(result) bind(c, name='kubature_result_method')
      import :: c_ptr
      type(c_ptr), value :: result
    end function
    type(c_ptr) function c_precision(result) bind(c, name='kubature_result_precision')
      import :: c_ptr
      type(c_ptr), value :: result
    end function
    type(c_ptr) function c_backend(result) bind(c, name='kubature_result_backend')
      import :: c_ptr
      type(c_ptr), value :: result
    end function
    integer(c_int) function c_iterations(result) bind(c, name='kubature_result_iterations')
      import :: c_int, c_ptr
      type(c_ptr), value :: result
    end function
    integer(c_int) function c_iteration(result, i, component, value, error, evaluations, included) &
        bind(c, name='kubature_result_iteration')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: result
      integer(c_int), value :: i, component
      real(c_double), intent(out) :: value, error
      integer(c_int64_t), intent(out) :: evaluations
      integer(c_int), intent(out) :: included
    end function
    type(c_ptr) function c_text(result) bind(c, name='kubature_result_text')
      import :: c_ptr
      type(c_ptr), value :: result
    end function
    subroutine c_result_destroy(result) bind(c, name='kubature_result_destroy')
      import :: c_ptr
      type(c_ptr), value :: result
    end subroutine

    integer(c_int) function c_map_create(axes, bins, edges, map) bind(c, name='kubature_map_create')
      import :: c_double, c_int, c_ptr
      integer(c_int), value :: axes, bins
      real(c_double), intent(in) :: edges(*)
      type(c_ptr), intent(inout) :: map
    end function
    integer(c_int) function c_map_of(integrator, map) bind(c, name='kubature_map_of')
      import :: c_int, c_ptr
      type(c_ptr), value :: integrator
      type(c_ptr), intent(inout) :: map
    end function
    integer(c_int) function c_map_load(file, map) bind(c, name='kubature_map_load')
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: file(*)
      type(c_ptr), intent(inout) :: map
    end function
    integer(c_int) function c_map_save(map, file) bind(c, name='kubature_map_save')
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: map
      character(kind=c_char), intent(in) :: file(*)
    end function
    integer(c_int) function c_map_axes(map) bind(c, name='kubature_map_axes')
      import :: c_int, c_ptr
      type(c_ptr), value :: map
    end function
    integer(c_int) function c_map_bins(map) bind(c, name='kubature_map_bins')
      import :: c_int, c_ptr
      type(c_ptr), value :: map
    end function
    type(c_ptr) function c_map_edges(map, axis) bind(c, name='kubature_map_edges')
      import :: c_int, c_ptr
      type(c_ptr), value :: map
      integer(c_int), value :: axis
    end function
    subroutine c_map_destroy(map) bind(c, name='kubature_map_destroy')
      import :: c_ptr
      type(c_ptr), value :: map
    end subroutine
    integer(c_int) function c_use_map(integrator, map) bind(c, name='kubature_use_map')
      import :: c_int, c_ptr
      type(c_ptr), value :: integrator, map
    end function
  end interface
end module
