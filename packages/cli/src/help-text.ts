const GENERAL = `ldes-live publishes live data as linked data, follows it, and checks it.

  ldes-live serve [config.yml | --demo] [--port 3000] [--host 127.0.0.1]
                  [--workers N]
  ldes-live follow URL --mal SECONDS [--from latest|start|now|CURSOR]
                   [--format summary|jsonld|nq] [--count N] [--state FILE]
  ldes-live check URL [--pages N] [--format text|json]

  ldes-live COMMAND --help   what the options of a command mean
  ldes-live --version
`;

const SERVE = `Publishes the streams of a configuration, or of a demonstration.

  ldes-live serve [config.yml | --demo] [--port 3000] [--host 127.0.0.1]
                  [--workers N]

  config.yml        what to publish: specs/configuration.md has every key
  --demo            a small transit network, simulated, polled every 5 s
  --port PORT       where to listen; 0 takes any free port (default: 3000)
  --host HOST       on which interface; 0.0.0.0 for all (default: 127.0.0.1)
  --workers N       N more processes hold the connections of readers: for more
                    readers than one processor can serve (default: none)

Ctrl-C ends it in order; a second Ctrl-C ends it at once.
`;

const FOLLOW = `Follows a stream and prints what changes.

  ldes-live follow URL --mal SECONDS [--from latest|start|now|CURSOR]
                   [--format summary|jsonld|nq] [--count N] [--state FILE]

  URL               of the stream, such as http://localhost:3000/vehicles
  --mal SECONDS     how late an update may be: the only thing to decide.
                    Whether to pull or be pushed follows from it.
  --from latest     begin with the newest state of all entities (default)
         start      begin with the oldest change that the log holds
         now        only what changes from now on
         CURSOR     go on after a cursor
  --format summary  a line for what arrives together (default)
           jsonld   a JSON-LD document a line, one for each change
           nq       N-Quads
  --count N         end after N changes
  --state FILE      keep the position in a file, and go on from it the next time

Ctrl-C ends it.
`;

const CHECK = `Checks any LDES endpoint: does it keep the rules of LDES, TREE and HTTP caching?

  ldes-live check URL [--pages N] [--format text|json]

  URL               of the stream, of the root of a view, or of an overview
                    that leads to one view
  --pages N         how many pages to read at most (default: 20)
  --format text     for people (default)
           json     for programs

It names each rule that is broken, what it saw, and where. It asks for one
thing at a time, with pauses, and waits where the server asks it to.
specs/check.md has the rules.

It ends with 0 when it found nothing or had advice only, 3 for warnings,
1 for errors or when there was no stream to check, 2 for a wrong command line.

Ctrl-C ends it with what it has so far.
`;

/** The help of the command, or of one of its subcommands. */
export const helpTexts = { 'ldes-live': GENERAL, serve: SERVE, follow: FOLLOW, check: CHECK } as const;
