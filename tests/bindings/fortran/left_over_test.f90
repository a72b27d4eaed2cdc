! Integrators that a module or the main program keeps end before Kokkos does.
module kept
  use, intrinsic :: iso_fortran_env, only: real64
  use kubature
  implicit none
  type(kubature_integrator) :: in_module
end module

program left_over_test
  use kept
  implicit none
  interface
    subroutine finalized_at_exit() bind(c)
    end subroutine
  end interface
  type(kubature_integrator) :: in_program
  type(kubature_result) :: r

  call finalized_at_exit()
  call in_module%create('mc')
  call in_module%integrate('x*y', [0._real64, 0._real64], [1._real64, 1._real64], r)
  call in_program%create('vegas+')
  call in_program%integrate('x*y', [0._real64, 0._real64], [1._real64, 1._real64], r)
end program
