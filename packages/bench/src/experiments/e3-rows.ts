/*
 * The two processes of `e3`: one sends batches of rows by one of four transports, one reads, parses and counts them. Each loads
 * what it measures, and nothing else.
 *
 *   { "role": "server", "transport": "sse" }      orders: start -> { port, path }; publish -> { batches, isGivenUp }; close
 *   { "role": "consumer", "transport": "sse" }    orders: open; finish -> { rows, lost, behind, doubled, delay, ... }
 *   [0, 987654321, "water-level-sensor-0000", "harbour-basin-1", "rising", 22.41, 20.91, 24.66, 52.1, 4.9, 57, "0f3c..."]
 *
 * WebSocket and plain events send a batch as an array of rows, made into JSON once for all connections. With ldes-live a row is a
 * member and a batch is a commit: its event is JSON-LD, several times as long. `client` reads that by `createLiveClient`.
 */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Histogram } from '../histogram.ts';
import { EventBlocks } from '../load/event-stream.ts';
import { answerOrders, freePort, planOf } from '../processes.ts';
import { monotonicMicros, type PublishSchedule, publishOnSchedule } from '../timing.ts';

export type Transport = 'websocket' | 'sse' | 'ldes-live' | 'client';

/** What a process is started with. */
export interface RowsRole {
  readonly role: 'server' | 'consumer';
  readonly transport: Transport;
}

/** Where consumers find the server. */
export interface RowTarget {
  readonly port: number;
  readonly path: string;
}

/** What is published, and when it is given up. */
export interface RowSchedule {
  readonly schedule: PublishSchedule;
  /** Rows of each batch, and the number of the first row of all. */
  readonly batch: number;
  readonly firstRow: number;
  readonly seed: number;
}

export type ServerOrder = { readonly order: 'start' | 'close' } | ({ readonly order: 'publish' } & RowSchedule);

export interface Published {
  readonly batches: number;
  /** Whether the server or a consumer was too far behind for the rest to be published. */
  readonly isGivenUp: boolean;
}

export type ConsumerOrder =
  | { readonly order: 'open'; readonly target: RowTarget; readonly connections: number }
  /** Until every connection is past so many rows, or for so long. */
  | { readonly order: 'finish'; readonly rows: number; readonly maxMs: number };

/** What all connections of a consumer got. */
export interface RowCounts {
  /** Rows that came for the first time. */
  readonly rows: number;
  /** Rows that were passed over: a later one came. */
  readonly lost: number;
  /** Rows that had not come. */
  readonly behind: number;
  readonly doubled: number;
  /** 0 where they are not known. */
  readonly bytes: number;
  /** From the instant that a batch was due until its rows were parsed: one value a batch and connection. */
  readonly delay: string;
  readonly lastMicros: number;
}

/** Its number from 0, the instant that it was due, and ten fields of a sensor: some 130 bytes as JSON. */
type Row = readonly [n: number, dueMicros: number, ...fields: (number | string)[]];

const FIELDS = ['n', 't', 'device', 'site', 'state', 'value', 'low', 'high', 'lat', 'long', 'charge', 'check'];
const INTEGERS = new Set(['n', 't', 'charge']);
const TEXTS = new Set(['device', 'site', 'state', 'check']);
const NAMESPACE = 'http://example.org/row#';
const STATES = ['steady', 'rising', 'falling', 'settled'] as const;
const [SENSORS, SITES, TIDE_ROWS] = [10_000, 8, 6000];

/** The rows of a batch, the same for the same arguments: each is of the sensor of its place. */
function makeBatch(first: number, count: number, dueMicros: number, seed: number): Row[] {
  return Array.from({ length: count }, (_, place) => {
    const [n, sensor] = [first + place, place % SENSORS];
    const hash = mixed(n ^ Math.imul(place + 1, 0x9e3779b1) ^ seed);
    const value = round(20 + 6 * Math.sin(n / TIDE_ROWS) + 2 * Math.sin(sensor) + (hash % 300) / 100);
    return [
      n,
      dueMicros,
      `water-level-sensor-${String(sensor).padStart(4, '0')}`,
      `harbour-basin-${(sensor % SITES) + 1}`,
      STATES[hash % STATES.length] as string,
      value,
      round(value - 1.5),
      round(value + 2.25),
      52 + (hash % 9973) / 10_000,
      4 + (hash % 9967) / 10_000,
      hash % 101,
      [hash, mixed(hash)].map((half) => half.toString(16).padStart(8, '0')).join(''),
    ];
  });
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function mixed(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A row from what its member says of each field, as text or numbers. */
function rowOf(said: (field: string) => unknown): Row {
  const fields = FIELDS.map((field) => (TEXTS.has(field) ? String(said(field)) : Number(said(field))));
  return fields as unknown as Row;
}

/** Sends each batch to all its connections. */
interface RowServer extends RowTarget {
  send(rows: readonly Row[]): Promise<unknown> | undefined;
  /** Bytes that wait in this process for the slowest of its consumers. */
  queuedBytes(): number;
  close(): Promise<unknown>;
}

const HOST = '127.0.0.1';

const SERVERS: Readonly<Record<Transport, () => Promise<RowServer>>> = {
  websocket: serveWebSocket,
  sse: serveEvents,
  'ldes-live': () => serveLive('/rows/events'),
  client: () => serveLive('/rows'),
};

async function serveWebSocket(): Promise<RowServer> {
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({ host: HOST, port: 0, perMessageDeflate: false });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    path: '/rows',
    send: (rows) => {
      const message = Buffer.from(JSON.stringify(rows));
      for (const client of server.clients) client.send(message, { binary: false });
      return undefined;
    },
    queuedBytes: () => Math.max(0, ...[...server.clients].map(({ bufferedAmount }) => bufferedAmount)),
    close: async () => {
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serveEvents(): Promise<RowServer> {
  const readers = new Set<ServerResponse>();
  // The page that reads it is of another origin.
  const headers = {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
  };
  const server = createServer((_request, response) => {
    response.writeHead(200, headers).flushHeaders();
    readers.add(response);
    response.on('close', () => readers.delete(response));
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    path: '/rows',
    send: (rows) => {
      const event = Buffer.from(`id: ${rows.at(-1)?.[0]}\ndata: ${JSON.stringify(rows)}\n\n`);
      for (const reader of readers) reader.write(event);
      return undefined;
    },
    queuedBytes: () => Math.max(0, ...[...readers].map(({ writableLength }) => writableLength)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Our server with a log in memory. @param path - what consumers ask for: the events, or the stream, which leads to them */
async function serveLive(path: string): Promise<RowServer> {
  const { createMemoryStore } = await import('@ldes-live/log');
  const { describeStream, literal, namedNode, quad, xsd } = await import('@ldes-live/rdf-stream');
  const { createLiveServer } = await import('@ldes-live/server');
  const port = await freePort();
  const publicUrl = `http://${HOST}:${port}/`;
  const description = describeStream({ publicUrl, name: 'rows' });
  const store = createMemoryStore({ clock: Date.now, random: Math.random });
  const log = await store.open(description);
  const server = await createLiveServer({
    publicUrl,
    streams: [{ description, log, schedule: () => ({ kind: 'unknown' }) }],
    push: { shutdownGraceMs: 0, limitConnectionsPerAddress: 10_000 },
  });
  await server.listen({ host: HOST, port });
  const properties = FIELDS.map((field) => namedNode(NAMESPACE + field));
  const terms = FIELDS.map((field) => {
    const datatype = INTEGERS.has(field) ? xsd.integer : xsd.decimal;
    return (value: number | string) => (typeof value === 'string' ? literal(value) : literal(String(value), datatype));
  });
  const draftOf = (row: Row, place: number) => {
    const entity = `${publicUrl}sensors/${place}`;
    const subject = namedNode(entity);
    // A property for each field.
    const quads = row.map((value, at) => quad(subject, properties[at] as never, terms[at]?.(value) as never));
    return { kind: 'upsert', entity, origin: 'bench', fingerprint: String(row[0]), quads } as const;
  };
  return {
    port,
    path,
    send: (rows) => log.append(rows.map(draftOf)),
    // What waits is bounded: it gives whoever is behind the newest state instead, which shows as rows that are lost.
    queuedBytes: () => 0,
    close: async () => {
      await server.close();
      await store.close();
    },
  };
}

/** How late a batch may be at its server, and how many bytes may wait for a consumer. */
const [MAX_LAG_MICROS, MAX_QUEUE_BYTES] = [500_000, 32 * 1024 * 1024];

class GivenUp extends Error {}

async function publish(server: RowServer, { schedule, batch, firstRow, seed }: RowSchedule): Promise<Published> {
  let batches = 0;
  try {
    await publishOnSchedule(schedule, async (dueMicros, index) => {
      const isBehind = monotonicMicros() - dueMicros > MAX_LAG_MICROS || server.queuedBytes() > MAX_QUEUE_BYTES;
      if (isBehind) throw new GivenUp();
      await server.send(makeBatch(firstRow + index * batch, batch, dueMicros, seed));
      batches += 1;
      // A server that is late would never get to its sockets.
      await nextTurn();
    });
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
  }
  return { batches, isGivenUp: batches < schedule.count };
}

/** What a connection tells: the rows of a batch, parsed, and how many bytes came. */
interface RowListener {
  onRows(rows: readonly Row[]): void;
  onBytes(bytes: number): void;
}

/** Opens a connection; resolves to what closes it. */
type Consume = (target: RowTarget, listener: RowListener) => Promise<() => void>;

const CONSUMERS: Readonly<Record<Transport, Consume>> = {
  websocket: consumeWebSocket,
  sse: (target, listener) => consumeEvents(target, listener, (data) => JSON.parse(data) as Row[]),
  'ldes-live': (target, listener) => consumeEvents(target, listener, memberRows),
  client: consumeByClient,
};

/** The rows of an event of ldes-live: one commit in JSON-LD, of which each member is a row. Who is behind gets events without. */
function memberRows(data: string): readonly Row[] {
  const { 'tree:member': members = [] } = JSON.parse(data) as { 'tree:member'?: Record<string, unknown>[] };
  return members.map((member) => rowOf((field) => member[NAMESPACE + field]));
}

async function consumeWebSocket({ port, path }: RowTarget, { onRows, onBytes }: RowListener): Promise<() => void> {
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(`ws://${HOST}:${port}${path}`, { perMessageDeflate: false });
  socket.on('message', (message: Buffer) => {
    onBytes(message.length);
    onRows(JSON.parse(message.toString()) as Row[]);
  });
  await once(socket, 'open');
  return () => socket.terminate();
}

const [DATA, AFTER_DATA] = [Buffer.from('data: '), '\n\n'.length];

/** An event is a batch, whose data is one line. */
async function consumeEvents(
  { port, path }: RowTarget,
  { onRows, onBytes }: RowListener,
  read: (data: string) => readonly Row[],
): Promise<() => void> {
  const headers = { accept: 'text/event-stream', 'accept-encoding': 'identity' };
  const request = get({ host: HOST, port, path, headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${path} answers ${response.statusCode}`);
  const blocks = new EventBlocks();
  const onBlock = (bytes: Buffer, start: number, end: number) => {
    const at = bytes.indexOf(DATA, start);
    // Others only keep the connection alive.
    if (at >= 0 && at < end) onRows(read(bytes.toString('utf8', at + DATA.length, end - AFTER_DATA)));
  };
  response.on('data', (chunk: Buffer) => {
    onBytes(chunk.length);
    blocks.feed(chunk, onBlock);
  });
  // Whoever ends it is told nothing by it.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  return () => void request.destroy();
}

const MAL_SECONDS = 0.1;
const LOOK_MS = 2;

/** One client for each connection: followers of one client would share one. Bytes are not known. */
async function consumeByClient({ port, path }: RowTarget, { onRows }: RowListener): Promise<() => void> {
  const { createLiveClient } = await import('@ldes-live/client');
  const ending = new AbortController();
  const from = { from: 'now', signal: ending.signal } as const;
  const follower = createLiveClient({ mal: MAL_SECONDS }).follow(`http://${HOST}:${port}${path}`, from);
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

/** Connections that are open, and what they get from the first row on. */
async function openConnections(transport: Transport, target: RowTarget, connections: number) {
  const next = Array.from({ length: connections }, () => 0);
  const delay = new Histogram();
  let [rows, lost, doubled, bytes, lastMicros] = [0, 0, 0, 0, 0];
  const take = (connection: number, batch: readonly Row[]) => {
    if (batch[0] === undefined) return;
    lastMicros = monotonicMicros();
    delay.note(lastMicros - batch[0][1]);
    let expected = next[connection] as number;
    for (const [n] of batch) {
      if (n < expected) {
        doubled += 1;
        continue;
      }
      lost += n - expected;
      rows += 1;
      expected = n + 1;
    }
    next[connection] = expected;
  };
  const onBytes = (more: number) => {
    bytes += more;
  };
  const closing = await Promise.all(
    next.map((_, connection) => CONSUMERS[transport](target, { onBytes, onRows: (batch) => take(connection, batch) })),
  );
  return {
    finish: async (published: number, maxMs: number): Promise<RowCounts> => {
      const endMicros = monotonicMicros() + maxMs * 1000;
      while (next.some((expected) => expected < published) && monotonicMicros() < endMicros) await sleep(LOOK_MS);
      const behind = next.reduce((sum, expected) => sum + Math.max(0, published - expected), 0);
      return { rows, lost, behind, doubled, bytes, delay: delay.encode(), lastMicros };
    },
    close: () => {
      for (const close of closing) close();
    },
  };
}

const { role, transport } = planOf<RowsRole>();
if (role === 'server') {
  let server: RowServer | undefined;
  answerOrders<ServerOrder>({}, async (order) => {
    if (order.order === 'start') server = await SERVERS[transport]();
    if (order.order === 'publish' && server) return publish(server, order);
    if (order.order === 'close') await server?.close();
    return { port: server?.port, path: server?.path };
  });
} else {
  let open: Awaited<ReturnType<typeof openConnections>> | undefined;
  answerOrders<ConsumerOrder>({}, async (order) => {
    if (order.order === 'finish') return open?.finish(order.rows, order.maxMs);
    // Not before: what closing takes is not of what was measured.
    open?.close();
    open = await openConnections(transport, order.target, order.connections);
    return undefined;
  });
}
