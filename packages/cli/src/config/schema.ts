/*
 * What a configuration may say: one schema, from which its types, its messages and its JSON Schema follow.
 *
 *   { publicUrl: 'https://live.example.org/', push: { age: '30m' }, streams: { vehicles: { source: { ... }, breakEven: '80s' } } }
 *     -> { publicUrl: ..., store: './data', push: { limitAgeMs: 1800000 }, streams: { vehicles: { source: { kind, ... }, breakEvenSeconds: 80 } } }
 *
 * Messages say what is expected; for unknown keys they list the known ones, separated by ", ".
 */
import type { QueriedStream, SparqlLimits } from '@ldes-live/query/http';
import type { Contact, Publisher, RetentionPolicy } from '@ldes-live/rdf-stream';
import { isBaseUrl, isStreamName, type PushOptions, RESERVED_NAMES } from '@ldes-live/server';
import { z } from 'zod';
import type { Environment } from '../environment.ts';
import { printText } from '../terminal.ts';
import {
  anyOf,
  duration,
  either,
  expanded,
  flag,
  integer,
  jsonSchemaOf,
  type LimitTable,
  limits,
  matching,
  object,
  optional,
  required,
  VARIABLE,
  words,
} from './fields.ts';
import { isUrl, NATS_STREAM, NATS_URL, NODE_NAME } from './forms.ts';
import { HASH_SAMPLE, hashes, type SourceConfig, sourceSchema } from './sources.ts';

export type Config = z.output<typeof configSchema>;

type Refine<Value> = (value: Value, context: z.RefinementCtx) => void;

// Where the logs are kept.

const A_FOLDER = 'a folder, such as ./data';
const A_SERVER = 'the URL of a NATS server, such as nats://host:4222 or tls://host:4222';
const STORE = `${A_FOLDER}, memory, or ${A_SERVER}, or a list of these`;

const servers = z.array(matching(NATS_URL, A_SERVER)).min(1, 'at least one URL');
const place = matching(new RegExp(`^(?!.*://)[^]*\\S|${NATS_URL.source}`), STORE);
const store = either(
  {
    text: place.transform((text) => (NATS_URL.test(text) ? { servers: [text] } : text)),
    list: servers.transform((all) => ({ servers: all })),
  },
  STORE,
);

const replicas = z.literal([1, 3, 5], '1, 3 or 5');
const credentials = matching(/\S/, 'a file of credentials, such as ./ldes.creds');
const natsStream = matching(NATS_STREAM, 'a name of 1 to 32 of A-Z, a-z, 0-9, "_" and "-"');
const nats = object('nats', 'a mapping with any of replicas, credentials, stream, data', {
  replicas: optional(replicas, 'servers that keep each entry: 1, 3 or 5 | `3` where three are listed, else `1` | 3'),
  credentials: optional(credentials, 'the file of credentials | none | ./ldes.creds'),
  stream: optional(natsStream, 'the name of the JetStream stream | `ldes` | transit'),
  data: optional(matching(/\S/, A_FOLDER), 'the data folder of this node | `./data` | /var/lib/ldes'),
});

/** Notes what is of NATS beside a store that is not. */
const noteUnusedNats: Refine<{ store?: unknown; nats?: unknown; node?: unknown }> = (
  { store, nats, node },
  context,
) => {
  if (typeof store === 'object') return;
  const message = 'the key only with a store at NATS servers, such as store: nats://host:4222';
  for (const [key, input] of Object.entries({ nats, node })) {
    if (input !== undefined) context.addIssue({ code: 'custom', path: [key], message, input });
  }
};

// How the server behaves.

const push = limits<PushOptions>('push', {
  // Readers take a stream for dead that is silent for much longer.
  heartbeat: ['heartbeatMs', duration('1s', '15s'), 'how long nothing is sent before a heartbeat | `15s` | 10s'],
  retry: ['retryMs', duration('100ms', '10m'), 'the shortest time before a disconnected reader reconnects | `1s` | 2s'],
  queueBytes: ['limitQueueBytes', integer(1), 'bytes of events that wait for a slow reader | `1048576` | 262144'],
  stall: ['limitStallMs', duration('1s'), 'how long a reader may read nothing before it is disconnected | `1m` | 30s'],
  frameBytes: [
    'limitFrameBytes',
    integer(1),
    'bytes that the commits kept in memory take, for each stream | `33554432` | 8388608',
  ],
  replayBytes: [
    'limitReplayBytes',
    integer(1),
    'bytes of events for all readers that catch up | `268435456` | 67108864',
  ],
  replayMembers: [
    'limitReplayMembers',
    integer(1),
    'members that one reader gets when it catches up | `100000` | 10000',
  ],
  narrowing: ['limitNarrowing', integer(1), 'values of entity, type and bbox in one request | `100` | 20'],
  connections: ['limitConnections', integer(1), 'connections at a time, over all streams | `50000` | 10000'],
  connectionsPerAddress: ['limitConnectionsPerAddress', integer(1), 'connections of one public address | `1000` | 100'],
  acceptsPerSecond: ['limitAcceptsPerSecond', integer(1), 'connections that are accepted in a second | `4000` | 500'],
  waitingAccepts: ['limitWaitingAccepts', integer(1), 'connections that wait to be accepted | `20000` | 5000'],
  age: ['limitAgeMs', duration('10s', '20d'), 'the longest life of a connection | `1h` | 30m'],
  grace: [
    'shutdownGraceMs',
    duration('0s', '1h'),
    'how long the server takes to end all connections when it stops | `8s` | 30s',
  ],
});

const certificate = matching(/\S/, 'the PEM file of a certificate chain, such as ./live.crt');
const privateKey = matching(/\S/, 'the PEM file of a private key, such as ./live.key');
const tls = object('tls', 'a mapping with cert and key', {
  cert: required(certificate, 'the PEM file of the certificate, and of those that lead to its issuer | ./live.crt'),
  key: required(privateKey, 'the PEM file of its private key, without a password | ./live.key'),
});

/** Notes where HTTPS cannot be what readers, or other nodes, come by. */
const noteUselessTls: Refine<{ tls?: unknown; publicUrl: string; store?: unknown }> = (said, context) => {
  if (said.tls === undefined) return;
  const add = (key: 'publicUrl' | 'tls', message: string) =>
    context.addIssue({ code: 'custom', path: [key], message, input: said[key] });
  if (!said.publicUrl.startsWith('https:')) add('publicUrl', 'a URL of https, since the key tls is there');
  if (typeof said.store === 'object') {
    add('tls', 'no key with a store at NATS servers, whose nodes reach each other by HTTP: put a proxy before each');
  }
};

const STYLE = 'the http or https URL of a MapLibre style, or a path of this server that begins with "/"';
const isStyle = (text: string) => text.startsWith('/') || isUrl(text);
const style = z.string(STYLE).refine(isStyle, STYLE).meta({ pattern: '^/|^https?:' });
const WEB = 'false, or a mapping with any of style, foreign';
const pages = object('web', WEB, {
  style: optional(style, 'the style of the map | outlines of countries | https://tiles.example/style.json'),
  foreign: optional(flag, 'whether the pages may follow streams of other servers | `false` | true'),
});
const web = either({ false: z.literal(false), mapping: pages }, WEB);

// What is said of streams.

// An absolute IRI of the characters that RDF allows in one.
const IRI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{C}<>"{}|\\^`]+$/u;
const iri = (example: string) => matching(IRI, `an IRI, such as ${example}`);
const iris = (example: string) =>
  z.array(iri(example), `a list of IRIs, such as ${example}`).min(1, 'at least one IRI');

const LICENCE = 'https://creativecommons.org/publicdomain/zero/1.0/';
const US = 'https://agency.example/#us';
const HELP = 'https://agency.example/help';
const THEME = 'http://publications.europa.eu/resource/authority/data-theme/TRAN';
const PLACE = 'http://publications.europa.eu/resource/authority/country/BEL';
const EMAIL = 'an e-mail address, such as data@agency.example';

const publisher = object('publisher', 'a mapping with a name', {
  name: required(words('a name in quotes'), 'its name | Example Transit'),
  iri: optional(iri(US), `its IRI | none | "${US}"`),
} satisfies Record<keyof Publisher, z.ZodType>);

const contact = object('contact', 'a mapping with a name', {
  name: required(words('a name in quotes'), 'the name of the contact | Helpdesk'),
  email: optional(
    matching(/^[^\s@<>"]+@[^\s@<>"]+$/u, EMAIL),
    'its e-mail address | none stated | data@agency.example',
  ),
  url: optional(iri(HELP), `the URL of a page | none stated | ${HELP}`),
} satisfies Record<keyof Contact, z.ZodType>);

/** Who publishes, under which licence, about what: what may be said of all streams, and otherwise of each. */
const about = (fallback: string) => ({
  licence: optional(iri(LICENCE), `the IRI of the licence | ${fallback} | ${LICENCE}`),
  publisher: optional(publisher, `who publishes it | ${fallback} | { name: Example Transit }`),
  contact: optional(contact, `the contact for questions | ${fallback} | { name: Helpdesk }`),
  themes: optional(iris(THEME), `IRIs of its topics, at least one | ${fallback} | [${THEME}]`),
  places: optional(iris(PLACE), `IRIs of the places that it covers, at least one | ${fallback} | [${PLACE}]`),
});

const UPDATES = '"unpredictable", a mapping with every such as { every: 15m }, or no key';
const regular = object('updates', UPDATES, {
  every: required(duration('100ms', '366d'), 'how long after each update the next one comes | 15m'),
}).transform(({ every: everyMs }) => ({ everyMs }));
const updates = either({ text: z.literal('unpredictable', UPDATES), mapping: regular }, UPDATES);

const INSTANT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;
const AN_INSTANT = 'an instant with its timezone, such as 2026-01-01T00:00:00Z';
/** Date takes the 30th of February for a day in March. */
const isDay = (day: string) => new Date(`${day}T00:00Z`).toJSON()?.startsWith(day) === true;
const instant = z
  .string(AN_INSTANT)
  .refine((text) => isDay(INSTANT.exec(text)?.[1] ?? '') && !Number.isNaN(Date.parse(text)), AN_INSTANT)
  .transform((text) => new Date(text).toISOString())
  .meta({ pattern: INSTANT.source });

// The longest that anything is kept if it is not kept for ever: a hundred years.
const kept = (min: string) => duration(min, '36500d');
const RETENTION: LimitTable<RetentionPolicy> = {
  versions: [
    'versionAmount',
    integer(1),
    'how many of the newest versions of each entity are kept | none for this reason | 1',
  ],
  versionsFor: ['versionMs', kept('1s'), 'for how long `versions` keeps a version | for ever | 30d'],
  history: ['fullLogMs', kept('1s'), 'for how long everything is kept | none for this reason | 7d'],
  deletes: ['versionDeleteMs', kept('0s'), 'the same for the deletion of an entity | as for any version | 1d'],
  from: ['startingFrom', instant, 'nothing from before this time is kept | the beginning | 2026-01-01T00:00:00Z'],
};
const ofVersions = { versionsFor: ['versions'], deletes: ['versions'] };
const retention = limits('retention', RETENTION, { minProperties: 1, dependentRequired: ofVersions }).superRefine(
  (policy, context) => {
    if (Object.keys(policy).length === 0) context.addIssue({ code: 'custom', message: anyOf(RETENTION) });
    if (policy.versionAmount !== undefined) return;
    for (const key of ['versionsFor', 'deletes'] as const) {
      if (policy[key === 'deletes' ? 'versionDeleteMs' : 'versionMs'] === undefined) continue;
      const message = 'the key versions too: this key says how long those are kept';
      context.addIssue({ code: 'custom', path: [key], message });
    }
  },
);

export type QueriesConfig = Pick<QueriedStream, 'engine'> & Partial<SparqlLimits>;

const engine = z.literal(['comunica', 'oxigraph'], 'comunica or oxigraph');
const QUERIES: LimitTable<QueriesConfig> = {
  engine: ['engine', engine, '`comunica`, closest to SPARQL, or `oxigraph`, which is faster | `comunica` | oxigraph'],
  live: ['limitLiveQueries', integer(1, 1000), 'live queries at a time; equal queries count once | `2` | 4'],
  subscribers: ['limitSubscribers', integer(1), 'readers of live queries at a time | `1000` | 100'],
  waiting: ['limitWaitingQueries', integer(1), 'queries that wait or are being answered | `16` | 4'],
  mal: ['limitMalMs', duration('1ms'), 'the shortest MAL of a live query | `500ms` | 2s'],
  evaluation: ['limitEvaluationMs', duration('1ms', '1h'), 'the longest evaluation | `10s` | 5s'],
  loading: ['limitLoadingMs', duration('1ms', '1h'), 'how long the state may take to load | `30s` | 1m'],
  rows: ['limitRows', integer(1), 'solutions or quads of an answer | `10000` | 1000'],
  quads: ['limitQuads', integer(1), 'quads of the state or window that a query is asked over | `250000` | 100000'],
  chars: ['limitQueryChars', integer(1), 'characters of a query | `10000` | 2000'],
  textChars: ['limitTextChars', integer(1), 'characters of a text that a function makes | `1000000` | 100000'],
  // With less a thread cannot even load what evaluates.
  memoryMib: ['limitMemoryMib', integer(64), 'memory of each thread that answers, MiB | `448` | 256'],
  queueBytes: ['limitQueueBytes', integer(1), 'bytes of events that wait for a slow reader | `1048576` | 262144'],
  stall: ['limitStallMs', duration('1s'), 'how long a reader may read nothing before it is disconnected | `1m` | 30s'],
  replayBytes: [
    'limitReplayBytes',
    integer(1),
    'bytes of events kept in memory for each live query | `1048576` | 262144',
  ],
  answerBytes: [
    'limitAnswerBytes',
    integer(1),
    'bytes of an answer, and of all answers kept in memory | `8388608` | 1048576',
  ],
};
const queries = either(
  {
    true: z.literal(true).transform((): QueriesConfig => ({})),
    false: z.literal(false),
    mapping: limits<QueriesConfig>('queries', QUERIES),
  },
  `true, false, or ${anyOf(QUERIES)}`,
);

const readers = object('readers', 'a mapping with tokens', {
  tokens: required(hashes, `the SHA-256 of each token that may read, in quotes; ${VARIABLE} | ${HASH_SAMPLE}`),
}).transform(({ tokens }) => ({ tokenHashes: tokens }));

const word = words('a word or two in quotes');
const keywords = z
  .array(word, 'a list of words')
  .min(1, 'at least one word')
  .superRefine((all, context) => {
    for (const [index, input] of all.entries()) {
      if (all.indexOf(input) === index) continue;
      context.addIssue({ code: 'custom', path: [index], message: 'each word once', input });
    }
  })
  .meta({ uniqueItems: true });

const stream = object('stream', 'a mapping with a source', {
  title: optional(words('a title in quotes'), 'its title for people | its name | Vehicle positions'),
  description: optional(words('a text in quotes'), 'its description for people | none | Where our trams are.'),
  keywords: optional(keywords, 'its keywords: at least one, all different | none | [public transport, trams]'),
  ...about('that of the file'),
  source: required(sourceSchema, 'where its members come from | { gtfsRt: https://agency.example/vp.pb, every: 20s }'),
  updates: optional(updates, 'when updates come: `unpredictable`, or at an interval | learned | unpredictable'),
  breakEven: optional(duration('0s', '366d'), 'the MAL below which it pushes | `10s` | 80s', 'breakEvenSeconds'),
  retention: optional(retention, 'which members are kept | everything, for ever | { versions: 1, history: 7d }'),
  readers: optional(readers, `who may read it: then it is private | everybody | { tokens: ${HASH_SAMPLE} }`),
  queries: optional(queries, 'whether it answers SPARQL queries: `true`, `false`, or a mapping | `false` | true'),
}).transform(({ breakEven, ...said }) => ({
  ...said,
  ...(breakEven !== undefined && { breakEvenSeconds: breakEven / 1000 }),
}));

type Streams = Readonly<Record<string, { readonly source: SourceConfig }>>;

/** Of two sources that share a session a broker lets one in at a time, and the messages of either go to both. */
const noteSharedSessions: Refine<Streams> = (streams, context) => {
  const owners = new Map<string, string>();
  for (const [name, { source }] of Object.entries(streams)) {
    if (source.kind !== 'mqtt' || source.clientId === undefined) continue;
    const { protocol, hostname, port } = new URL(source.url);
    // Of a scheme that is not known to URLs, the host is not made lower case.
    const broker = `${hostname.toLowerCase()}:${port || (protocol === 'mqtts:' ? 8883 : 1883)}`;
    const session = JSON.stringify([broker, source.clientId]);
    const owner = owners.get(session);
    owners.set(session, owner ?? name);
    if (owner === undefined) continue;
    const message = `a different name than the stream ${owner} has at the same broker, or no key`;
    context.addIssue({ code: 'custom', path: [name, 'source', 'clientId'], message, input: source.clientId });
  }
};

/** The `timetable` of a feed is a stream of the configuration that publishes one (TT-8). */
const noteMissingTimetables: Refine<Streams> = (streams, context) => {
  const timetables = Object.keys(streams).filter((name) => streams[name]?.source.kind === 'timetable');
  const known = timetables.length > 0 ? timetables.join(', ') : 'none yet: add one with source: { gtfs: URL }';
  const message = `the name of a stream whose source is a timetable (${known})`;
  for (const [name, { source }] of Object.entries(streams)) {
    for (const [index, { timetable }] of (source.kind === 'gtfsRt' ? source.feeds : []).entries()) {
      if (timetable === undefined || timetables.includes(timetable)) continue;
      const path = [name, 'source', 'gtfsRt', index, 'timetable'];
      context.addIssue({ code: 'custom', path, message, input: timetable });
    }
  }
};

const PUBLIC_URL =
  'the http or https URL at which readers reach the server, ending in "/", such as https://live.example.org/';
const publicUrl = z.string(PUBLIC_URL).refine(isBaseUrl, PUBLIC_URL).meta({ pattern: '^https?://[^?#]*/$' });
const node = expanded(NODE_NAME, 'a name of 1 to 64 of A-Z, a-z, 0-9, "." and "-"');
const A_NAME = `a name of 1 to 64 of a-z, 0-9 and "-" that does not start with "-" and is not one of ${RESERVED_NAMES.join(', ')}`;
const streamName = z
  .string()
  .refine(isStreamName, A_NAME)
  .meta({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$', not: { enum: RESERVED_NAMES } });
const streams = z
  .record(streamName, stream, 'a mapping of stream names to streams')
  .refine((all) => Object.keys(all).length > 0, 'at least one stream')
  .superRefine(noteSharedSessions)
  .superRefine(noteMissingTimetables)
  .meta({ minProperties: 1 });

/** @see specs/configuration.md */
export const configSchema = object('configuration', 'a mapping with publicUrl and streams', {
  publicUrl: required(
    publicUrl,
    'the URL at which readers reach the server, ending in `/` | https://live.example.org/',
  ),
  store: optional(store, 'the logs: a folder, `memory`, or URLs of NATS servers | `./data` | nats://host:4222'),
  nats: optional(nats, 'settings of the logs at NATS servers | each has its own | { replicas: 3 }'),
  node: optional(node, `the name of this node of a cluster; ${VARIABLE} | that of the host | node-1`),
  tls: optional(tls, 'has the server listen by HTTPS | HTTP | { cert: ./live.crt, key: ./live.key }'),
  push: optional(push, 'settings and limits of push | each has its own | { connections: 10000 }'),
  web: optional(web, 'the web pages: `false`, or a mapping | each has its own | { foreign: true }'),
  ...about('none stated'),
  streams: required(streams, 'streams by their names, at least one | { a: { source: { gtfs: https://a.example/ } } }'),
})
  .superRefine(noteUnusedNats)
  .superRefine(noteUselessTls)
  .transform(({ store = './data', ...said }) => ({ ...said, store }));

export async function printSchema(_: unknown, { stdout }: Pick<Environment, 'stdout'>): Promise<void> {
  await printText(stdout, `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
}

export function configJsonSchema(): object {
  const { configuration, ...$defs } = jsonSchemaOf(configSchema).$defs ?? {};
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://w3id.org/ldes-live/config.schema.json',
    title: 'Configuration of ldes-live',
    ...configuration,
    $defs,
  };
}
