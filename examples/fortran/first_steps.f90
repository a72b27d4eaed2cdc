! kubature from Fortran: a formula by cubature, functions of one's own by VEGAS+, and a map for the next call.
program first_steps
  use kubature
  implicit none
  real(real64), parameter :: pi = acos(-1._real64), centre(4) = [0.3_real64, 0.5_real64, 0.5_real64, 0.7_real64]
  real(real64) :: lower(4), upper(4), truth
  type(kubature_integrator) :: pagani, vegas
  type(kubature_result) :: r
  type(kubature_map) :: map
  logical :: right

  call pagani%create('pagani')
  call pagani%set('relative', 1e-9_real64)
  call pagani%integrate('exp(-y*(1+x))', [0._real64, 0._real64], [1._real64, kubature_infinity], r)
  print '(2a)', 'log(2) = ', r%text
  right = abs(r%value(1) - log(2._real64)) < 1e-9_real64

  lower = 0
  upper = 1
  truth = product(sqrt(pi) / 20 * (erf(10 * (1 - centre)) + erf(10 * centre)))
  call vegas%create('vegas+')
  call vegas%set('evaluations', 100000)
  call vegas%set('relative', 1e-3_real64)
  call vegas%watch(show)
  call vegas%integrate(gaussians, lower, upper, r)
  print '(2a)', 'Gaussian, many points at once: ', r%text
  right = right .and. r%status == kubature_converged .and. abs(r%value(1) - truth) < 5 * r%error(1)

  call vegas%map(map) ! to keep, by map%save(file), or to begin with
  call vegas%create('vegas+', precision='fp64')
  call vegas%set('evaluations', 100000)
  call vegas%set('relative', 1e-3_real64)
  call vegas%use_map(map)
  call vegas%integrate_pointwise(gaussian, lower, upper, r)
  print '(2a)', 'Gaussian, point by point:      ', r%text
  right = right .and. r%status == kubature_converged .and. abs(r%value(1) - truth) < 5 * r%error(1)
  if (.not. right) error stop 'a result is wrong'

contains

  subroutine gaussians(x, values, status)
    real(real64), intent(in), contiguous :: x(:, :)       ! variables x points
    real(real64), intent(out), contiguous :: values(:, :) ! components x points
    integer, intent(inout) :: status                      ! another number than 0 ends the integration
    integer :: k
    do k = 1, size(x, 2)
      values(1, k) = exp(-100 * sum((x(:, k) - centre)**2))
    end do
    if (size(values, 1) /= 1) status = 1
  end subroutine

  real(real64) function gaussian(x)
    real(real64), intent(in), contiguous :: x(:)
    gaussian = exp(-100 * sum((x - centre)**2))
  end function

  subroutine show(progress, stop)
    type(kubature_progress), intent(in) :: progress
    logical, intent(inout) :: stop ! true ends the integration here
    if (progress%value == progress%value) & ! the first iterations train the map and are left out
        print '(a, i3, a, es10.3, a, es7.0)', '  iteration', progress%iteration, ': ', progress%value, ' +-', progress%error
    stop = .false.
  end subroutine
end program
