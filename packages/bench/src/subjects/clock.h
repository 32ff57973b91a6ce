/* What the programs in C have in common: the clock that all of a measurement share, their own CPU time, and giving up. */
#ifndef LDES_LIVE_CLOCK_H
#define LDES_LIVE_CLOCK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

/* Ends the program, and says what failed. */
static inline void fail(const char *what) {
  perror(what);
  exit(1);
}

static inline int64_t now_micros(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Of this process, in user and system. */
static inline int64_t cpu_micros(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec +
         usage.ru_stime.tv_usec;
}

#endif
