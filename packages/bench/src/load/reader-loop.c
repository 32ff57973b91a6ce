/* The readers of the benchmark `fanout` when the CPU time of a server is measured: they read what comes, and no more. Readers
 * that did more would have to share the processor's cache with the server, which the readers of a real one do not.
 *
 *   reader-loop PORT PATH COUNT    of 127.0.0.1
 *
 * It tells "open" on standard output when all have been answered, and takes orders on standard input, a line each:
 *   bytes    answers "bytes TOTAL", of all readers since the start
 * At the end of its input it ends.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../subjects/clock.h"

static char buffer[256 * 1024];

static int open_reader(int port, const char *path) {
  char request[1024];
  int length = snprintf(request, sizeof request,
                        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: text/event-stream\r\nAccept-Encoding: identity\r\n\r\n",
                        path, port);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address)) fail("connect");
  if (write(fd, request, length) != length) fail("write");
  return fd;
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  int port = atoi(arguments[1]), readers = atoi(arguments[3]), answered = 0;
  int epoll_fd = epoll_create1(0);
  struct epoll_event input = {.events = EPOLLIN, .data.u64 = 0};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, STDIN_FILENO, &input)) fail("epoll_ctl");
  for (int reader = 0; reader < readers; reader += 1) {
    /* The upper half tells whether it has been answered. */
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)open_reader(port, arguments[2])};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, (int)event.data.u64, &event)) fail("epoll_ctl");
  }
  uint64_t total = 0;
  struct epoll_event events[256];
  for (;;) {
    int ready = epoll_wait(epoll_fd, events, 256, -1);
    if (ready < 0 && errno != EINTR) fail("epoll_wait");
    for (int index = 0; index < ready; index += 1) {
      struct epoll_event *event = &events[index];
      int fd = (int)(event->data.u64 & 0xffffffff);
      ssize_t got = read(fd, buffer, sizeof buffer);
      if (fd == STDIN_FILENO) {
        if (got <= 0) return 0;
        printf("bytes %llu\n", (unsigned long long)total);
        fflush(stdout);
      } else if (got <= 0) {
        epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, NULL);
        close(fd);
      } else {
        total += (uint64_t)got;
        if (event->data.u64 >> 32) continue;
        event->data.u64 |= (uint64_t)1 << 32;
        if (epoll_ctl(epoll_fd, EPOLL_CTL_MOD, fd, &(struct epoll_event){.events = EPOLLIN, .data = event->data})) fail("epoll_ctl");
        answered += 1;
        if (answered == readers) {
          printf("open\n");
          fflush(stdout);
        }
      }
    }
  }
}
