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
import type { VerifyOptions } from './verify.ts';

/** Makes a command with its name, what it does, and what follows its name where options alone do not say it. */
export type MakeCommand = (name: string, summary: string, usageText?: string) => Command;

export function addCommands(command: MakeCommand, run: RunCommand): void {
  addServe(command, run);
  addFollow(command, run);
  addQuery(command, run);
  addCheck(command, run);
  addInit(command, run);
  addMap(command, run);
  after(command('token', 'Makes a token to post or read, and its hash for the configuration.'), [
    'The token is not stored. Give it to the program that posts or reads.',
    'Example: ldes-live token',
  ]).action(() => run('token', undefined));
  addVerify(command, run);
  after(command('schema', 'Prints the JSON Schema of the configuration, for editors.'), [
    'Example: ldes-live schema > ldes-live.schema.json',
  ]).action(() => run('schema', undefined));
  addCapacity(command, run);
  command('bench', 'Runs benchmarks (needs npm install @ldes-live/bench).', 'EXPERIMENT|all [options]')
    // The package of the benchmarks has its own options, and its own help.
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action((_, { args }: Command) => run('bench', args));
}

function addServe(command: MakeCommand, run: RunCommand): void {
  const serve = command('serve', 'Publishes the streams of a configuration, or a demonstration.');
  after(serve, [
    'Ctrl-C stops the server in order, a second Ctrl-C at once. SIGHUP reads the',
    'configuration again. specs/configuration.md has every key.',
    'Example: ldes-live serve config.yml --port 8080 --host 0.0.0.0',
  ])
    .argument('[config.yml]', 'the file that says what to publish')
    .option('--demo', 'a small transit network, simulated, polled every 5 s')
    .option('--port <PORT>', 'the port; 0: any free one (that of publicUrl, or 3000)', integer(0, 65_535))
    .option('--host <HOST>', 'the interface; 0.0.0.0: all', '127.0.0.1')
    .option('--workers <N>', 'run N more processes for push and polls', integer(1, MAX_WORKERS))
    .option('--no-web', 'serve no web pages')
    .addOption(new Option('--join <URLS>', 'join the cluster at these NATS servers').conflicts('demo'))
    .option('--node <NAME>', 'with --join: the name of this node (that of the host)')
    .option('--data <FOLDER>', 'with --join: the data folder (./data)')
    .option('--credentials <FILE>', 'with --join: the credentials for NATS')
    .option('--stream <NAME>', 'with --join: the JetStream stream (ldes)')
    .action(async (configFile: string | undefined, { demo, join: servers, ...flags }: ServeFlags) => {
      const { port, host, workers, web, ...node } = flags;
      const fail = failing(serve);
      const join = servers === undefined ? undefined : clusterOf(servers, node, fail);
      if (join && configFile !== undefined) {
        fail(`Both ${configFile} and --join were given: a node that joins needs no configuration. Give one of them.`);
      }
      if (demo && configFile !== undefined) fail(`Both ${configFile} and --demo were given. Give one of them.`);
      if (!join && !demo && configFile === undefined) fail('Give a configuration file, --demo, or --join.');
      const [lone] = Object.keys(node);
      if (!join && lone !== undefined) fail(`--${lone} needs --join. Add --join, or omit --${lone}.`);
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

const TOKEN_ENV = 'send the token in this environment variable';

function addFollow(command: MakeCommand, run: RunCommand): void {
  const follow = command('follow', 'Follows a stream and prints what changes.', 'URL --mal SECONDS [options]');
  after(follow, [
    'A terminal shows a live view. A member must match one value of each filter.',
    'Example: ldes-live follow http://localhost:3000/vehicles --mal 10',
  ])
    .argument('<URL>', 'the URL of the stream')
    .requiredOption('--mal <SECONDS>', 'how late an update may be (decides push or pull)', seconds)
    .option('--from <PLACE>', 'latest (default), start, now, or a cursor')
    .addOption(choices('--format <FORMAT>', 'the output format', ['summary', 'jsonld', 'nq'], 'summary'))
    .option('--count <N>', 'stop after N changes', integer(1))
    .option('--timeout <SECONDS>', 'stop then; exit code 1 if --count was not reached', seconds)
    .option('--state <FILE>', 'save the position, and continue from it next time')
    .option('--token-env <NAME>', TOKEN_ENV)
    .option('--entity <IRI>', 'only this entity; repeatable', repeated)
    .option('--type <IRI>', 'only members of this class; repeatable', repeated)
    .option('--bbox <W,S,E,N>', 'only inside this box, in degrees; repeatable', repeated)
    .addOption(hostsOption())
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
    'Runs a SPARQL query on streams, and prints how the answer changes.',
    "URL... 'SELECT ...' --mal SECONDS [options]",
  );
  after(query, [
    'A terminal shows the answer, and "MAL not met" while it is too old. A pipe gets',
    'one JSON object a line with "added", "removed" and "dataAsOf". Standard error',
    'says how the query is answered. specs/query.md has the rules.',
    "Example: ldes-live query http://localhost:3000/alerts 'ASK { ?s ?p ?o }' --mal 5",
  ])
    .argument('<URL...>', 'the URLs of the streams to query together')
    .requiredOption('--mal <SECONDS>', 'how old an answer may be', seconds)
    .option('--window <TIME>', 'query the last members, such as 60s; else the latest state', windowMs)
    .option('--count <N>', 'stop after N results', integer(1))
    .addOption(choices('--engine <NAME>', 'the more complete engine, or the faster one', ['comunica', 'oxigraph']))
    .addOption(hostsOption())
    .option('--token-env <NAME>', TOKEN_ENV)
    .action(async (texts: readonly string[], { window, ...flags }: QueryFlags) => {
      const [urls, sparql = ''] = [texts.slice(0, -1), texts.at(-1)];
      if (urls.length === 0) failing(query)('Give the URL of a stream and a query in quotes.');
      const isOne = new Set(urls.map((url) => (URL.canParse(url) ? new URL(url).origin : url))).size === 1;
      if (flags.tokenEnv !== undefined && !isOne) {
        failing(query)('--token-env needs URLs of one server: a token is sent to no other.');
      }
      await run('query', { urls, sparql, ...flags, ...given({ windowMs: window }) });
    });
}

type QueryFlags = Pick<QueryOptions, 'mal' | 'count' | 'engine' | 'hosts' | 'tokenEnv'> & { readonly window?: number };

function addCheck(command: MakeCommand, run: RunCommand): void {
  after(command('check', 'Checks whether an LDES follows the rules of LDES and HTTP.', 'URL [options]'), [
    'Prints each broken rule with its evidence and URL. specs/check.md has the rules.',
    'Sends one request at a time, slowly. Ctrl-C stops and prints the result so far.',
    'Exit code 0: no findings, or advice only; 3: warnings; 1: errors, or no stream.',
    'Example: ldes-live check https://example.org/vehicles --pages 50',
  ])
    .argument('<URL>', 'the URL of a stream, a view or an overview', httpUrl)
    .option('--pages <N>', 'the maximum number of pages to read', integer(1, 100_000), 20)
    .addOption(choices('--format <FORMAT>', 'the output format', ['text', 'json'], 'text'))
    .addOption(hostsOption())
    .option('--token-env <NAME>', TOKEN_ENV)
    .action((url: string, flags: Omit<CheckOptions, 'url'>) => run('check', { url, ...flags }));
}

function addInit(command: MakeCommand, run: RunCommand): void {
  const init = command('init', 'Writes a configuration and a first mapping for your data.');
  after(init, [
    'On a terminal it asks for missing options. It reads the data, and prints what to',
    'do next. For posts it makes a token, and shows it once.',
    'Example: ldes-live init --url https://city.example/garages.json --stream garages',
  ])
    .option('--url <URL>', 'the URL of the data: http, https, mqtt or mqtts', sourceUrl)
    .addOption(choices('--kind <KIND>', 'the kind of data, if not detected', SOURCE_KINDS))
    .option('--sample <FILE>', 'a sample of the data, such as one MQTT message')
    .option('--preset <NAME>', 'a built-in mapping (ldes-live map --presets)')
    .option('--stream <NAME>', 'the name of the stream, the path of its URL')
    .option('--every <DURATION>', 'how often to fetch the data, such as 60s', interval)
    .option('--public-url <URL>', 'the URL at which readers reach the server', httpUrl)
    .option('--topic <FILTER>', 'an MQTT topic, such as sensors/+/heat; repeatable', repeated)
    .option('--out <DIR>', 'the folder to write to', '.')
    .option('--force', 'overwrite existing files')
    .option('-y, --yes', 'ask nothing, use the defaults')
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

function addVerify(command: MakeCommand, run: RunCommand): void {
  const verify = command('verify', 'Reads a data folder, and lists what is damaged on the disk.', 'FOLDER [options]');
  after(verify, [
    'Stop the server first. Exit code 1: something is damaged, and is not repaired.',
    '--repair changes the folder, so copy it before. A dropped member is lost.',
    'Example: ldes-live verify ./data',
  ])
    .argument('[FOLDER]', 'the folder that `store` names in the configuration')
    .option('--repair', 'drop what cannot be read, and correct the rest')
    .option('--restored', 'the folder comes from a backup: begin new epochs')
    .action((path: string | undefined, flags: Omit<VerifyOptions, 'path'>) =>
      run('verify', { path: path ?? failing(verify)('Give the data folder, such as ./data.'), ...flags }),
    );
}

function addMap(command: MakeCommand, run: RunCommand): void {
  const map = command('map', 'Shows the RDF that a mapping makes of a sample.', 'SAMPLE --mapping FILE [options]');
  after(map, [
    'Standard output gets the RDF, with IRIs of http://localhost:3000/. Standard',
    'error lists failed records and unmapped fields. Exit code 3: some records',
    'failed; 1: all failed. specs/mappings.md has every key.',
    'Example: ldes-live map garages.json --mapping garages.mapping.yml --count 1',
  ])
    .argument('[SAMPLE]', 'a file, or an http or https URL')
    .option('--mapping <FILE>', 'the mapping, in YAML or JSON')
    .addOption(new Option('--preset <NAME>', 'a built-in mapping').conflicts('mapping'))
    .option('--lookup <NAME=SAMPLE>', 'a lookup document of the mapping; repeatable', repeated)
    .option('--topic <TOPIC>', 'the MQTT topic of the sample')
    .addOption(
      choices('--format <FORMAT>', 'the output format', ['turtle', 'trig', 'nquads', 'ntriples', 'jsonld'], 'turtle'),
    )
    .option('--count <N>', 'print only N records; all are mapped', integer(1))
    .option('--presets', 'list the built-in mappings')
    .option('--print', 'print the preset, to copy and change')
    .action(async (sample: string | undefined, flags: MapFlags) => {
      const fail = failing(map);
      const { mapping, preset, presets, print, lookup = [], ...rest } = flags;
      if (presets) return await run('listPresets', undefined);
      if (print) {
        return await run('printPreset', {
          preset: preset ?? fail('--print needs --preset. Give the name of the preset to print.'),
        });
      }
      const lookups = lookup.map((pair) => {
        const [, name, document] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
        if (name !== undefined && document !== undefined) return [name, document] as const;
        return fail(`--lookup is "${pair}": give NAME=FILE, with the name from the mapping.`);
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
    'Computes what a number of readers cost, by push and by polling.',
    '--users N --mal SECONDS [options]',
  );
  const perSecond = integer(1, 1e9);
  after(capacity, [
    'specs/capacity.md has the formulas and the defaults.',
    'Example: ldes-live capacity --users 10000 --mal 2 --every 20',
  ])
    .requiredOption('--users <N>', 'the number of simultaneous readers', integer(1, 1e12))
    .requiredOption('--mal <SECONDS>', 'how late an update may be; or 500ms, 1m', span)
    .option('--every <SECONDS>', 'the update interval; without it unpredictable', span)
    .option('--payload <BYTES>', 'the size of the state, not compressed', integer(0))
    .option('--requests-per-second <R>', 'polls that one core answers', perSecond)
    .option('--deliveries-per-second <P>', 'events that one core delivers', perSecond)
    .option('--connection-kib <N>', 'memory of a push connection', kibibytes)
    .option('--poll-connection-kib <N>', 'memory of a polling connection', kibibytes)
    .addOption(
      new Option('--measure <URL>', 'measure the rate and interval of this URL (3 s)')
        .argParser(httpUrl)
        .conflicts('requestsPerSecond'),
    )
    .option('--allow-remote', 'allow --measure of another machine (5 requests)')
    .addOption(
      new Option('--cdn [PLACES]', 'a CDN with this many places (100)').argParser(integer(1, 1e6)).preset('100'),
    )
    .addOption(choices('--format <FORMAT>', 'the output format', ['text', 'json'], 'text'))
    .action(async ({ cdn, allowRemote, ...flags }: CapacityFlags) => {
      const { measure } = flags;
      const fail = failing(capacity);
      if (allowRemote && measure === undefined)
        fail('--allow-remote needs --measure. Add --measure, or omit --allow-remote.');
      if (measure !== undefined && !allowRemote && !isLoopback(measure)) {
        fail(`--measure is "${measure}", which is another machine. If its owner agrees, add --allow-remote.`);
      }
      await run('capacity', { ...flags, ...given({ cdnPops: cdn }) });
    });
}

type CapacityFlags = Omit<CapacityOptions, 'cdnPops'> & { readonly cdn?: number; readonly allowRemote?: true };

function hostsOption(): Option {
  return choices('--hosts <HOSTS>', 'hosts to contact; else those like the URL', ['any', 'public']);
}

type Fail = (problem: string) => never;

function failing(command: Command): Fail {
  return (problem) => command.error(problem);
}

/** Adds a note and an example below the options. */
export function after(command: Command, lines: readonly string[]): Command {
  return command.addHelpText('after', `\n${lines.join('\n')}`);
}
