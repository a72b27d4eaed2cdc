# R's package cubature over kubature, whose functions take the place of the package's own:
#
#     LD_PRELOAD=/usr/lib/libkubature_cubature.so Rscript cubature.R
library(cubature)

gaussian <- function(x) exp(-0.5 * sum(x^2))
gaussians <- function(x) matrix(exp(-0.5 * colSums(x^2)), ncol = ncol(x)) # many points at once
exact <- (sqrt(2 * pi) * (2 * pnorm(2) - 1))^3

one <- hcubature(gaussian, rep(-2, 3), rep(2, 3), tol = 1e-8)
many <- hcubature(gaussians, rep(-2, 3), rep(2, 3), tol = 1e-8, vectorInterface = TRUE)
smooth <- pcubature(function(x) cos(x[1]) * cos(x[2]), c(0, 0), c(1, 1), tol = 1e-10)
short <- hcubature(gaussian, rep(-2, 3), rep(2, 3), tol = 1e-8, maxEval = 1000)

cat(sprintf("%.10f +- %.1e, %d evaluations\n", one$integral, one$error, one$functionEvaluations))
stopifnot(one$returnCode == 0, abs(one$integral - exact) < 1e-7, abs(many$integral - exact) < 1e-7,
          abs(smooth$integral - sin(1)^2) < 1e-10,
          short$returnCode == 2) # not met: the package's own functions return 0
