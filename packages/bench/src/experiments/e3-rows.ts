/*
 * The two processes of `e3`: one sends batches of rows by one of four transports, one reads, parses and counts them. Each loads
 * what it measures, and nothing else.
 *
 *   { "transport": "plain SSE" }     orders to one: serve -> { url }; publish -> batches; close
 *                                    to the other: open; finish -> { rows, doubled, delay, ... }; close
 *   [0, 987654321, "water-level-sensor-0000", "harbour-basin-1", "rising", 22.41, 20.91, 24.66, 52.1, 4.9, 57, "0f3c..."]
 *
 * WebSocket and plain events send a batch as an array of rows, made into JSON once for all connections. With ldes-live a row is a
 * member and a batch is a commit: its event is JSON-LD, several times as long, which `createLiveClient` reads too.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Histogram } from '../histogram.ts';
import { openEventStream } from '../load/event-stream.ts';
import { answerOrders, listen, planOf } from '../processes.ts';
import { monotonicMicros, type PublishSchedule, seededRandom, until } from '../timing.ts';

export type RowsOrder =
  | { readonly order: 'serve' | 'close' }
  /** Batches of so many rows each, numbered from the first; answered by how many were published. */
  | (PublishSchedule & Readonly<Record<'batch' | 'firstRow' | 'seed', number>> & { readonly order: 'publish' })
  | { readonly order: 'open'; readonly url: string; readonly connections: number }
  /** When every connection is past so many rows, or at that instant; what comes from then on is counted anew. */
  | { readonly order: 'finish'; readonly rows: number; readonly endMicros: number };
type Order<Name> = Extract<RowsOrder, { readonly order: Name }>;

/** What all connections of a reader got. */
export interface RowCounts {
  /** Rows that came for the first time, none of them after a later one. */
  readonly rows: number;
  readonly doubled: number;
  /** 0 where they are not known. */
  readonly bytes: number;
  /** From the instant that a batch was due until its rows were parsed: one value a batch and connection. */
  readonly delay: string;
  readonly lastMicros: number;
  /** How often a page has drawn, and the longest time between. */
  readonly drawn?: { readonly draws: number; readonly maxGapMs: number };
}

/** Its number from 0, the instant that it was due, and ten fields of a sensor: some 130 bytes as JSON. */
type Row = readonly [n: number, dueMicros: number, ...fields: (number | string)[]];

type Field = readonly [
  type: 'integer' | 'decimal' | 'string',
  make?: (upTo: (most: number) => number, place: number) => number | string,
];

/** Fields in their order, with their types in RDF, and how those after number and instant are made, by the place in the batch. */
const FIELDS = Object.entries<Field>({
  n: ['integer'],
  t: ['integer'],
  device: ['string', (_, place) => `water-level-sensor-${String(place).padStart(4, '0')}`],
  site: ['string', (_, place) => `harbour-basin-${(place % 8) + 1}`],
  state: ['string', (upTo) => ['steady', 'rising', 'falling', 'settled'][upTo(4)] as string],
  value: ['decimal', (upTo) => (2000 + upTo(1000)) / 100],
  low: ['decimal', (upTo) => (1850 + upTo(100)) / 100],
  high: ['decimal', (upTo) => (3000 + upTo(100)) / 100],
  lat: ['decimal', (upTo) => (520_000 + upTo(10_000)) / 10_000],
  long: ['decimal', (upTo) => (40_000 + upTo(10_000)) / 10_000],
  charge: ['integer', (upTo) => upTo(101)],
  check: ['string', (upTo) => String(upTo(1e16)).padStart(16, '0')],
});
const NAMESPACE = 'http://example.org/row#';
const MADE = FIELDS.flatMap(([, [, make]]) => make ?? []);

/** The rows of a batch, the same for the same arguments. */
function makeBatch(first: number, count: number, dueMicros: number, seed: number): Row[] {
  const random = seededRandom(seed + first);
  const upTo = (most: number) => Math.floor(random() * most);
  return Array.from({ length: count }, (_, place) => [
    first + place,
    dueMicros,
    ...MADE.map((make) => make(upTo, place)),
  ]);
}

/** A row from what its member says of each field, as text or numbers. */
function rowOf(said: (field: string) => unknown): Row {
  return FIELDS.map(([field, [type]]) => (type === 'string' ? String : Number)(said(field))) as unknown as Row;
}

/** Sends each batch to all its connections. */
interface RowServer {
  readonly url: string;
  send(rows: readonly Row[]): Promise<unknown> | undefined;
  close(): unknown;
}

/** By the name that tables have; `ldes-live` is read as plain events, and by its client. */
const SERVERS = {
  WebSocket: () => servePlain(true),
  'plain SSE': () => servePlain(false),
  'ldes-live': () => serveLive('/events'),
  'ldes-live, createLiveClient': () => serveLive(''),
} satisfies Record<string, () => Promise<RowServer>>;
type Transport = keyof typeof SERVERS;

/** WebSocket or events: the same bytes to all. */
async function servePlain(isWebSocket: boolean): Promise<RowServer> {
  const sends = new Set<(bytes: Buffer) => void>();
  // The page that reads it is of another origin.
  const headers = { 'content-type': 'text/event-stream', 'access-control-allow-origin': '*' };
  const server = createServer((_request, response) => {
    response.writeHead(200, { ...headers, 'cache-control': 'no-store' }).flushHeaders();
    sends.add((bytes) => response.write(bytes));
  });
  if (isWebSocket) {
    const { WebSocketServer } = await import('ws');
    const sockets = new WebSocketServer({ server, perMessageDeflate: false });
    sockets.on('connection', (socket) => sends.add((bytes) => socket.send(bytes, { binary: false })));
  }
  return {
    url: `http://127.0.0.1:${await listen(server)}/rows`,
    send: (rows) => {
      const text = JSON.stringify(rows);
      const bytes = Buffer.from(isWebSocket ? text : `id: ${rows.at(-1)?.[0]}\ndata: ${text}\n\n`);
      for (const send of sends) send(bytes);
      return undefined;
    },
    // Its clients have closed their connections.
    close: () => server.close(),
  };
}

/** Our server with a log in memory. @param path - what consumers ask for: the events, or the stream, which leads to them */
async function serveLive(path: string): Promise<RowServer> {
  const { literal, namedNode, quad, xsd } = await import('@ldes-live/rdf-stream');
  const { serveStream } = await import('../subjects/ldes-live.ts');
  const push = { shutdownGraceMs: 0, limitConnectionsPerAddress: 10_000 };
  const { url, publicUrl, log, close } = await serveStream('rows', { push });
  const properties = FIELDS.map(([field, [type]]) => [namedNode(NAMESPACE + field), xsd[type]] as const);
  const draftOf = (row: Row, place: number) => {
    const entity = `${publicUrl}sensors/${place}`;
    const subject = namedNode(entity);
    const quads = properties.map(([property, type], at) => quad(subject, property, literal(String(row[at]), type)));
    return { kind: 'upsert', entity, origin: 'bench', fingerprint: String(row[0]), quads } as const;
  };
  return { url: url + path, send: (rows) => log.append(rows.map(draftOf)), close };
}

/** How late a batch may be at its server: then the rest is given up. */
const MAX_LAG_MICROS = 500_000;

async function publish(server: RowServer, order: Order<'publish'>): Promise<number> {
  const { startMicros, intervalMicros, count, batch, firstRow, seed } = order;
  for (let index = 0; index < count; index += 1) {
    const dueMicros = startMicros + index * intervalMicros;
    await until(dueMicros);
    if (monotonicMicros() - dueMicros > MAX_LAG_MICROS) return index;
    await server.send(makeBatch(firstRow + index * batch, batch, dueMicros, seed));
    // A server that is late would never get to its sockets.
    await nextTurn();
  }
  return count;
}

/** Opens a connection, which tells the rows of each batch, parsed, and how many bytes came; resolves to what closes it. */
type Consume = (
  url: string,
  onRows: (rows: readonly Row[]) => void,
  onBytes: (bytes: number) => void,
) => Promise<() => void>;

const CONSUMERS: Readonly<Record<Transport, Consume>> = {
  WebSocket: consumeWebSocket,
  'plain SSE': consumeEvents((data) => JSON.parse(data) as Row[]),
  'ldes-live': consumeEvents(memberRows),
  'ldes-live, createLiveClient': consumeByClient,
};

/** The rows of an event of ldes-live: one commit in JSON-LD, of which each member is a row. Who is behind gets events without. */
function memberRows(data: string): readonly Row[] {
  const { 'tree:member': members = [] } = JSON.parse(data) as { 'tree:member'?: Record<string, unknown>[] };
  return members.map((member) => rowOf((field) => member[NAMESPACE + field]));
}

async function consumeWebSocket(...[url, onRows, onBytes]: Parameters<Consume>): Promise<() => void> {
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false });
  socket.on('message', (message: Buffer) => {
    onBytes(message.length);
    onRows(JSON.parse(message.toString()) as Row[]);
  });
  await once(socket, 'open');
  return () => socket.terminate();
}

const [DATA, AFTER_DATA] = [Buffer.from('data: '), '\n\n'.length];

/** An event is a batch, whose data is one line. */
function consumeEvents(read: (data: string) => readonly Row[]): Consume {
  return (url, onRows, onBytes) => {
    const onBlock = (bytes: Buffer, start: number, end: number) => {
      const at = bytes.indexOf(DATA, start);
      // Others only keep the connection alive.
      if (at >= 0 && at < end) onRows(read(bytes.toString('utf8', at + DATA.length, end - AFTER_DATA)));
    };
    return openEventStream(url, onBlock, { onBytes });
  };
}

const MAL_SECONDS = 0.1;
const LOOK_MS = 2;

/** One client for each connection: followers of one client would share one. Bytes are not known. */
async function consumeByClient(...[url, onRows]: Parameters<Consume>): Promise<() => void> {
  const { createLiveClient } = await import('@ldes-live/client');
  const ending = new AbortController();
  const follower = createLiveClient({ mal: MAL_SECONDS }).follow(url, { from: 'now', signal: ending.signal });
  const reading = (async () => {
    let rows: Row[] = [];
    for await (const change of follower) {
      if (change.kind === 'gap') continue;
      const said = new Map(change.member.quads.map(({ predicate, object }) => [predicate.value, object.value]));
      rows.push(rowOf((field) => said.get(NAMESPACE + field)));
      if (!change.endsCommit) continue;
      onRows(rows);
      rows = [];
    }
  })();
  reading.catch(() => undefined);
  while (!(follower.status.mode === 'push' && follower.status.isCaughtUp))
    await Promise.race([sleep(LOOK_MS), reading]);
  return () => ending.abort();
}

const { transport } = planOf<{ readonly transport: Transport }>();
let server: RowServer | undefined;
const nothing = () => ({ rows: 0, doubled: 0, bytes: 0, lastMicros: 0, delay: new Histogram() });
let counts = nothing();
/** The row that each connection is to get next, and what closes it. */
let [next, closing]: [number[], (() => void)[]] = [[], []];

function take(connection: number, batch: readonly Row[]): void {
  if (batch[0] === undefined) return;
  counts.lastMicros = monotonicMicros();
  counts.delay.note(counts.lastMicros - batch[0][1]);
  let expected = next[connection] as number;
  for (const [n] of batch) {
    if (n < expected) counts.doubled += 1;
    else counts.rows += 1;
    expected = Math.max(expected, n + 1);
  }
  next[connection] = expected;
}

async function open({ url, connections }: Order<'open'>): Promise<void> {
  counts = nothing();
  next = Array.from({ length: connections }, () => 0);
  const onBytes = (bytes: number) => {
    counts.bytes += bytes;
  };
  closing = await Promise.all(next.map((_, at) => CONSUMERS[transport](url, (batch) => take(at, batch), onBytes)));
}

async function finish({ rows, endMicros }: Order<'finish'>): Promise<RowCounts> {
  while (next.some((expected) => expected < rows) && monotonicMicros() < endMicros) await sleep(LOOK_MS);
  const counted = { ...counts, delay: counts.delay.encode() };
  counts = nothing();
  next.fill(rows);
  return counted;
}

answerOrders<RowsOrder>({}, async (order) => {
  switch (order.order) {
    case 'serve':
      server = await SERVERS[transport]();
      return { url: server.url };
    case 'publish':
      return server && publish(server, order);
    case 'open':
      return open(order);
    case 'finish':
      return finish(order);
    case 'close':
      for (const close of closing) close();
      return void (await server?.close());
  }
});
