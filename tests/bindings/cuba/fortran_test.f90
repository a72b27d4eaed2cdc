! The routines of Cuba from Fortran, by their own interface: no module, everything by reference.
program fortran_test
  use, intrinsic :: iso_fortran_env, only: int64, error_unit
  implicit none
  integer, external :: integrand, integrand_of_all, weighing
  external peaks
  integer, parameter :: ndim = 2, ncomp = 2
  double precision, parameter :: epsrel = 1d-3, epsabs = 1d-12
  double precision :: integral(ncomp), error(ncomp), prob(ncomp), given(3, 1), weighed(ncomp, 1000)
  integer :: neval, fail, nregions
  integer(int64), parameter :: none = -1
  integer(int64) :: long_neval, spin
  logical :: failed = .false., there
  character(40) :: file

  call cubacores(0, 0)
  call cubaaccel(0, 0)
  call vegas(ndim, ncomp, integrand, 3d0, 1, epsrel, epsabs, 0, 0, 0, 50000, 1000, 500, 1000, 0, '', none, &
             neval, fail, integral, error, prob)
  call check('vegas', int(neval, int64))
  call suave(ndim, ncomp, integrand, 3d0, 1, epsrel, epsabs, 4, 0, 0, 50000, 1000, 2, 25d0, '', none, &
             nregions, neval, fail, integral, error, prob)
  call check('suave', int(neval, int64))
  given(:, 1) = [0.5d0, 0.25d0, -1d0]
  call divonne(ndim, ncomp, integrand, 3d0, 1, epsrel, epsabs, 0, 0, 0, 50000, 47, 1, 1, 5, 0d0, 10d0, 0.25d0, 1, 3, &
               given, 1, peaks, '', none, nregions, neval, fail, integral, error, prob)
  call check('divonne', int(neval, int64))
  call cuhre(ndim, ncomp, integrand_of_all, 3d0, 8, epsrel, epsabs, 0, 0, 50000, 9, '', none, nregions, neval, fail, &
             integral, error, prob)
  call check('cuhre', int(neval, int64))

  weighed = 0
  call vegas(ndim, ncomp, weighing, weighed(1, 1), 5, epsrel, epsabs, 4, 0, 0, 200000, 1000, 500, 1000, 0, '', none, &
             neval, fail, integral, error, prob)
  if (fail /= 0 .or. any(abs(weighed(:, last_iteration()) - integral) > 1d-12*integral)) call wrong('weights')

  call llvegas(ndim, ncomp, integrand, 3d0, 1_int64, epsrel, epsabs, 0, 0, 0_int64, 50000_int64, 1000_int64, &
               500_int64, 1000_int64, 0, '', none, long_neval, fail, integral, error, prob)
  call check('llvegas', long_neval)
  call llsuave(ndim, ncomp, integrand, 3d0, 1_int64, epsrel, epsabs, 0, 0, 0_int64, 50000_int64, 1000_int64, 2_int64, &
               25d0, '', none, nregions, long_neval, fail, integral, error, prob)
  call check('llsuave', long_neval)
  call lldivonne(ndim, ncomp, integrand, 3d0, 1_int64, epsrel, epsabs, 0, 0, 0_int64, 50000_int64, 47, 1, 1, 5, 0d0, &
                 10d0, 0.25d0, 0_int64, 2, 0, 0_int64, 0, '', none, nregions, long_neval, fail, integral, error, prob)
  call check('lldivonne', long_neval)
  call llcuhre(ndim, ncomp, integrand, 3d0, 1_int64, epsrel, epsabs, 0, 0_int64, 50000_int64, 0, '', none, nregions, &
               long_neval, fail, integral, error, prob)
  call check('llcuhre', long_neval)

  call cubacores(2, 1000)
  spin = 0
  call cubafork(spin)
  there = spin /= 0
  call cuhre(ndim, ncomp, integrand, 3d0, 1, epsrel, epsabs, 0, 0, 50000, 0, '', spin, nregions, neval, fail, &
             integral, error, prob)
  call check('cuhre by workers', int(neval, int64))
  call cubawait(spin)
  if (.not. there .or. spin /= 0) call wrong('cubafork and cubawait')
  call cubacores(0, 0)

  file = 'kubature-cuba-fortran-state' ! and blanks
  call vegas(ndim, ncomp, integrand, 3d0, 1, 1d-9, 0d0, 0, 0, 0, 5000, 1000, 500, 1000, 0, file, none, &
             neval, fail, integral, error, prob)
  inquire (file='kubature-cuba-fortran-state', exist=there)
  if (.not. there .or. fail /= 1) call wrong('a state file')
  open (unit=20, file=file)
  close (20, status='delete')
  if (failed) error stop 1

contains

  ! The integrals of a x y and of x + y are a / 4 and 1.
  subroutine check(what, evaluations)
    character(*), intent(in) :: what
    integer(int64), intent(in) :: evaluations
    if (fail /= 0 .or. evaluations < 100 .or. evaluations > 50000 .or. &
        any(abs(integral - [0.75d0, 1d0]) > 2d-3) .or. any(error > epsrel*integral)) call wrong(what)
  end subroutine check

  ! The last iteration in which there were weights.
  integer function last_iteration()
    last_iteration = findloc(weighed(1, :) /= 0, .true., dim=1, back=.true.)
  end function last_iteration

  subroutine wrong(what)
    character(*), intent(in) :: what
    write (error_unit, *) what, fail, neval, integral, error
    failed = .true.
  end subroutine wrong

end program fortran_test

integer function integrand(ndim, x, ncomp, f, a)
  implicit none
  integer, intent(in) :: ndim, ncomp
  double precision, intent(in) :: x(ndim), a
  double precision, intent(out) :: f(ncomp)
  f(1) = a*product(x)
  f(2) = sum(x)
  integrand = 0
end function integrand

integer function integrand_of_all(ndim, x, ncomp, f, a, nvec, core)
  implicit none
  integer, intent(in) :: ndim, ncomp, nvec, core
  double precision, intent(in) :: x(ndim, nvec), a
  double precision, intent(out) :: f(ncomp, nvec)
  integer :: k
  do k = 1, nvec
    f(1, k) = a*product(x(:, k))
    f(2, k) = sum(x(:, k))
  end do
  integrand_of_all = merge(0, -999, core == 32768)
end function integrand_of_all

! Sums of weight times value, by iteration.
integer function weighing(ndim, x, ncomp, f, weighed, nvec, core, weight, iteration)
  implicit none
  integer, intent(in) :: ndim, ncomp, nvec, core, iteration
  double precision, intent(in) :: x(ndim, nvec), weight(nvec)
  double precision, intent(out) :: f(ncomp, nvec)
  double precision, intent(inout) :: weighed(ncomp, *)
  f(1, :) = 3*product(x, dim=1)
  f(2, :) = sum(x, dim=1)
  weighed(:, iteration) = weighed(:, iteration) + matmul(f, weight)
  weighing = merge(0, -999, core == 32768)
end function weighing

subroutine peaks(ndim, b, n, x)
  implicit none
  integer, intent(in) :: ndim
  integer, intent(inout) :: n
  double precision, intent(in) :: b(2, ndim)
  double precision, intent(out) :: x(3, n)
  n = 1
  x(1:2, 1) = (b(1, :) + b(2, :))/2
end subroutine peaks
