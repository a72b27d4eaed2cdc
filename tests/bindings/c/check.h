#include <stdio.h>
#include <string.h>

/* Reports a condition that does not hold, with its line; main returns `failures`. */
extern int failures;

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s\n    last error: %s\n", __FILE__, __LINE__, #condition, kubature_last_error());       \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (0)

/* A call that is refused with this code and a message that begins with this sentence. */
#define REFUSED(call, code, sentence)                                                                                  \
  do {                                                                                                                 \
    int const returned = (call);                                                                                       \
    if (returned != (code) || strncmp(kubature_last_error(), sentence, strlen(sentence)) != 0) {                       \
      fprintf(stderr, "%s:%d: %s\n    returned %d: %s\n    instead of   %d: %s\n", __FILE__, __LINE__, #call,          \
              returned, kubature_last_error(), code, sentence);                                                        \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (0)
