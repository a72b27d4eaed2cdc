! What the module kubature promises.
module functions
  use kubature
  implicit none
  integer :: failures = 0, calls = 0, fail_at = 0

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(2a)', 'does not hold: ', what
    failures = failures + 1
  end subroutine

  subroutine batch(x, values, status)
    real(real64), intent(in), contiguous :: x(:, :)
    real(real64), intent(out), contiguous :: values(:, :)
    integer, intent(inout) :: status
    calls = calls + 1
    if (calls == fail_at) status = 17
    call check(size(x, 1) == 2 .and. size(values, 1) == 1 .and. size(x, 2) == size(values, 2), 'shapes')
    call check(all(x(1, :) > 0 .and. x(1, :) < 1 .and. x(2, :) > 0 .and. x(2, :) < 2), 'points of the box')
    values(1, :) = exp(-x(1, :)**2 - x(2, :))
  end subroutine

  real(real64) function point(x)
    real(real64), intent(in), contiguous :: x(:)
    point = exp(-x(1)**2 - x(2))
  end function

  !> The squares of the coordinates.
  subroutine squares(x, values, status)
    real(real64), intent(in), contiguous :: x(:, :)
    real(real64), intent(out), contiguous :: values(:, :)
    integer, intent(inout) :: status
    if (size(x, 1) /= size(values, 1)) status = 1
    values = x**2
  end subroutine

  real(real64) function square(x)
    real(real64), intent(in), contiguous :: x(:)
    square = x(1)**2
  end function

  subroutine stop_after_three(progress, stop)
    type(kubature_progress), intent(in) :: progress
    logical, intent(inout) :: stop
    call check(progress%method == 'vegas+', 'the method in the callback')
    stop = progress%iteration >= 3
  end subroutine
end module

program module_test
  use functions
  implicit none
  real(real64), parameter :: zero(2) = 0, upper(2) = [1, 2], truth = 0.6457524772703195_real64
  type(kubature_integrator), allocatable :: vegas
  type(kubature_integrator) :: other, pagani
  type(kubature_result) :: r, same
  type(kubature_map) :: map, loaded
  character(:), allocatable :: text
  integer :: stat, call

  call check(len(kubature_version()) > 10, 'version')
  allocate (vegas)
  call vegas%create('vegas+')
  call vegas%set('evaluations', 20000)
  call vegas%set('iterations', 6_int64)
  call vegas%set('skip', '2')
  call vegas%set('one_map', .false.)
  call vegas%get('evaluations', text)
  call check(text == '20000', 'get')
  call vegas%integrate(batch, zero, upper, r)
  call check(r%status == kubature_completed .and. r%status_name == 'completed', 'status')
  call check(size(r%value) == 1 .and. abs(r%value(1) - truth) < 5 * r%error(1), 'value')
  call check(r%chi2_per_dof(1) >= 0 .and. r%q_value(1) >= 0 .and. r%seconds > 0, 'agreement')
  call check(r%k_hat < 0.6 .and. r%k_hat > -10, 'k_hat')
  call check(size(r%iterations) == 6 .and. .not. r%iterations(2)%included .and. r%iterations(3)%included, 'iterations')
  call check(sum(r%iterations%evaluations) <= r%evaluations .and. r%iterations(6)%error(1) > 0, 'evaluations')
  call check(r%method == 'vegas+' .and. r%precision == 'fp64' .and. len(r%backend) > 0, 'names')
  call check(index(r%text, '0.645') == 1, 'text')

  call other%create('vegas+')
  call other%set('evaluations', 2e4_real64)
  call other%set('iterations', 6)
  call other%set('skip', 2)
  call other%integrate_pointwise(point, zero, upper, same)
  call check(abs(same%value(1) - r%value(1)) < 1e-12_real64, 'point by point, the same')

  call other%set('relative', 1e-12_real64)
  call other%set('max_evaluations', 70000)
  call other%integrate_pointwise(point, zero, upper, same)
  call check(same%status == kubature_evaluation_limit .and. same%evaluations <= 70000, 'max_evaluations')

  call vegas%map(map)
  call check(size(map%edges, 2) == 2 .and. all(map%edges(1, :) <= 0) .and. all(map%edges(size(map%edges, 1), :) >= 1), 'map')
  call map%save('fortran_test.map')
  call loaded%load('fortran_test.map')
  call check(all(abs(map%edges - loaded%edges) <= 0), 'the map from its file')
  call other%use_map(loaded)
  call other%watch(stop_after_three)
  call other%integrate(batch, zero, upper, r)
  call check(r%status == kubature_stopped .and. size(r%iterations) == 3 .and. r%iterations(1)%included, 'stopped')
  call other%watch()

  calls = 0
  fail_at = 3
  call other%integrate(batch, zero, upper, r, stat=stat, errmsg=text)
  call check(stat == 17 .and. text == 'the integrand returned 17' .and. .not. allocated(r%value), 'a status ends the call')
  call other%integrate('exp(-b)', zero, upper, r, variables='a,b')
  call check(abs(r%value(1) - (1 - exp(-2._real64))) < 5 * r%error(1), 'names of variables')

  call other%integrate('x*y', zero, [1._real64], r, stat=stat, errmsg=text)
  call check(stat == kubature_invalid_argument .and. index(text, 'upper') == 1, 'bounds of two lengths')
  call other%integrate('x*', zero, upper, r, stat=stat, errmsg=text)
  call check(stat == kubature_invalid_argument .and. index(text, 'expression = x*: column') == 1, 'a formula')
  call other%integrate(batch, zero, upper, r, components=100000, stat=stat, errmsg=text)
  call check(stat == kubature_invalid_argument .and. index(text, 'components = 100000') == 1, 'too many components')
  call pagani%create('pagani')
  call pagani%set('relative', 1e-9_real64)
  call pagani%integrate('x*y', 'x=0:1,y=0:x', r)
  call check(r%status == kubature_converged .and. abs(r%value(1) - 0.125_real64) < 1e-9_real64, 'a triangle')
  call pagani%integrate('b*(a-0.3)^2', 'a=0:1,b=0:a', r, variables='a,b')
  call check(abs(r%value(1) - 0.04_real64) < 1e-9_real64, 'names of variables of a domain')
  call pagani%integrate('x', zero, upper, r)
  call check(abs(r%value(1) - 1) < 1e-9_real64, 'more sides than variables')
  call pagani%integrate('3', zero, upper, r)
  call check(abs(r%value(1) - 6) < 1e-9_real64, 'a constant')
  call pagani%integrate('abs(x-0.3)', 'x=0:1', r, breaks='x=0.3')
  call check(r%status == kubature_converged .and. abs(r%value(1) - 0.29_real64) < 1e-9_real64, 'break points')
  call pagani%integrate('x^2', 'x~normal(1, 2)', r)
  call check(abs(r%value(1) - 5) < 1e-8_real64, 'a distribution')
  call pagani%integrate_pointwise(square, 'ball 0,0 1', r)
  call check(abs(r%value(1) - acos(-1._real64) / 4) < 1e-8_real64, 'a disc, point by point')
  call pagani%integrate(squares, 'ball 0,0 1', same, components=2)
  call check(abs(same%value(1) - r%value(1)) < 1e-8_real64 .and. abs(same%value(2) - r%value(1)) < 1e-8_real64, 'a disc')
  call pagani%integrate('x*y', 'x=0:1,y=0:z', r, stat=stat, errmsg=text)
  call check(stat == kubature_invalid_argument .and. index(text, 'box = ') == 1 .and. .not. allocated(r%value), 'a bound')
  call pagani%destroy()

  call other%integrate('x; x+y', zero, upper, r)
  call check(size(r%value) == 2 .and. size(r%iterations(1)%value) == 2, 'two components')
  call check(.not. allocated(r%covariance), 'no covariance')
  call check(size(r%complex_value()) == 1 .and. all(abs(abs(r%complex_value()) - hypot(r%value(1), r%value(2))) < 1e-12_real64), &
             'a complex value')
  call other%set('covariance', 'full')
  call other%integrate('x; x+y', zero, upper, r)
  call check(all(shape(r%covariance) == [2, 2]), 'covariance')
  call check(r%chi2 > 0 .and. r%dof > 0, 'agreement of all components')
  call check(abs(r%covariance(1, 1) / r%error(1)**2 - 1) < 1e-12_real64 .and. r%covariance(1, 2) > 0, 'correlated')
  call other%set('bims', 3, stat, text)
  call check(stat == kubature_invalid_argument .and. index(text, 'option = bims') == 1, 'an option')
  call loaded%load('/nonexistent/map', stat, text)
  call check(stat == kubature_invalid_argument .and. size(loaded%edges, 2) == 2, 'a file')
  deallocate (loaded%edges)
  call other%use_map(loaded, stat)
  call check(stat == kubature_invalid_argument, 'no map')
  call kubature_finalize(stat, text)
  call check(stat == kubature_invalid_argument .and. index(text, 'integrators = 2') == 1, 'integrators are left')
  call other%create('vegas', stat=stat, errmsg=text)
  call check(stat == kubature_invalid_argument .and. index(text, 'method = vegas: ') == 1, 'a method')
  call other%set('relative', 1e-3_real64, stat=stat, errmsg=text)
  call check(stat == kubature_invalid_argument .and. index(text, 'integrator = NULL') == 1, 'no integrator')

  do call = 1, 100 ! ends as it is created anew
    call vegas%create('mc', 'fp32')
  end do
  call vegas%set('evaluations', 1000)
  call vegas%integrate('x*y', zero, upper, r)
  call check(r%precision == 'fp32', 'precision')
  deallocate (vegas) ! finalises it
  call kubature_finalize()
  if (failures > 0) error stop 1
end program
