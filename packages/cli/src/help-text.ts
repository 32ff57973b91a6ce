const GENERAL = `ldes-live publishes live data as linked data, follows it, asks it, and checks it.

  ldes-live serve [config.yml | --demo] [--port 3000] [--host 127.0.0.1]
                  [--workers N] [--no-web] [--join nats://HOST:4222]
  ldes-live follow URL --mal SECONDS [--from latest|start|now|CURSOR]
                   [--format summary|jsonld|nq] [--count N] [--state FILE]
                   [--entity IRI] [--type IRI] [--bbox W,S,E,N]
  ldes-live query URL 'SELECT ...' --mal SECONDS [--window 60s] [--count N]
                  [--engine comunica|oxigraph]
  ldes-live check URL [--pages N] [--format text|json]
  ldes-live init [--url URL | --kind post] [--sample FILE] [--stream NAME]
  ldes-live map FILE --mapping FILE | --preset NAME
  ldes-live token
  ldes-live capacity --users N --mal SECONDS [--every SECONDS] [--measure URL]
  ldes-live bench EXPERIMENT|all [--quick] [--out DIR]

  ldes-live COMMAND --help   what the options of a command mean
  ldes-live --version
`;

const SERVE = `Publishes the streams of a configuration, of a demonstration, or of a cluster.

  ldes-live serve [config.yml | --demo] [--port 3000] [--host 127.0.0.1]
                  [--workers N] [--no-web]
  ldes-live serve --join nats://HOST:4222[,nats://HOST:4222]... [--node NAME]
                  [--data FOLDER] [--credentials FILE] [--stream NAME]
                  [--port 3000] [--host 127.0.0.1] [--workers N] [--no-web]

  config.yml        what to publish: specs/configuration.md has every key
  --demo            a small transit network, simulated, polled every 5 s
  --port PORT       where to listen; 0 takes any free port (default: 3000)
  --host HOST       on which interface; 0.0.0.0 for all (default: 127.0.0.1)
  --workers N       N more processes hold the connections of readers: for more
                    readers than one processor can serve (default: none)
  --no-web          without the pages that a browser gets at the same URLs
  --join URLS       serve what the nodes of a cluster publish that have a
                    configuration: by the URLs of its NATS servers
  --node NAME       what this node is called (default: the name of the host)
  --data FOLDER     where it keeps its data (default: ./data)
  --credentials FILE
                    what the NATS servers know it by (default: none)
  --stream NAME     the JetStream stream (default: ldes)

Ctrl-C ends it in order; a second Ctrl-C ends it at once.
`;

const FOLLOW = `Follows a stream and prints what changes.

  ldes-live follow URL --mal SECONDS [--from latest|start|now|CURSOR]
                   [--format summary|jsonld|nq] [--count N]
                   [--timeout SECONDS] [--state FILE]
                   [--entity IRI] [--type IRI] [--bbox W,S,E,N]

  URL               of the stream, such as http://localhost:3000/vehicles
  --mal SECONDS     how late an update may be: the only thing to decide.
                    Whether to pull or be pushed follows from it.
  --from latest     begin with the newest state of all entities (default)
         start      begin with the oldest change that the log holds
         now        only what changes from now on
         CURSOR     go on after a cursor
  --format summary  on a terminal a view of how it goes, in place; elsewhere
                    a line for what arrives together, and values (default)
           jsonld   a JSON-LD document a line, one for each change
           nq       N-Quads
  --count N         end after N changes
  --timeout SECONDS end after that time; with --count, exit code 1 where fewer
                    changes came
  --state FILE      keep the position in a file, and go on from it the next time
  --entity IRI      only this entity; each of these three may be given again and
                    again: of each any value will do, and all of them must fit
  --type IRI        only what states this class
  --bbox W,S,E,N    only what is in this box of degrees, and what leaves it; one
                    that begins with a minus as --bbox=-5,50,5,52

Ctrl-C ends it.
`;

const QUERY = `Asks a stream a SPARQL query, again and again as the stream goes on.

  ldes-live query URL... 'SELECT ...' --mal SECONDS [--window 60s] [--count N]

  URL               of the stream, such as http://localhost:3000/vehicles; of
                    several, whose members are asked together
  'SELECT ...'      the query: SELECT, CONSTRUCT, DESCRIBE or ASK
  --mal SECONDS     how old an answer may be: it is asked again at most once
                    in that time
  --window 60s      over the members of the last so many seconds (s), minutes
                    (m) or hours (h), from now on: such a window closes every
                    MAL; left out, over the newest state of all entities
  --count N         end after N results
  --engine NAME     what answers: comunica (default), which keeps closest to
                    SPARQL, or oxigraph, which is faster

On a terminal it shows the answer in place, and "not kept" while it is older
than the MAL; elsewhere it prints a JSON object a line for each change of the
answer: what came ("added"), what went ("removed"), as of when ("dataAsOf"). To
standard error goes how the query is answered, and when a stream cannot be
reached. specs/query.md has the rules.

Ctrl-C ends it.
`;

const CHECK = `Checks any LDES endpoint: does it keep the rules of LDES, TREE and HTTP caching?

  ldes-live check URL [--pages N] [--format text|json] [--hosts public|any]

  URL               of the stream, of the root of a view, or of an overview
                    that leads to one view
  --pages N         how many pages to read at most (default: 20)
  --format text     for people (default)
           json     for programs
  --hosts public    to ask no host of a private network, whatever leads there
                    (default, where the URL is not one itself)
          any       to follow relations and redirects to any host

It names each rule that is broken, what it saw, and where. It asks for one
thing at a time, with pauses, and waits where the server asks it to.
specs/check.md has the rules.

It ends with 0 when it found nothing or had advice only, 3 for warnings,
1 for errors or when there was no stream to check, 2 for a wrong command line.

Ctrl-C ends it with what it has so far.
`;

const INIT = `Writes a configuration for data that you have, and a mapping where none that
ships fits.

  ldes-live init [--url URL] [--kind KIND] [--sample FILE] [--preset NAME]
                 [--stream NAME] [--every DURATION] [--public-url URL]
                 [--topic FILTER]... [--out DIR] [--force] [--yes]

  --url URL         where the data is: http, https, mqtt or mqtts
  --kind KIND       what it is: gtfsrt, gbfs, json, ndjson, geojson, csv, xml,
                    sensorthings or mqtt; post if a program of yours sends it.
                    Told from the data where it is not given
  --sample FILE     a sample of the data, such as one message of a broker; by
                    default what the URL answers is looked at
  --preset NAME     a mapping that ships: ldes-live map --presets lists them
  --stream NAME     the path of the URL of the stream
  --every DURATION  how often to ask for the data, such as 60s
  --public-url URL  what readers will reach the server at
                    (default: http://localhost:3000/)
  --topic FILTER    of MQTT, such as sensors/+/temperature; may be repeated
  --out DIR         where to write (default: the folder that this runs in)
  --force           write over files that are there
  --yes             ask nothing: what is not given is as it usually is

On a terminal it asks for what is not given. It writes config.yml and, where it
guesses a mapping, NAME.mapping.yml: both say what each line means, and what to
do next is printed. For posts a token is made and shown once; the configuration
has its hash only.
`;

const MAP = `Shows the RDF that a mapping makes of a sample.

  ldes-live map SAMPLE --mapping FILE | --preset NAME [--lookup NAME=SAMPLE]...
                [--topic TOPIC] [--count N]
                [--format turtle|trig|nquads|ntriples|jsonld]
  ldes-live map --presets
  ldes-live map --preset NAME --print

  SAMPLE               a file, or an http or https URL
  --mapping FILE       the mapping, in YAML or JSON: specs/mappings.md has every
                       key, specs/mapping-values.md every converter
  --preset NAME        a mapping that ships
  --lookup NAME=SAMPLE the other document that the mapping calls NAME
  --topic TOPIC        of MQTT: what the sample came by, such as sensors/a/heat
  --format FORMAT      what to write (default: turtle)
  --count N            show N records only; all are mapped
  --presets            list the mappings that ship
  --print              print one of them, to start from

The RDF goes to standard output. To standard error goes how many records were
mapped, why others were not (with the line of the mapping, the path, and the
value), and which fields of the records are neither mapped nor left out.

IRIs are those of a server at http://localhost:3000/, of the stream weather by
weather.mapping.yml, and of a stream sample by a mapping of any other name.

It ends with 0 when every record could be mapped, 3 when some could not, 1 when
none was or the mapping is wrong, 2 for a wrong command line.
`;

const TOKEN = `Makes a token for posts.

  ldes-live token

Prints a new token, which is for whoever posts and is stored nowhere, and its
hash, which goes to the tokens of a stream in the configuration.
`;

const CAPACITY = `Reckons what it takes to serve so many readers, by push and by polling.

  ldes-live capacity --users N --mal SECONDS [--every SECONDS]
                     [--payload BYTES] [--requests-per-second R | --measure URL]
                     [--deliveries-per-second P] [--connection-kib N]
                     [--poll-connection-kib N] [--cdn [PLACES]]
                     [--format text|json] [--allow-remote]

  --users N         readers at a time
  --mal SECONDS     how late an update may reach any of them; as --every also
                    a duration with its unit, such as 500ms or 1m
  --every SECONDS   from one update to the next; left out, they cannot be
                    predicted, unless what is measured tells
  --payload BYTES   the state, not compressed (default: 5200)
  --requests-per-second R
                    polls that a core answers (default: 10000, or a
                    quarter of the deliveries that are given)
  --deliveries-per-second P
                    events that a core delivers (default: 40000, or 4
                    times the polls that are given or measured)
  --connection-kib N
                    memory of a push connection, KiB (default: 16)
  --poll-connection-kib N
                    memory of a polling connection, KiB (default: 12)
  --measure URL     ask this URL as often as it answers, for 3 s by 16
                    connections: what it answers a second, how long that is,
                    and when the next update comes. This machine only
  --allow-remote    let it be another machine: it is asked 5 times at most, a
                    second apart, and not how many a second it serves
  --cdn [PLACES]    answer for polls by a content delivery network, which asks
                    once an update from each of so many places (default: 100)
  --format text     for people (default)
           json     for programs

It names the mode that takes less processor time, the MAL from which on that
is polling, what clients will do, and the line of the configuration that makes
them choose it; and cores, memory and bandwidth of both, with a CDN and
without. specs/capacity.md has the formulas.
`;

const BENCH = `Repeats experiments on this machine, beside other servers and clients.

  ldes-live bench EXPERIMENT|all [--quick] [--out DIR] [--repeat N] [--seed N]
                  [--clients N,N,...] [--duration SECONDS] [--mal S,S,...]
                  [--only NAME]...

  e1                polling and Server-Sent Events, straight and through caches
  e2                a job that is followed: polling, WebSocket, and ours
  e3                rows to a consumer and to a browser: events and WebSocket
  e4                very many clients of one entity each, and round trips
  capacity          how many readers a core serves, by polling and by push
  documents         requests a second of documents, and a log on disk
  fanout            an update to very many clients, beside other servers
  replay            a history that is read from its beginning
  query             answers of SPARQL queries that are kept up to date
  client, sources   not with all, as they take another 39 min: whether MALs are kept, and
                    what it costs to take data in
  --quick           fewer and shorter rounds: to see that it works
  --out DIR         write the report: a page with all figures, JSON, and every
                    latency; compared with the one that is there already
  --repeat N        rounds, of which the median counts
  --seed N          what all random numbers come from (default: 1)
  --clients N       numbers of clients, with commas between them
  --duration S      how long each measurement lasts, seconds
  --mal S           MALs of polling clients, seconds, with commas between them
  --only NAME       only this measurement of an experiment

Benchmarks are a package of their own: npm install @ldes-live/bench. An option
that an experiment does not have is refused, and which has what is told then.

It ends with 0, 1 when an experiment failed, 2 for a wrong command line.
Ctrl-C ends it.
`;

/** The help of the command, or of one of its subcommands. */
export const helpTexts = {
  'ldes-live': GENERAL,
  serve: SERVE,
  follow: FOLLOW,
  query: QUERY,
  check: CHECK,
  init: INIT,
  map: MAP,
  token: TOKEN,
  capacity: CAPACITY,
  bench: BENCH,
} as const;
