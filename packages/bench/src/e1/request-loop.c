/* Clients that ask for one document on kept-alive connections, closed-loop or open-loop, at a cost that leaves the core to what
 * is measured: one thread, no more of an answer read than its length.
 *
 *   request-loop PORTS PATH COUNT ADDRESS    ports of 127.0.0.1 with commas between, taken in turns, from a loopback address
 *
 * It tells "open" on standard output when every connection has had an answer, and takes orders on standard input, a line each:
 *   closed MICROS PAUSE    every connection asks again so many microseconds after it is answered, for so long
 *   open MICROS PERIOD     every connection asks once every PERIOD microseconds at its own phase, answered or not: a request that
 *                          is due while another is under way is late, waits, and counts from when it was due
 * Each answers "done ASKED SERVED LATE FAILED CPU WALL LAG MAX", the answers of each tenth of the time, and pairs of a counter and
 * its count: microseconds, counters of load/latency-histogram.ts. ASKED are the requests that were due, SERVED the answers that came
 * in time. At the end of its input it ends.
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

#include "../subjects/clock.h"

#define HEADER_BYTES 2048
#define COUNTERS (256 + 128 * 28)
#define PARTS 10

struct client {
  int fd, port;
  int is_busy, is_connecting;
  long left;      /* bytes of the body that are still to come */
  int header_length;
  char *header;   /* as far as it has come, where it came in pieces */
  int64_t asked;  /* since when its request counts; closed-loop, while it pauses: from when it will */
  uint64_t turns; /* open-loop: its requests so far */
};

static char buffer[256 * 1024];
static struct client *clients;
/* Closed-loop: those that pause, in the order in which they will ask. */
static struct client **pausing;
static uint64_t paused, resumed;
static uint64_t count;
static int epoll_fd;
static char request[1024];
static int request_length;
static const char *local_address;
static uint64_t counters[COUNTERS], parts[PARTS], served, failed, late;
static int64_t longest, started, lasting;
static int is_counting;

/* Without waiting for the connection, `flags` is SOCK_NONBLOCK: who waits for one that the server has no room for asks for none. */
static void open_client(struct client *client, int flags) {
  struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET, .sin_port = htons(client->port)};
  inet_pton(AF_INET, local_address, &from.sin_addr);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM | flags, 0), one = 1;
  if (fd < 0) fail("socket");
  setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (bind(fd, (struct sockaddr *)&from, sizeof from)) fail("bind");
  client->is_connecting = 0;
  if (connect(fd, (struct sockaddr *)&to, sizeof to)) {
    if (errno != EINPROGRESS) fail("connect");
    client->is_connecting = 1;
  }
  struct epoll_event event = {.events = client->is_connecting ? EPOLLOUT : EPOLLIN, .data.ptr = client};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event)) fail("epoll_ctl");
  client->fd = fd;
  client->left = 0;
  client->header_length = 0;
}

static void ask(struct client *client, int64_t since) {
  client->is_busy = 1;
  client->asked = since;
  /* It is sent when there is a connection. */
  if (client->is_connecting) return;
  /* A connection that the server has closed meanwhile shows when it is read. */
  if (send(client->fd, request, request_length, MSG_NOSIGNAL) != request_length && errno != EPIPE && errno != ECONNRESET) fail("send");
}

static void note(int64_t value) {
  if (value > longest) longest = value;
  int counter = (int)value;
  if (value >= 256) {
    int doubling = 63 - __builtin_clzll((uint64_t)value) - 8;
    counter = 256 + doubling * 128 + (int)(value >> (doubling + 1)) - 128;
  }
  counters[counter] += 1;
}

/* The length of the whole answer whose header is here; 0 while the header is not whole. */
static long length_of(const char *text, int length) {
  const char *end = memmem(text, length, "\r\n\r\n", 4);
  if (!end) return 0;
  for (const char *line = text; line < end; line = (const char *)memchr(line, '\n', end + 2 - line) + 1) {
    if (strncasecmp(line, "content-length:", 15)) continue;
    if (strncmp(text + 9, "200", 3)) failed += 1;
    return (end + 4 - text) + atol(line + 15);
  }
  fprintf(stderr, "an answer without a length: %.*s\n", (int)(end - text), text);
  exit(1);
}

/* Whether the answer is whole with these bytes. */
static int take(struct client *client, const char *bytes, ssize_t got) {
  if (client->left > 0) {
    client->left -= got;
    return client->left == 0;
  }
  if (client->header_length > 0) {
    if (client->header_length + got > HEADER_BYTES + (ssize_t)sizeof buffer) fail("header");
    client->header = realloc(client->header, client->header_length + got);
    memcpy(client->header + client->header_length, bytes, got);
    got += client->header_length;
    bytes = client->header;
  }
  long length = length_of(bytes, (int)got);
  if (length == 0) {
    if (client->header_length == 0) {
      client->header = realloc(client->header, got);
      memcpy(client->header, bytes, got);
    }
    client->header_length = (int)got;
    return 0;
  }
  client->header_length = 0;
  client->left = length - got;
  return client->left == 0;
}

static void reopen(struct client *client) {
  close(client->fd);
  open_client(client, SOCK_NONBLOCK);
  if (client->is_busy) ask(client, client->asked);
}

static void connected(struct client *client) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(client->fd, SOL_SOCKET, SO_ERROR, &error, &length) || error) {
    errno = error;
    fail("connect");
  }
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_MOD, client->fd, &event)) fail("epoll_ctl");
  client->is_connecting = 0;
  if (client->is_busy) ask(client, client->asked);
}

/* Reads what has come of one, and tells whether its answer is whole. */
static int read_client(struct client *client) {
  if (client->is_connecting) {
    connected(client);
    return 0;
  }
  ssize_t got = read(client->fd, buffer, sizeof buffer);
  if (got <= 0) {
    reopen(client);
    return 0;
  }
  if (!take(client, buffer, got)) return 0;
  client->is_busy = 0;
  if (is_counting) {
    int64_t now = now_micros(), part = (now - started) * PARTS / lasting;
    served += 1;
    parts[part < PARTS ? part : PARTS - 1] += 1;
    note(now - client->asked);
  }
  return 1;
}

static void wait_all(void) {
  struct epoll_event events[256];
  for (uint64_t index = 0, busy = 1; busy; ) {
    int ready = epoll_wait(epoll_fd, events, 256, 1000);
    if (ready < 0 && errno != EINTR) fail("epoll_wait");
    for (int at = 0; at < ready; at += 1)
      if (events[at].data.ptr) read_client(events[at].data.ptr);
    while (index < count && !clients[index].is_busy) index += 1;
    busy = index < count;
  }
}

/* When a request of one is due: all have phases that are spread evenly over the period. */
static int64_t due_of(int64_t start, int64_t period, uint64_t index, uint64_t turns) {
  return start + (int64_t)turns * period + period * (int64_t)index / (int64_t)count;
}

static void pause_client(struct client *client, int64_t until) {
  client->asked = until;
  pausing[paused++ % count] = client;
}

static void resume_clients(int64_t now) {
  while (resumed < paused && pausing[resumed % count]->asked <= now) {
    struct client *client = pausing[resumed++ % count];
    ask(client, client->asked);
  }
}

/* With a period, open-loop; with 0, closed-loop. */
static void run(int64_t duration, int64_t period, int64_t pause) {
  struct epoll_event events[64];
  memset(counters, 0, sizeof counters);
  memset(parts, 0, sizeof parts);
  served = failed = late = 0;
  longest = 0;
  int64_t cpu = cpu_micros(), start = now_micros(), end = start + duration, lag = 0;
  uint64_t turn = 0, asked = 0;
  started = start;
  lasting = duration;
  is_counting = 1;
  paused = resumed = 0;
  for (uint64_t index = 0; index < count; index += 1) {
    clients[index].turns = 0;
    if (period == 0) pause_client(&clients[index], start + pause * (int64_t)index / (int64_t)count);
  }
  int64_t now = start;
  while (now < end) {
    if (period == 0) resume_clients(now);
    while (period > 0) {
      struct client *next = &clients[turn % count];
      int64_t due = due_of(start, period, turn % count, turn / count);
      now = now_micros();
      /* The next look is a millisecond away at most: looking all the time would take a core. */
      if (due > now || due >= end) break;
      turn += 1;
      asked += 1;
      if (now - due > lag) lag = now - due;
      if (next->is_busy) late += 1;
      else {
        ask(next, due);
        next->turns += 1;
      }
    }
    int ready = epoll_wait(epoll_fd, events, 64, 1);
    if (ready < 0 && errno != EINTR) fail("epoll_wait");
    int64_t began = now_micros();
    for (int at = 0; at < ready; at += 1) {
      struct client *client = events[at].data.ptr;
      if (!client || !read_client(client)) continue;
      now = now_micros();
      if (now >= end) continue;
      if (period == 0) pause_client(client, now + pause);
      else {
        /* What was due while the one before was under way. */
        uint64_t index = (uint64_t)(client - clients), passed = turn / count + (index < turn % count);
        if (client->turns == passed) continue;
        ask(client, due_of(start, period, index, client->turns));
        client->turns += 1;
      }
    }
    now = now_micros();
    if (now - began > lag) lag = now - began;
  }
  is_counting = 0;
  /* What was due before the end counts as asked, even if this program was too late for it. */
  for (; period > 0 && due_of(start, period, turn % count, turn / count) < end; turn += 1) {
    asked += 1;
    late += 1;
  }
  printf("done %llu %llu %llu %llu %lld %lld %lld %lld", (unsigned long long)(period > 0 ? asked : served), (unsigned long long)served,
         (unsigned long long)late, (unsigned long long)failed, (long long)(cpu_micros() - cpu), (long long)(now - start), (long long)lag,
         (long long)longest);
  for (int part = 0; part < PARTS; part += 1) printf(" %llu", (unsigned long long)parts[part]);
  for (int counter = 0; counter < COUNTERS; counter += 1)
    if (counters[counter] > 0) printf(" %d %llu", counter, (unsigned long long)counters[counter]);
  printf("\n");
  wait_all();
  fflush(stdout);
}

int main(int arguments_count, char **arguments) {
  if (arguments_count != 5) return 2;
  int ports[16], port_count = 0;
  char *first = strdup(arguments[1]);
  for (char *port = strtok(first, ","); port && port_count < 16; port = strtok(NULL, ",")) ports[port_count++] = atoi(port);
  count = (uint64_t)atoi(arguments[3]);
  local_address = arguments[4];
  request_length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept-Encoding: identity\r\n\r\n", arguments[2], ports[0]);
  epoll_fd = epoll_create1(0);
  clients = calloc(count, sizeof *clients);
  pausing = calloc(count, sizeof *pausing);
  for (uint64_t index = 0; index < count; index += 1) {
    clients[index].port = ports[index % (uint64_t)port_count];
    open_client(&clients[index], 0);
    ask(&clients[index], now_micros());
  }
  wait_all();
  printf("open\n");
  fflush(stdout);
  char line[256];
  long long duration, period, pause;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "open %lld %lld", &duration, &period) == 2) run(duration, period, 0);
    else if (sscanf(line, "closed %lld %lld", &duration, &pause) == 2) run(duration, 0, pause);
  }
  return 0;
}
