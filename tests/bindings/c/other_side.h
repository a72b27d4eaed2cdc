#ifdef __cplusplus
extern "C" {
#endif

/* What only C++ can do, for the tests in C. */

/* An integrand that throws an exception with this text, or an int if the text is empty. */
int throwing_function(long long n, int d, double const* x, int components, double* values, void* text);

int kokkos_is_initialized(void);
int kokkos_is_finalized(void);
void initialize_kokkos(void);
void finalize_kokkos(void);

/* The number of the library's Views allocated and not freed from now on. */
void count_views(void);
int views(void);

/* Ends the program with status 1 unless Kokkos is finalised when it exits, and no View is left. To be called before
   anything of kubature. */
void finalized_at_exit(void);

#ifdef __cplusplus
}
#endif
