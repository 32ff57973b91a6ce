/* The yardstick of the benchmark `fanout`: one thread, one epoll instance, and a loop that writes the same bytes to every
 * connection. It does what push cannot do without, and nothing else.
 *
 *   epoll-loop HEADER EVENT    files: the header of a response, and an event as it goes over the wire
 *
 * It tells its port on standard output, and takes orders on standard input, a line each:
 *   publish START INTERVAL COUNT    microseconds of the monotonic clock; answers "published"
 *   usage                           answers "usage CPU", microseconds of this process
 * At the end of its input it ends.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"

#define MAX_FDS 65536
#define MARK "published-at:"
#define DIGITS 16

/* What the kernel did not take of an event, for the one connection. */
struct connection {
  char *rest;
  size_t length, sent;
  int place; /* in `readers`, -1 before it has asked */
};

static struct connection connections[MAX_FDS];
static int readers[MAX_FDS];
static int reader_count;
static int epoll_fd;
static char *header, *event;
static size_t header_length, event_length;

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) fail(path);
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*length);
  if (fread(bytes, 1, *length, file) != *length) fail(path);
  fclose(file);
  return bytes;
}

static void watch(int fd, uint32_t events, int operation) {
  struct epoll_event watched = {.events = events, .data.fd = fd};
  if (epoll_ctl(epoll_fd, operation, fd, &watched)) fail("epoll_ctl");
}

static void leave(int fd) {
  struct connection *connection = &connections[fd];
  if (connection->place >= 0) {
    int last = readers[--reader_count];
    readers[connection->place] = last;
    connections[last].place = connection->place;
  }
  free(connection->rest);
  connection->rest = NULL;
  close(fd);
}

/* Writes what it can, and keeps the rest until the connection takes it. 0 when the connection is gone. */
static int send_bytes(int fd, const char *bytes, size_t length) {
  struct connection *connection = &connections[fd];
  size_t written = 0;
  if (!connection->rest) {
    ssize_t result = write(fd, bytes, length);
    if (result < 0 && errno != EAGAIN) return 0;
    written = result < 0 ? 0 : (size_t)result;
    if (written == length) return 1;
  }
  size_t left = connection->length - connection->sent;
  char *rest = malloc(left + length - written);
  if (left) memcpy(rest, connection->rest + connection->sent, left);
  memcpy(rest + left, bytes + written, length - written);
  if (!connection->rest) watch(fd, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
  free(connection->rest);
  connection->rest = rest;
  connection->length = left + length - written;
  connection->sent = 0;
  return 1;
}

static void drain(int fd) {
  struct connection *connection = &connections[fd];
  ssize_t result = write(fd, connection->rest + connection->sent, connection->length - connection->sent);
  if (result > 0) connection->sent += (size_t)result;
  if (connection->sent < connection->length) return;
  free(connection->rest);
  connection->rest = NULL;
  connection->length = connection->sent = 0;
  watch(fd, EPOLLIN, EPOLL_CTL_MOD);
}

static void accept_all(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (fd < 0) return;
    if (fd >= MAX_FDS) {
      close(fd);
      continue;
    }
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    connections[fd] = (struct connection){.place = -1};
    watch(fd, EPOLLIN, EPOLL_CTL_ADD);
  }
}

/* The first thing that comes is taken for the request, since nothing else is served here. */
static void receive(int fd) {
  char request[4096];
  ssize_t length = read(fd, request, sizeof request);
  if (length < 0 && errno == EAGAIN) return;
  if (length <= 0) {
    leave(fd);
    return;
  }
  if (connections[fd].place >= 0) return;
  connections[fd].place = reader_count;
  readers[reader_count++] = fd;
  if (!send_bytes(fd, header, header_length)) leave(fd);
}

static void publish(int64_t stamp) {
  char text[sizeof MARK + DIGITS];
  snprintf(text, sizeof text, MARK "%0*lld", DIGITS, (long long)stamp);
  size_t length = strlen(MARK) + DIGITS;
  for (char *at = event; (at = memmem(at, event_length - (size_t)(at - event), MARK, strlen(MARK))); at += length) {
    memcpy(at, text, length);
  }
  /* From the end, since one that leaves is replaced by the last. */
  for (int index = reader_count - 1; index >= 0; index--) {
    if (!send_bytes(readers[index], event, event_length)) leave(readers[index]);
  }
}

int main(int count, char **arguments) {
  if (count != 3) {
    fprintf(stderr, "usage: epoll-loop HEADER EVENT\n");
    return 2;
  }
  header = read_file(arguments[1], &header_length);
  event = read_file(arguments[2], &event_length);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 4096)) fail("listen");
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("port %d\n", ntohs(address.sin_port));
  fflush(stdout);
  epoll_fd = epoll_create1(0);
  watch(listener, EPOLLIN, EPOLL_CTL_ADD);
  watch(STDIN_FILENO, EPOLLIN, EPOLL_CTL_ADD);

  int64_t due = 0, interval = 0;
  long left = 0;
  struct epoll_event events[512];
  for (;;) {
    int64_t wait = due - now_micros();
    int found = epoll_wait(epoll_fd, events, 512, left == 0 ? -1 : wait > 0 ? (int)((wait + 999) / 1000) : 0);
    for (int index = 0; index < found; index++) {
      int fd = events[index].data.fd;
      if (fd == listener) {
        accept_all(listener);
      } else if (fd == STDIN_FILENO) {
        char line[256];
        ssize_t length = read(STDIN_FILENO, line, sizeof line - 1);
        if (length <= 0) return 0;
        line[length] = 0;
        long long start, step;
        if (sscanf(line, "publish %lld %lld %ld", &start, &step, &left) == 3) {
          due = start;
          interval = step;
        } else {
          printf("usage %lld\n", (long long)cpu_micros());
          fflush(stdout);
        }
      } else {
        if (events[index].events & EPOLLOUT && connections[fd].rest) drain(fd);
        if (events[index].events & (EPOLLIN | EPOLLERR | EPOLLHUP)) receive(fd);
      }
    }
    if (left > 0 && now_micros() >= due) {
      publish(due);
      due += interval;
      if (--left == 0) {
        printf("published\n");
        fflush(stdout);
      }
    }
  }
}
