! What the tutorials show in Fortran: a formula, a domain, a scan of a parameter, and several components. Every integral
! has a known value.
program tutorial
  use kubature
  implicit none
  real(real64), parameter :: zeros(3) = 0, ones(3) = 1, decayed = 0.7965995992970531_real64
  type(kubature_integrator) :: automatic, pagani, vegas
  type(kubature_result) :: r
  real(real64) :: rate, mean, truth
  logical :: right
  integer :: step

  ! A first integral
  call automatic%create('auto')
  call automatic%set('relative', 1e-8_real64)
  call automatic%integrate('exp(-x*y)', [0._real64, 0._real64], [1._real64, 1._real64], r)
  print '(a)', r%text
  right = abs(r%value(1) - decayed) < 1e-8_real64

  ! A domain
  call automatic%integrate('x*y', 'x=0:1,y=0:x', r)
  right = right .and. abs(r%value(1) - 0.125_real64) < 1e-8_real64

  ! A pole, which Auto removes from the formula
  call automatic%integrate('1/sqrt(1-x)', [0._real64], [1._real64], r)
  right = right .and. abs(r%value(1) - 2) < 2e-8_real64

  ! A scan of a parameter
  call pagani%create('pagani')
  call pagani%set('relative', 1e-8_real64)
  do step = 0, 3
    rate = 2._real64**(step - 1)
    call pagani%integrate(decay, zeros(:2), ones(:2), r)
    print '(a, f4.1, 2a)', 'rate ', rate, ': ', r%text
    if (step == 1) right = right .and. abs(r%value(1) - decayed) < 1e-8_real64
  end do

  ! Several components
  call vegas%create('vegas+')
  call vegas%set('relative', 1e-4_real64)
  call vegas%set('evaluations', 100000)
  call vegas%set('covariance', 'full')
  call vegas%integrate(moments, zeros, ones, r, components=2)
  mean = r%value(2) / r%value(1)
  print '(a, f9.6)', '<x> = ', mean
  truth = (1 - exp(-1._real64)) / (sqrt(acos(-1._real64)) * erf(1._real64))
  right = right .and. r%status == kubature_converged .and. abs(mean - truth) < 1e-3_real64
  right = right .and. all(shape(r%covariance) == [2, 2])
  if (.not. right) error stop 'a result is wrong'

contains

  !> exp(-rate x y)
  subroutine decay(x, values, status)
    real(real64), intent(in), contiguous :: x(:, :)       ! variables x points
    real(real64), intent(out), contiguous :: values(:, :) ! components x points
    integer, intent(inout) :: status                      ! another number than 0 ends the integration
    values(1, :) = exp(-rate * x(1, :) * x(2, :))
    if (size(values, 1) /= 1) status = 1
  end subroutine

  !> A density that is not normalised, and the density times x.
  subroutine moments(x, values, status)
    real(real64), intent(in), contiguous :: x(:, :)
    real(real64), intent(out), contiguous :: values(:, :)
    integer, intent(inout) :: status
    values(1, :) = exp(-sum(x**2, dim=1))
    values(2, :) = x(1, :) * values(1, :)
    if (size(values, 1) /= 2) status = 1
  end subroutine
end program
