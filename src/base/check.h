#pragma once

#include <cstdio>
#include <cstdlib>

/// States what must be true if this program has no bug. Kept in every build.
#define PENSTOCK_CHECK(condition)                                                        \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)
