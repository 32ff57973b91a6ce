import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Front, startFront } from '@ldes-live/bench/programs';
import type { Schedule } from '@ldes-live/latency';
import { createMemoryStore, type Log } from '@ldes-live/log';
import { type Cursor, describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer, type LiveServer, type Pages, type PushOptions } from '@ldes-live/server';
import { reservedPort } from '@ldes-live/test-support/net';
import { valueDraft } from '../../support/published-log.ts';
import { isThere } from '../support/programs.ts';

/** A way from a client to the publisher. */
export interface Way {
  readonly name: 'straight' | 'nginx' | 'Varnish';
  /** The program that it takes; none straight. */
  readonly program?: string;
  readonly open?: (publisher: URL) => Promise<Front>;
}

export const STRAIGHT: Way = { name: 'straight' };
export const CACHES: readonly Way[] = [
  { name: 'nginx', program: 'nginx', open: (publisher) => startFront('nginx', publisher) },
  { name: 'Varnish', program: 'varnishd', open: (publisher) => startFront('Varnish', publisher) },
];
/** Every case is run on each of them. */
export const WAYS: readonly Way[] = [STRAIGHT, ...CACHES];

/** A stream whose log and schedule a test controls; each test takes one of its own. */
export interface CachedStream {
  readonly name: string;
  /** Its IRI, which leads to the publisher straight. */
  readonly url: string;
  readonly log: Log;
  head(): Cursor;
  /** URL of a path of the stream (`/latest`) on a way. */
  on(way: Way, path?: string): string;
  /** Waits until the instant has passed at which an update was said to come. */
  due(): Promise<void>;
  /**
   * Gives two entities new values in one commit when that is {@link due}, and then says that the next one comes after so many
   * milliseconds; undefined: at any moment. None comes before its time.
   */
  update(intervalMs?: number): Promise<void>;
  /** Requests for a path of the stream that reached the publisher so far, straight ones too. */
  arrived(path: string): number;
}

/** A publisher of many streams, and ways to it. */
export interface CachedWorld {
  readonly publicUrl: string;
  /** Those that are open: of programs that are there. */
  readonly ways: readonly Way[];
  /** What a way begins with. */
  base(way: Way): string;
  /** A stream that nobody has yet, after so many updates. */
  stream(updates?: number): Promise<CachedStream>;
  /** Ends the publisher, and begins it anew over the same logs where it has ended. */
  stop(): Promise<void>;
  start(push?: PushOptions): Promise<void>;
  close(): Promise<void>;
}

const pages: Pages = (_request, response) => {
  const fields = { 'content-type': 'text/html', 'cache-control': 'no-cache', vary: 'Accept' };
  response.writeHead(200, fields).end('<!doctype html>');
  return true;
};

/** @param count - how many streams the publisher has */
export async function cachedWorld(count: number, ways = WAYS, push: PushOptions = {}): Promise<CachedWorld> {
  const port = await reservedPort();
  const publicUrl = `http://127.0.0.1:${port}/`;
  const arrivals = new Map<string, number>();
  const note = (message: unknown) => {
    const { url = '', socket } = (message as { readonly request: IncomingMessage }).request;
    if (socket.localPort === port) arrivals.set(url, (arrivals.get(url) ?? 0) + 1);
  };
  subscribe('http.server.request.start', note);
  const fronts = new Map<Way, Pick<Front, 'url' | 'close'>>();
  const base = (way: Way) => fronts.get(way)?.url as string;
  const store = createMemoryStore({ clock: Date.now, random: Math.random });
  const opened = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const description = describeStream({ publicUrl, name: `s${index}` });
      const log = await store.open(description);
      let statedMs: number | undefined;
      let commits = 0;
      const schedule = (): Schedule =>
        statedMs === undefined ? { kind: 'unknown' } : { kind: 'interval', intervalMs: 2500, nextMs: statedMs };
      const due = async () => {
        // A timer may be early by a part of a millisecond, an update never.
        while (statedMs !== undefined && Date.now() <= statedMs) await delay(statedMs - Date.now() + 1);
      };
      const stream: CachedStream = {
        name: description.name,
        url: description.url,
        log,
        head: () => log.head.cursor,
        on: (way, path = '') => `${base(way)}${description.name}${path}`,
        due,
        update: async (intervalMs) => {
          await due();
          commits += 1;
          await log.append([1, 2].map((number) => valueDraft(description.url, number, commits)));
          statedMs = intervalMs === undefined ? undefined : Date.now() + intervalMs;
        },
        arrived: (path) => arrivals.get(`/${description.name}${path}`) ?? 0,
      };
      return { stream, published: { description, log, schedule } };
    }),
  );
  const free = opened.map(({ stream }) => stream);
  let server: LiveServer | undefined;
  const world: CachedWorld = {
    publicUrl,
    ways: ways.filter(({ program }) => isThere(program)),
    base,
    stream: async (updates = 1) => {
      const stream = free.shift();
      if (!stream) throw new Error(`Each of the ${count} streams is taken.`);
      for (let update = 0; update < updates; update += 1) await stream.update();
      return stream;
    },
    stop: async () => {
      await server?.close();
      server = undefined;
    },
    start: async (options = push) => {
      if (server) return;
      const streams = opened.map(({ published }) => published);
      // Readers that are cut come back soon.
      server = await createLiveServer({ publicUrl, streams, pages, push: { retryMs: 100, ...options } });
      await server.listen({ host: '127.0.0.1', port });
    },
    close: async () => {
      unsubscribe('http.server.request.start', note);
      await Promise.all([...fronts.values()].map((front) => front.close()));
      await world.stop();
      await Promise.all(opened.map(({ published }) => published.log.close()));
    },
  };
  await world.start();
  await Promise.all(
    world.ways.map(async (way) => {
      fronts.set(way, (await way.open?.(new URL(publicUrl))) ?? { url: publicUrl, close: async () => undefined });
    }),
  );
  return world;
}

/** A response as it came: nothing decoded, followed or kept. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Asks once over HTTP/1.1, and reads the whole answer. */
export async function ask(
  url: string,
  options: { method?: string; headers?: Readonly<Record<string, string>>; agent?: Agent | false; body?: string } = {},
): Promise<Answer> {
  const { body, ...rest } = options;
  const asked = request(url, rest).end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode as number, headers: response.headers, body: Buffer.concat(chunks) };
}

/** Clients that ask at the same instant, each on a connection that is open already. */
export interface Herd {
  /** Asks for a path, by all of them; the header sections of the answers, and how long the last one took. */
  ask(path: string): Promise<{ readonly heads: readonly string[]; readonly lastMs: number }>;
  close(): void;
}

/** Opens the connections. They write prepared bytes, so that the instant is one although one process holds them. */
export async function openHerd(base: string, size: number): Promise<Herd> {
  const { hostname, port, host } = new URL(base);
  const open = async () => {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    await once(socket, 'connect');
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: size }, open));
  return {
    ask: async (path) => {
      const answers = sockets.map(answerHead);
      const startedMs = Date.now();
      const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      for (const socket of sockets) socket.write(bytes);
      const heads = await Promise.all(answers);
      return { heads, lastMs: Date.now() - startedMs };
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

// Resolves when the whole answer has come: all documents state their length.
function answerHead(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const done = (settle: () => void) => {
      socket.off('data', onData).off('close', onClose);
      settle();
    };
    const onClose = () => done(() => reject(new Error('the connection was closed')));
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = received.toString('latin1', 0, end);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
      if (received.length >= end + 4 + length) done(() => resolve(head));
    };
    socket.on('data', onData).on('close', onClose);
  });
}
