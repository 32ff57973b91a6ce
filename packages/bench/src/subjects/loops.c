/* Both ends of a measurement in C, at a cost that leaves the core to what is measured: one thread, one epoll instance.
 *
 *   loops serve HEADER EVENT                   the yardstick of push: a loop that writes the same bytes to every connection: the
 *                                              header of a response, and an event as it goes over the wire, with stamps
 *   loops read PORTS PATH COUNT ADDRESS MODE   readers of event streams; MODE is bytes, identity or gzip
 *   loops ask PORTS PATH COUNT ADDRESS FIELDS  clients that ask for one document on kept-alive connections, with header fields
 *
 * PORTS are of 127.0.0.1, with commas between, taken in turns; ADDRESS is the loopback address that connections come from.
 * Orders come on standard input, a line each; answers go to standard output. At the end of its input a program ends.
 *
 *   serve: "port PORT" when it listens. Order:
 *     publish START INTERVAL COUNT   microseconds of the monotonic clock; "published" when all are
 *   read: "open OPEN REFUSED" when all have been answered. Orders:
 *     watch START INTERVAL COUNT     counts from now on how each reader gets each of these updates, at most 64
 *     stats                          "stats JSON": PushStats of load/push-counts.ts
 *     report                         "report JSON": of PushReport, with the counts of the delays
 *   ask: "open" when all have been answered. Orders:
 *     closed MICROS PAUSE            each asks again so many microseconds after it is answered, for so long
 *     open MICROS PERIOD             each asks once every PERIOD at its own phase, answered or not: a request that is due while
 *                                    another is under way is late, waits, and counts from when it was due
 *     Both: "done JSON", AskingRound of c-loops.ts with the counts of the delays
 *
 * Counts are of the counters of HdrHistogram with two significant digits: the greatest value in a counter, microseconds, and how
 * many values it counted, in turns.
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
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MARK "published-at:"
#define MARK_BYTES (sizeof MARK - 1)
#define DIGITS 16

static int epoll_fd;
/* What is read is looked at before the next read, of all connections. */
static char buffer[256 * 1024];

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int64_t now_micros(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Of this process, in user and system. */
static int64_t cpu_micros(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

static void watch_fd(int fd, uint32_t events, int operation, void *data) {
  struct epoll_event watched = {.events = events, .data.ptr = data};
  if (epoll_ctl(epoll_fd, operation, fd, &watched)) fail("epoll_ctl");
}

/* ---- Histograms ---- */

#define COUNTERS (256 + 128 * 28)

static void count_value(uint32_t *counters, int64_t value) {
  if (value < 0) value = 0;
  int64_t counter = value;
  if (value >= 256) {
    int doubling = 63 - __builtin_clzll((uint64_t)value) - 8;
    counter = 256 + doubling * 128 + (value >> (doubling + 1)) - 128;
  }
  counters[counter < COUNTERS ? counter : COUNTERS - 1] += 1;
}

static void print_counts(const uint32_t *counters) {
  const char *comma = "";
  printf("\"counts\":[");
  for (int counter = 0; counter < COUNTERS; counter += 1) {
    int doubling = (counter - 256) / 128;
    int64_t greatest = counter < 256 ? counter : ((int64_t)((counter - 256) % 128 + 129) << (doubling + 1)) - 1;
    if (counters[counter] == 0) continue;
    printf("%s%lld,%u", comma, (long long)greatest, counters[counter]);
    comma = ",";
  }
  printf("]");
}

static void print_number(const char *name, int64_t value) { printf("\"%s\":%lld,", name, (long long)value); }

/* ---- What this program takes, and the longest that it did not come to look ---- */

static int64_t cpu_before, wall_before, max_lag;

static void begin_effort(void) {
  cpu_before = cpu_micros();
  wall_before = now_micros();
  max_lag = 0;
}

static void note_lag(int64_t lag) {
  if (lag > max_lag) max_lag = lag;
}

/* Since it began. */
static void print_effort(void) {
  printf("\"effort\":{");
  print_number("cpuMicros", cpu_micros() - cpu_before);
  print_number("wallMicros", now_micros() - wall_before);
  print_number("maxLagMicros", max_lag);
  printf("\"processes\":1},");
}

/* ---- Bytes of a connection that come in pieces ---- */

struct pieces {
  char *kept;
  size_t length;
};

static void append(struct pieces *pieces, const char *bytes, size_t length) {
  pieces->kept = realloc(pieces->kept, pieces->length + length);
  memcpy(pieces->kept + pieces->length, bytes, length);
  pieces->length += length;
}

/* What was kept, followed by so many bytes of the buffer, where these lie if nothing was. */
static char *join(struct pieces *pieces, size_t *length) {
  if (!pieces->kept) return buffer;
  append(pieces, buffer, *length);
  *length = pieces->length;
  return pieces->kept;
}

/* Keeps these bytes instead, which may lie in what was kept before. */
static void keep(struct pieces *pieces, const char *bytes, size_t length) {
  char *kept = length > 0 ? malloc(length) : NULL;
  if (kept) memcpy(kept, bytes, length);
  free(pieces->kept);
  *pieces = (struct pieces){kept, length};
}

/* ---- Connections to a server ---- */

#define MAX_PORTS 64

static char request[1024];
static int request_length, ports[MAX_PORTS], port_count;
static const char *local_address;
static uint64_t count;

static void read_target(char **arguments, const char *fields) {
  for (char *port = strtok(arguments[0], ","); port && port_count < MAX_PORTS; port = strtok(NULL, ",")) ports[port_count++] = atoi(port);
  count = (uint64_t)atoll(arguments[2]);
  local_address = arguments[3];
  request_length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n", arguments[1], ports[0], fields);
}

/* Tells by -1 that the connection is under way, where `flags` is SOCK_NONBLOCK; else it waits for it. */
static int open_connection(int port, int flags, int *fd) {
  struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, local_address, &from.sin_addr);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int one = 1;
  /* Reset when it is closed, it leaves its port free at once. */
  struct linger reset = {.l_onoff = 1};
  *fd = socket(AF_INET, SOCK_STREAM | flags, 0);
  if (*fd < 0) fail("socket");
  setsockopt(*fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
  setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt(*fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  if (bind(*fd, (struct sockaddr *)&from, sizeof from)) fail("bind");
  if (connect(*fd, (struct sockaddr *)&to, sizeof to) == 0) return 0;
  if (errno != EINPROGRESS) fail("connect");
  return -1;
}

/* A connection that the server has closed meanwhile shows when it is read. */
static void send_request(int fd) {
  ssize_t sent = send(fd, request, request_length, MSG_NOSIGNAL);
  if (sent != request_length && errno != EPIPE && errno != ECONNRESET) fail("send");
}

/* ---- serve ---- */

#define MAX_FDS 65536

struct connection {
  struct pieces rest; /* what the kernel did not take of events */
  size_t sent;        /* of that, since */
  int place;          /* in `reader_fds`, -1 before it has asked */
};

static struct connection connections[MAX_FDS];
static int reader_fds[MAX_FDS], reader_count;
static char *header, *event;
static size_t header_length, event_length;

static void leave(struct connection *connection) {
  if (connection->place >= 0) {
    int last = reader_fds[--reader_count];
    reader_fds[connection->place] = last;
    connections[last].place = connection->place;
  }
  keep(&connection->rest, NULL, 0);
  close((int)(connection - connections));
}

/* Writes what it can, and keeps the rest until the connection takes it. 0 when the connection is gone. */
static int send_bytes(struct connection *connection, const char *bytes, size_t length) {
  int fd = (int)(connection - connections);
  size_t written = 0;
  if (!connection->rest.kept) {
    ssize_t result = send(fd, bytes, length, MSG_NOSIGNAL);
    if (result < 0 && errno != EAGAIN) return 0;
    written = result < 0 ? 0 : (size_t)result;
    if (written == length) return 1;
    watch_fd(fd, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD, connection);
  }
  append(&connection->rest, bytes + written, length - written);
  return 1;
}

static void drain(struct connection *connection) {
  int fd = (int)(connection - connections);
  ssize_t result = send(fd, connection->rest.kept + connection->sent, connection->rest.length - connection->sent, MSG_NOSIGNAL);
  if (result > 0) connection->sent += (size_t)result;
  if (connection->sent < connection->rest.length) return;
  keep(&connection->rest, NULL, 0);
  connection->sent = 0;
  watch_fd(fd, EPOLLIN, EPOLL_CTL_MOD, connection);
}

static void accept_all(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK), one = 1;
    if (fd < 0) return;
    if (fd >= MAX_FDS) {
      close(fd);
      continue;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    connections[fd] = (struct connection){.place = -1};
    watch_fd(fd, EPOLLIN, EPOLL_CTL_ADD, &connections[fd]);
  }
}

/* The first thing that comes is taken for the request, since nothing else is served here. */
static void receive(struct connection *connection) {
  int fd = (int)(connection - connections);
  ssize_t length = read(fd, buffer, sizeof buffer);
  if (length < 0 && errno == EAGAIN) return;
  if (length <= 0) {
    leave(connection);
    return;
  }
  if (connection->place >= 0) return;
  connection->place = reader_count;
  reader_fds[reader_count++] = fd;
  if (!send_bytes(connection, header, header_length)) leave(connection);
}

static void publish(int64_t stamp) {
  char text[MARK_BYTES + 24];
  size_t length = MARK_BYTES + DIGITS;
  snprintf(text, sizeof text, MARK "%0*lld", DIGITS, (long long)stamp);
  for (char *at = event; (at = memmem(at, event_length - (size_t)(at - event), MARK, MARK_BYTES)); at += length) memcpy(at, text, length);
  /* From the end, since one that leaves is replaced by the last. */
  for (int index = reader_count - 1; index >= 0; index -= 1) {
    struct connection *connection = &connections[reader_fds[index]];
    if (!send_bytes(connection, event, event_length)) leave(connection);
  }
}

static int serve(char **arguments) {
  header = arguments[0];
  event = arguments[1];
  header_length = strlen(header);
  event_length = strlen(event);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 4096)) fail("listen");
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("port %d\n", ntohs(address.sin_port));
  /* By an address that is not one of a connection. */
  watch_fd(listener, EPOLLIN, EPOLL_CTL_ADD, &listener);
  watch_fd(STDIN_FILENO, EPOLLIN, EPOLL_CTL_ADD, NULL);
  long long due = 0, interval = 0;
  long left = 0;
  struct epoll_event events[512];
  for (;;) {
    fflush(stdout);
    int64_t wait = due - now_micros();
    int found = epoll_wait(epoll_fd, events, 512, left == 0 ? -1 : wait > 0 ? (int)((wait + 999) / 1000) : 0);
    for (int index = 0; index < found; index += 1) {
      void *data = events[index].data.ptr;
      struct connection *connection = data;
      if (data == &listener) {
        accept_all(listener);
      } else if (!data) {
        char line[256];
        ssize_t length = read(STDIN_FILENO, line, sizeof line - 1);
        if (length <= 0) return 0;
        line[length] = 0;
        sscanf(line, "publish %lld %lld %ld", &due, &interval, &left);
      } else {
        if (events[index].events & EPOLLOUT && connection->rest.kept) drain(connection);
        if (events[index].events & (EPOLLIN | EPOLLERR | EPOLLHUP)) receive(connection);
      }
    }
    if (left > 0 && now_micros() >= due) {
      publish(due);
      due += interval;
      if (--left == 0) printf("published\n");
    }
  }
}

/* ---- read ---- */

#define MAX_UPDATES 64
#define MAX_OPENING 200
/* What is smaller is a comment of the server, not an update. */
#define MIN_UPDATE_BYTES 128

struct reader {
  int fd, is_answered;
  struct pieces rest; /* what has come of a block */
  uint64_t seen;      /* updates that it had, a bit each */
};

struct update {
  int64_t first, last;
  uint64_t hash; /* of gzip, whose content is not looked at */
  int64_t events;
};

static struct reader *readers;
static struct update updates[MAX_UPDATES];
static int64_t watch_start, watch_interval;
static int watch_count, known_updates;
static uint32_t counters[COUNTERS]; /* of the delays */
static uint64_t received, events_read, doubled, disordered, unlike, opened, answered, ended, refused;
static char mode;

static void note_update(struct reader *reader, int64_t index, int64_t now) {
  struct update *update = &updates[index];
  events_read += 1;
  update->events += 1;
  if (reader->seen >> index & 1) {
    doubled += 1;
    return;
  }
  /* A newer one was there. */
  if (reader->seen >> index) disordered += 1;
  reader->seen |= (uint64_t)1 << index;
  if (update->last == 0) update->first = now;
  update->last = now;
  count_value(counters, now - (watch_start + index * watch_interval));
}

/* Takes the whole blocks of plain text, by their stamps; tells how much of it that is. */
static size_t take_blocks(struct reader *reader, char *bytes, size_t length, int64_t now) {
  char *at = bytes, *last = bytes + length, *end;
  while ((end = memmem(at, (size_t)(last - at), "\n\n", 2))) {
    char *mark = memmem(at, (size_t)(end - at), MARK, MARK_BYTES);
    int64_t since = mark ? atoll(mark + MARK_BYTES) - watch_start : -1;
    if (since >= 0 && since % watch_interval == 0 && since / watch_interval < watch_count) note_update(reader, since / watch_interval, now);
    at = end + 2;
  }
  /* The end of an HTTP chunk does not begin a block. */
  while (at < last && (*at == '\r' || *at == '\n')) at += 1;
  return (size_t)(at - bytes);
}

/* Takes the whole HTTP chunks of a compressed stream, whose updates are the same bytes for all: the first that comes to any
 * reader after an update was due is that update, and each reader is to get just these. */
static size_t take_chunks(struct reader *reader, char *bytes, size_t length, int64_t now) {
  for (size_t taken = 0;;) {
    char *at = bytes + taken, *line = memmem(at, length - taken, "\r\n", 2);
    if (!line) return taken;
    size_t size = strtoul(at, NULL, 16), whole = (size_t)(line + 2 - at) + size + 2;
    if (taken + whole > length) return taken;
    taken += whole;
    if (size < MIN_UPDATE_BYTES || watch_count == 0) continue;
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t index = 0; index < size; index += 1) hash = (hash ^ (unsigned char)line[2 + index]) * 0x100000001b3;
    int index = known_updates - 1;
    while (index >= 0 && updates[index].hash != hash) index -= 1;
    if (index < 0 && known_updates < watch_count && now >= watch_start + known_updates * watch_interval) {
      index = known_updates++;
      updates[index].hash = hash;
    }
    if (index < 0) unlike += 1;
    else note_update(reader, index, now);
  }
}

static void take_bytes(struct reader *reader, size_t length, int64_t now) {
  char *bytes = join(&reader->rest, &length);
  size_t taken = 0;
  if (!reader->is_answered) {
    char *end = memmem(bytes, length, "\r\n\r\n", 4);
    if (end) {
      reader->is_answered = 1;
      answered += 1;
      if (memcmp(bytes + 9, "200", 3)) refused += 1;
      else opened += 1;
      taken = (size_t)(end + 4 - bytes);
    }
  }
  if (reader->is_answered && mode != 'b') {
    taken += mode == 'g' ? take_chunks(reader, bytes + taken, length - taken, now) : take_blocks(reader, bytes + taken, length - taken, now);
  }
  keep(&reader->rest, bytes + taken, mode == 'b' && reader->is_answered ? 0 : length - taken);
}

static void read_reader(struct reader *reader) {
  ssize_t got = read(reader->fd, buffer, sizeof buffer);
  if (got > 0) {
    received += (uint64_t)got;
    /* Nothing else where the processor's cache is to be left to the server, once it is answered. */
    if (mode != 'b' || !reader->is_answered) take_bytes(reader, (size_t)got, now_micros());
    return;
  }
  close(reader->fd);
  if (reader->is_answered) opened -= 1;
  else answered += 1;
  reader->is_answered = 1;
  ended += 1;
}

static void print_stats(void) {
  printf("{");
  print_number("open", (int64_t)opened);
  print_number("opened", (int64_t)(opened + ended));
  print_number("ended", (int64_t)ended);
  print_number("refused", (int64_t)refused);
  print_number("events", (int64_t)events_read);
  print_number("doubled", (int64_t)doubled);
  print_number("disordered", (int64_t)disordered);
  print_number("unlike", (int64_t)unlike);
  printf("\"bytes\":%llu}", (unsigned long long)received);
}

static void print_report(void) {
  uint64_t all = watch_count == 64 ? UINT64_MAX : ((uint64_t)1 << watch_count) - 1, lost = 0;
  for (uint64_t index = 0; index < count; index += 1) lost += (uint64_t)__builtin_popcountll(all & ~readers[index].seen);
  printf("report {\"stats\":");
  print_stats();
  printf(",");
  print_number("lost", (int64_t)lost);
  print_effort();
  begin_effort();
  print_counts(counters);
  const char *comma = "";
  printf(",\"updates\":[");
  for (int index = 0; index < watch_count; index += 1) {
    if (updates[index].last == 0) continue;
    printf("%s{", comma);
    print_number("stampMicros", watch_start + index * watch_interval);
    print_number("firstMicros", updates[index].first);
    print_number("lastMicros", updates[index].last);
    printf("\"events\":%lld}", (long long)updates[index].events);
    comma = ",";
  }
  printf("]}\n");
}

static void follow_order(const char *line) {
  long long start, interval;
  int updates_due;
  if (sscanf(line, "watch %lld %lld %d", &start, &interval, &updates_due) == 3) {
    watch_start = start;
    watch_interval = interval;
    watch_count = updates_due < MAX_UPDATES ? updates_due : MAX_UPDATES;
    known_updates = 0;
    doubled = disordered = unlike = 0;
    memset(updates, 0, sizeof updates);
    memset(counters, 0, sizeof counters);
    for (uint64_t index = 0; index < count; index += 1) readers[index].seen = 0;
  } else if (strncmp(line, "stats", 5) == 0) {
    printf("stats ");
    print_stats();
    printf("\n");
  } else {
    print_report();
  }
}

static int read_streams(char **arguments) {
  mode = arguments[4][0];
  read_target(arguments, mode == 'g' ? "Accept: text/event-stream\r\nAccept-Encoding: gzip\r\n"
                                     : "Accept: text/event-stream\r\nAccept-Encoding: identity\r\n");
  readers = calloc(count, sizeof *readers);
  watch_interval = 1;
  watch_fd(STDIN_FILENO, EPOLLIN, EPOLL_CTL_ADD, NULL);
  begin_effort();
  uint64_t begun = 0;
  int is_told = 0;
  struct epoll_event events[256];
  int ready = 0;
  int64_t turn = 0;
  for (;;) {
    /* So many at a time, as readers that come by and by: a server has no room for all at once. */
    for (; begun < count && begun - answered < MAX_OPENING; begun += 1) {
      open_connection(ports[begun % (uint64_t)port_count], 0, &readers[begun].fd);
      send_request(readers[begun].fd);
      watch_fd(readers[begun].fd, EPOLLIN, EPOLL_CTL_ADD, &readers[begun]);
    }
    if (!is_told && answered == count) {
      is_told = printf("open %llu %llu\n", (unsigned long long)opened, (unsigned long long)refused);
    }
    fflush(stdout);
    /* What is left over belongs to the same turn: the last of a backlog waits for all before it. */
    int is_backlog = ready == 256;
    ready = epoll_wait(epoll_fd, events, 256, is_backlog ? 0 : -1);
    if (ready < 0 && errno != EINTR) fail("epoll_wait");
    if (!is_backlog) turn = now_micros();
    for (int index = 0; index < ready; index += 1) {
      if (events[index].data.ptr) {
        read_reader(events[index].data.ptr);
        continue;
      }
      char lines[4096];
      ssize_t length = read(STDIN_FILENO, lines, sizeof lines - 1);
      if (length <= 0) return 0;
      lines[length] = 0;
      for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) follow_order(line);
    }
    if (ready > 0) note_lag(now_micros() - turn);
  }
}

/* ---- ask ---- */

#define TENTHS 10

struct client {
  int fd, port;
  int is_busy, is_connecting;
  long left;            /* bytes of the body that are still to come */
  struct pieces header; /* as far as it has come */
  int64_t asked;        /* since when its request counts; closed-loop, while it pauses: from when it will */
  uint64_t turns;       /* open-loop: its requests so far */
};

static struct client *clients;
/* Closed-loop: those that pause, in the order in which they will ask. */
static struct client **pausing;
static uint64_t paused, resumed;
static uint64_t tenths[TENTHS], served, unmodified, failed, late;
static long answer_bytes;
static uint32_t answer_counters[COUNTERS];
static int64_t started, lasting;
static int is_counting;

static void ask(struct client *client, int64_t since) {
  client->is_busy = 1;
  client->asked = since;
  /* It is sent when there is a connection. */
  if (!client->is_connecting) send_request(client->fd);
}

/* Without waiting, where `flags` is SOCK_NONBLOCK: who waits for a connection that the server has no room for asks for none. */
static void open_client(struct client *client, int flags) {
  client->is_connecting = open_connection(client->port, flags, &client->fd) < 0;
  watch_fd(client->fd, client->is_connecting ? EPOLLOUT : EPOLLIN, EPOLL_CTL_ADD, client);
  client->left = 0;
  keep(&client->header, NULL, 0);
}

/* The length of the whole answer whose header is here; 0 while the header is not whole. */
static long length_of(const char *text, size_t length) {
  const char *end = memmem(text, length, "\r\n\r\n", 4);
  if (!end) return 0;
  long whole = end + 4 - text;
  int status = atoi(text + 9);
  unmodified += status == 304;
  failed += status != 304 && status != 200;
  /* Whatever length it states, it has no body. */
  if (status == 304) return whole;
  for (const char *line = text; line < end; line = (const char *)memchr(line, '\n', end + 2 - line) + 1) {
    if (strncasecmp(line, "content-length:", 15) == 0) return whole + atol(line + 15);
  }
  fprintf(stderr, "an answer without a length: %.*s\n", (int)(end - text), text);
  exit(1);
}

/* Whether the answer is whole with these bytes. */
static int take_answer(struct client *client, size_t length) {
  if (client->left > 0) {
    client->left -= (long)length;
    return client->left == 0;
  }
  const char *bytes = join(&client->header, &length);
  long whole = length_of(bytes, length);
  keep(&client->header, bytes, whole == 0 ? length : 0);
  if (whole == 0) return 0;
  answer_bytes = whole;
  client->left = whole - (long)length;
  return client->left == 0;
}

static void connected(struct client *client) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(client->fd, SOL_SOCKET, SO_ERROR, &error, &length) || error) {
    errno = error;
    fail("connect");
  }
  watch_fd(client->fd, EPOLLIN, EPOLL_CTL_MOD, client);
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
    close(client->fd);
    open_client(client, SOCK_NONBLOCK);
    if (client->is_busy) ask(client, client->asked);
    return 0;
  }
  if (!take_answer(client, (size_t)got)) return 0;
  client->is_busy = 0;
  if (is_counting) {
    int64_t now = now_micros(), tenth = (now - started) * TENTHS / lasting;
    served += 1;
    tenths[tenth < TENTHS ? tenth : TENTHS - 1] += 1;
    count_value(answer_counters, now - client->asked);
  }
  return 1;
}

static void wait_all(void) {
  struct epoll_event events[256];
  for (uint64_t index = 0, busy = 1; busy;) {
    int ready = epoll_wait(epoll_fd, events, 256, 1000);
    if (ready < 0 && errno != EINTR) fail("epoll_wait");
    for (int at = 0; at < ready; at += 1) read_client(events[at].data.ptr);
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
static void run_clients(int64_t duration, int64_t period, int64_t pause) {
  struct epoll_event events[64];
  memset(answer_counters, 0, sizeof answer_counters);
  memset(tenths, 0, sizeof tenths);
  served = unmodified = failed = late = 0;
  begin_effort();
  int64_t start = now_micros(), end = start + duration;
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
      note_lag(now - due);
      if (next->is_busy) {
        late += 1;
      } else {
        ask(next, due);
        next->turns += 1;
      }
    }
    int ready = epoll_wait(epoll_fd, events, 64, 1);
    if (ready < 0 && errno != EINTR) fail("epoll_wait");
    int64_t began = now_micros();
    for (int at = 0; at < ready; at += 1) {
      struct client *client = events[at].data.ptr;
      if (!read_client(client)) continue;
      now = now_micros();
      if (now >= end) continue;
      if (period == 0) {
        pause_client(client, now + pause);
        continue;
      }
      /* What was due while the one before was under way. */
      uint64_t index = (uint64_t)(client - clients), passed = turn / count + (index < turn % count);
      if (client->turns == passed) continue;
      ask(client, due_of(start, period, index, client->turns));
      client->turns += 1;
    }
    now = now_micros();
    note_lag(now - began);
  }
  is_counting = 0;
  /* What was due before the end counts as asked, even if this program was too late for it. */
  for (; period > 0 && due_of(start, period, turn % count, turn / count) < end; turn += 1) {
    asked += 1;
    late += 1;
  }
  printf("done {");
  print_number("asked", (int64_t)(period > 0 ? asked : served));
  print_number("served", (int64_t)served);
  print_number("late", (int64_t)late);
  print_number("unmodified", (int64_t)unmodified);
  print_number("failed", (int64_t)failed);
  print_number("answerBytes", answer_bytes);
  print_effort();
  printf("\"servedInTenths\":[");
  for (int tenth = 0; tenth < TENTHS; tenth += 1) printf("%s%llu", tenth ? "," : "", (unsigned long long)tenths[tenth]);
  printf("],");
  print_counts(answer_counters);
  printf("}\n");
  wait_all();
  fflush(stdout);
}

static int ask_documents(char **arguments) {
  read_target(arguments, arguments[4]);
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
    if (sscanf(line, "open %lld %lld", &duration, &period) == 2) run_clients(duration, period, 0);
    else if (sscanf(line, "closed %lld %lld", &duration, &pause) == 2) run_clients(duration, 0, pause);
  }
  return 0;
}

int main(int arguments_count, char **arguments) {
  epoll_fd = epoll_create1(0);
  const char *role = arguments_count > 1 ? arguments[1] : "";
  if (strcmp(role, "serve") == 0 && arguments_count == 4) return serve(arguments + 2);
  if (strcmp(role, "read") == 0 && arguments_count == 7) return read_streams(arguments + 2);
  if (strcmp(role, "ask") == 0 && arguments_count == 7) return ask_documents(arguments + 2);
  fprintf(stderr, "usage: loops serve HEADER EVENT | read PORTS PATH COUNT ADDRESS MODE | ask PORTS PATH COUNT ADDRESS FIELDS\n");
  return 2;
}
