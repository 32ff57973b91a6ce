/* The commands: what each takes, what its values may be, and its help, which a screen of 24 lines holds. An action puts the
 * options into the shape that the command's module asks for:
 *
 *   follow URL --mal 10 --state f.json --entity urn:a -> run('follow', { url, mal: 10, format: 'summary', state: 'f.json',
 *     filter: { entity: ['urn:a'] } })
 *
 * What needs a package to be judged (a filter, a cursor, a name) is judged in the action, which loads it anyway. */
import { type Command, Option } from 'commander';
import type { CapacityOptions } from './capacity/capacity.ts';
import type { CheckOptions } from './check/check.ts';
import {
  choices,
  given,
  httpUrl,
  integer,
  interval,
  isLoopback,
  kibibytes,
  NATS_STREAM,
  NATS_URL,
  NODE_NAME,
  repeated,
  SOURCE_KINDS,
  type SourceKind,
  seconds,
  sourceUrl,
  span,
  windowMs,
  withoutUsers,
} from './config/forms.ts';
import type { FollowOptions } from './follow/follow.ts';
import type { InitOptions } from './init/init.ts';
import type { MapOptions } from './map.ts';
import type { RunCommand } from './program.ts';
import type { QueryOptions } from './query/query.ts';
import type { ServeOptions } from './serve/serve.ts';

/** Makes a command with its name, what it does, and what follows its name where options alone do not say it. */
export type MakeCommand = (name: string, summary: string, usageText?: string) => Command;

export function addCommands(command: MakeCommand, run: RunCommand): void {
  addServe(command, run);
  addFollow(command, run);
  addQuery(command, run);
  addCheck(command, run);
  addInit(command, run);
  addMap(command, run);
  after(command('token', 'Makes a token for posts, and its hash for the configuration.'), [
    'The token is stored nowhere: it is for whoever posts.',
    'Example: ldes-live token',
  ]).action(() => run('token', undefined));
  after(command('schema', 'Prints the JSON Schema of configurations, for editors and checks.'), [
    'Example: ldes-live schema > ldes-live.schema.json',
  ]).action(() => run('schema', undefined));
  addCapacity(command, run);
  command('bench', 'Repeats experiments (needs npm install @ldes-live/bench).', 'EXPERIMENT|all [options]')
    // The package of the benchmarks has its own options, and its own help.
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action((_, { args }: Command) => run('bench', args));
}

function addServe(command: MakeCommand, run: RunCommand): void {
  const serve = command('serve', 'Publishes the streams of a configuration, or of a demonstration.');
  after(serve, [
    'Ctrl-C ends it in order, a second Ctrl-C at once. SIGHUP reads the configuration',
    'again. specs/configuration.md has every key.',
    'Example: ldes-live serve config.yml --port 8080 --host 0.0.0.0',
  ])
    .argument('[config.yml]', 'what to publish')
    .option('--demo', 'a small transit network, simulated, polled every 5 s')
    .option('--port <PORT>', 'where to listen, 0: any; else as publicUrl says, or 3000', integer(0, 65_535))
    .option('--host <HOST>', 'on which interface, 0.0.0.0: all', '127.0.0.1')
    .option('--workers <N>', 'N more processes, which push and answer polls', integer(1, MAX_WORKERS))
    .option('--no-web', 'without the pages that a browser gets')
    .addOption(new Option('--join <URLS>', 'serve what a cluster publishes, by its NATS servers').conflicts('demo'))
    .option('--node <NAME>', 'with --join: what this node is called (the host’s name)')
    .option('--data <FOLDER>', 'with --join: where its data is (./data)')
    .option('--credentials <FILE>', 'with --join: what the NATS servers know it by')
    .option('--stream <NAME>', 'with --join: the JetStream stream (ldes)')
    .action(async (configFile: string | undefined, { demo, join: servers, ...flags }: ServeFlags) => {
      const { port, host, workers, web, ...node } = flags;
      const fail = failing(serve);
      const join = servers === undefined ? undefined : clusterOf(servers, node, fail);
      if (join && configFile !== undefined) {
        fail(`Both ${configFile} and --join were given: a node that joins has no configuration.`);
      }
      if (demo && configFile !== undefined) fail(`Both ${configFile} and --demo were given: choose one.`);
      if (!join && !demo && configFile === undefined) fail('Give a configuration file, --demo, or --join.');
      const [lone] = Object.keys(node);
      if (!join && lone !== undefined) fail(`--${lone} belongs to --join, which was not given.`);
      await run('serve', { host, ...given({ join, configFile, port, workers, web }) });
    });
}

/** More processes than any machine has processors for. */
const MAX_WORKERS = 256;

const NODE_FLAGS = {
  node: [NODE_NAME, '1 to 64 of A-Z, a-z, 0-9, "." and "-"'],
  data: [/\S/, 'a folder'],
  credentials: [/\S/, 'a file'],
  stream: [NATS_STREAM, '1 to 32 of A-Z, a-z, 0-9, "_" and "-"'],
} as const;

type NodeFlags = { readonly [Name in keyof typeof NODE_FLAGS]?: string };
type ServeFlags = Pick<ServeOptions, 'port' | 'host' | 'workers' | 'web'> &
  NodeFlags & { readonly demo?: true; readonly join?: string };

function clusterOf(text: string, flags: NodeFlags, fail: Fail): NonNullable<ServeOptions['join']> {
  for (const [name, value] of Object.entries(flags)) {
    const [pattern, expected] = NODE_FLAGS[name as keyof NodeFlags];
    if (!pattern.test(value)) fail(`--${name} is "${value}": give ${expected}.`);
  }
  const servers = text.split(',');
  if (!servers.every((url) => NATS_URL.test(url))) {
    const shown = withoutUsers(text);
    fail(`--join is "${shown}": give the URLs of NATS servers, such as nats://a:4222,nats://b:4222.`);
  }
  const { node, ...nats } = flags;
  return { store: { servers }, nats, ...given({ node }) };
}

function addFollow(command: MakeCommand, run: RunCommand): void {
  const follow = command('follow', 'Follows a stream and prints what changes.', 'URL --mal SECONDS [options]');
  after(follow, [
    'A terminal gets a view in place, a pipe a line for what arrives together.',
    'With several of --entity, --type, --bbox all have to fit, of each any value.',
    'Example: ldes-live follow http://localhost:3000/vehicles --mal 10',
  ])
    .argument('<URL>', 'of the stream')
    .requiredOption('--mal <SECONDS>', 'how late an update may be: pull or push follows from it', seconds)
    .option('--from <PLACE>', 'latest (default), start of the log, now, or a cursor')
    .addOption(choices('--format <FORMAT>', 'how to print it', ['summary', 'jsonld', 'nq'], 'summary'))
    .option('--count <N>', 'end after N changes', integer(1))
    .option('--timeout <SECONDS>', 'end then; exit code 1 if --count was not reached', seconds)
    .option('--state <FILE>', 'keep the position there, and go on from it the next time')
    .option('--entity <IRI>', 'only this entity; may be repeated', repeated)
    .option('--type <IRI>', 'only what states this class; may be repeated', repeated)
    .option('--bbox <W,S,E,N>', 'only what is in this box of degrees; may be repeated', repeated)
    .action(async (url: string, { entity, type, bbox, ...flags }: FollowFlags) => {
      const filter = given({ entity, type, bbox });
      await checkPart(flags.from, filter, failing(follow));
      await run('follow', { url, ...flags, filter });
    });
}

type FollowFlags = Omit<FollowOptions, 'url' | 'filter'> & FollowOptions['filter'];

// A value that is wrong is told before anything is asked for.
async function checkPart(from: string | undefined, filter: FollowOptions['filter'], fail: Fail): Promise<void> {
  const { isStreamError, parseCursor, parseFilter } = await import('@ldes-live/rdf-stream');
  const check = (parse: () => void, message: (details: Readonly<Record<string, unknown>>) => string) => {
    try {
      parse();
    } catch (error) {
      if (!isStreamError(error)) throw error;
      fail(message(error.details));
    }
  };
  if (from !== undefined && !['latest', 'start', 'now'].includes(from)) {
    check(
      () => parseCursor(from),
      () => `--from is "${from}": give latest, start, now, or a cursor such as "k3x9a-42".`,
    );
  }
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(filter)) for (const value of values) query.append(name, value);
  check(
    () => parseFilter(query, Number.POSITIVE_INFINITY),
    ({ name, value, expected }) => `--${name} is "${value}": give ${expected}.`,
  );
}

function addQuery(command: MakeCommand, run: RunCommand): void {
  const query = command(
    'query',
    'Asks streams a SPARQL query, and prints how the answer changes.',
    "URL... 'SELECT ...' --mal SECONDS [options]",
  );
  after(query, [
    'A terminal shows the answer in place, and "MAL not met" while it is older.',
    'A pipe gets a JSON object a line: "added", "removed", "dataAsOf". How the query',
    'is answered goes to standard error. specs/query.md has the rules.',
    "Example: ldes-live query http://localhost:3000/alerts 'ASK { ?s ?p ?o }' --mal 5",
  ])
    .argument('<URL...>', 'of the streams, whose members are asked together')
    .requiredOption('--mal <SECONDS>', 'how old an answer may be', seconds)
    .option('--window <TIME>', 'over the last members, such as 60s; else the newest state', windowMs)
    .option('--count <N>', 'end after N results', integer(1))
    .addOption(choices('--engine <NAME>', 'closest to SPARQL, or faster', ['comunica', 'oxigraph']))
    .action(async (texts: readonly string[], { window, ...flags }: QueryFlags) => {
      const [urls, sparql = ''] = [texts.slice(0, -1), texts.at(-1)];
      if (urls.length === 0) failing(query)('Give the URL of a stream, and a query in quotes.');
      await run('query', { urls, sparql, ...flags, ...given({ windowMs: window }) });
    });
}

type QueryFlags = Pick<QueryOptions, 'mal' | 'count' | 'engine'> & { readonly window?: number };

function addCheck(command: MakeCommand, run: RunCommand): void {
  after(command('check', 'Checks whether any LDES endpoint keeps the rules of LDES and HTTP.', 'URL [options]'), [
    'It names each broken rule, what it saw, and where; specs/check.md has the rules.',
    'It asks for one thing at a time, with pauses. Ctrl-C ends it with what it has.',
    'Exit code 0: nothing, or advice only; 3: warnings; 1: errors, or no stream.',
    'Example: ldes-live check https://example.org/vehicles --pages 50',
  ])
    .argument('<URL>', 'of the stream, of a view, or of an overview', httpUrl)
    .option('--pages <N>', 'how many pages to read at most', integer(1, 100_000), 20)
    .addOption(choices('--format <FORMAT>', 'for people or programs', ['text', 'json'], 'text'))
    .addOption(choices('--hosts <HOSTS>', 'which may be asked; else as the URL itself is', ['any', 'public']))
    .action((url: string, flags: Omit<CheckOptions, 'url'>) => run('check', { url, ...flags }));
}

function addInit(command: MakeCommand, run: RunCommand): void {
  const init = command('init', 'Writes a configuration, and a first mapping, for data that you have.');
  after(init, [
    'On a terminal it asks for what is not given, and looks at the data. What to do',
    'next is printed. For posts a token is made and shown once.',
    'Example: ldes-live init --url https://city.example/garages.json --stream garages',
  ])
    .option('--url <URL>', 'where the data is: http, https, mqtt or mqtts', sourceUrl)
    .addOption(choices('--kind <KIND>', 'what it is; else told from the data', SOURCE_KINDS))
    .option('--sample <FILE>', 'a sample of the data, such as one message of a broker')
    .option('--preset <NAME>', 'a mapping that ships: ldes-live map --presets lists them')
    .option('--stream <NAME>', 'the path of the URL of the stream')
    .option('--every <DURATION>', 'how often to ask for the data, such as 60s', interval)
    .option('--public-url <URL>', 'what readers will reach the server at', httpUrl)
    .option('--topic <FILTER>', 'of MQTT, such as sensors/+/heat; may be repeated', repeated)
    .option('--out <DIR>', 'where to write', '.')
    .option('--force', 'write over files that are there')
    .option('-y, --yes', 'ask nothing: what is not given is as it usually is')
    .action(async ({ kind, topic = [], yes = false, force = false, ...flags }: InitFlags) => {
      const { isStreamName } = await import('@ldes-live/server');
      const { stream } = flags;
      if (stream !== undefined && !isStreamName(stream)) {
        failing(init)(`--stream is "${stream}": give a name of a-z, 0-9 and "-", such as garages.`);
      }
      await run('init', { ...flags, ...given({ source: kind }), topics: topic, yes, force });
    });
}

type InitFlags = Pick<InitOptions, 'url' | 'sample' | 'preset' | 'stream' | 'every' | 'publicUrl' | 'out'> &
  Partial<Pick<InitOptions, 'yes' | 'force'>> & { readonly kind?: SourceKind; readonly topic?: readonly string[] };

function addMap(command: MakeCommand, run: RunCommand): void {
  const map = command('map', 'Shows the RDF that a mapping makes of a sample.', 'SAMPLE --mapping FILE [options]');
  after(map, [
    'RDF goes to standard output, its IRIs as at http://localhost:3000/. To standard',
    'error goes what could not be mapped, and which fields are left. Exit code 3:',
    'some records could not be; 1: none. specs/mappings.md has every key.',
    'Example: ldes-live map garages.json --mapping garages.mapping.yml --count 1',
  ])
    .argument('[SAMPLE]', 'a file, or an http or https URL')
    .option('--mapping <FILE>', 'the mapping, in YAML or JSON')
    .addOption(new Option('--preset <NAME>', 'a mapping that ships').conflicts('mapping'))
    .option('--lookup <NAME=SAMPLE>', 'a document of the mapping, by its name; repeatable', repeated)
    .option('--topic <TOPIC>', 'of MQTT: what the sample came by')
    .addOption(
      choices('--format <FORMAT>', 'what to write', ['turtle', 'trig', 'nquads', 'ntriples', 'jsonld'], 'turtle'),
    )
    .option('--count <N>', 'show N records only; all are mapped', integer(1))
    .option('--presets', 'list the mappings that ship')
    .option('--print', 'print the preset, to start from')
    .action(async (sample: string | undefined, flags: MapFlags) => {
      const fail = failing(map);
      const { mapping, preset, presets, print, lookup = [], ...rest } = flags;
      if (presets) return await run('listPresets', undefined);
      if (print) {
        return await run('printPreset', { preset: preset ?? fail('Give --preset beside --print: which to print.') });
      }
      const lookups = lookup.map((pair) => {
        const [, name, document] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
        if (name !== undefined && document !== undefined) return [name, document] as const;
        return fail(`--lookup is "${pair}": give NAME=FILE, the name being that in the mapping.`);
      });
      const shipped = () => preset ?? fail('Give --mapping FILE, or --preset NAME (--presets lists them).');
      await run('map', {
        sample: sample ?? fail('Give one sample: a file, or its URL.'),
        mapping: mapping === undefined ? { preset: shipped() } : { file: mapping },
        lookups: Object.fromEntries(lookups),
        ...rest,
      });
    });
}

interface MapFlags extends Pick<MapOptions, 'topic' | 'format' | 'count'> {
  readonly mapping?: string;
  readonly preset?: string;
  readonly presets?: true;
  readonly print?: true;
  readonly lookup?: readonly string[];
}

function addCapacity(command: MakeCommand, run: RunCommand): void {
  const capacity = command(
    'capacity',
    'Computes what so many readers take, by push and by polling.',
    '--users N --mal SECONDS [options]',
  );
  const perSecond = integer(1, 1e9);
  after(capacity, [
    'specs/capacity.md has the formulas and the defaults.',
    'Example: ldes-live capacity --users 10000 --mal 2 --every 20',
  ])
    .requiredOption('--users <N>', 'readers at a time', integer(1, 1e12))
    .requiredOption('--mal <SECONDS>', 'how late an update may reach them; or 500ms, 1m', span)
    .option('--every <SECONDS>', 'from one update to the next; else unpredictable', span)
    .option('--payload <BYTES>', 'the state, not compressed', integer(0))
    .option('--requests-per-second <R>', 'polls that a core answers', perSecond)
    .option('--deliveries-per-second <P>', 'events that a core delivers', perSecond)
    .option('--connection-kib <N>', 'memory of a push connection', kibibytes)
    .option('--poll-connection-kib <N>', 'memory of a polling connection', kibibytes)
    .addOption(
      new Option('--measure <URL>', 'ask this URL for 3 s: polls a second, interval')
        .argParser(httpUrl)
        .conflicts('requestsPerSecond'),
    )
    .option('--allow-remote', 'it may be another machine, asked 5 times at most')
    .addOption(
      new Option('--cdn [PLACES]', 'behind a CDN of so many places, 100 if not said')
        .argParser(integer(1, 1e6))
        .preset('100'),
    )
    .addOption(choices('--format <FORMAT>', 'for people or programs', ['text', 'json'], 'text'))
    .action(async ({ cdn, allowRemote, ...flags }: CapacityFlags) => {
      const { measure } = flags;
      const fail = failing(capacity);
      if (allowRemote && measure === undefined) fail('--allow-remote belongs to --measure, which was not given.');
      if (measure !== undefined && !allowRemote && !isLoopback(measure)) {
        fail(`--measure is "${measure}", on another machine: say --allow-remote if its owner agrees.`);
      }
      await run('capacity', { ...flags, ...given({ cdnPops: cdn }) });
    });
}

type CapacityFlags = Omit<CapacityOptions, 'cdnPops'> & { readonly cdn?: number; readonly allowRemote?: true };

type Fail = (problem: string) => never;

function failing(command: Command): Fail {
  return (problem) => command.error(problem);
}

/** What stands below the options: a note, and an example. */
export function after(command: Command, lines: readonly string[]): Command {
  return command.addHelpText('after', `\n${lines.join('\n')}`);
}
