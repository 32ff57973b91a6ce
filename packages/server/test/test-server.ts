import { once } from 'node:events';
import type { Schedule } from '@ldes-live/latency';
import { createMemoryStore, type Log } from '@ldes-live/log';
import {
  type Draft,
  describeStream,
  literal,
  namedNode,
  quad,
  rdf,
  type SourceHealth,
  type StreamDescription,
  type StreamOptions,
} from '@ldes-live/rdf-stream';
import type { Literal } from '@rdfjs/types';
import Fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify';
import type { LiveStreamsOptions, Pages, StreamSource } from '../src/options.ts';
import { liveStreams } from '../src/plugin.ts';

export const PUBLIC_URL = 'http://localhost:3000/';

/** Of every test server's log: its clock and its random numbers are the same. */
export const EPOCH = 'mjuohzwqi0000000';

/** Of a log in memory, where nothing else is said: 2026-01-01, epoch milliseconds. */
const NOW_MS = Date.parse('2026-01-01T00:00:10.250Z');

/** A stream over an empty log in memory, as a server is given it. */
export async function emptyStream(clock = () => NOW_MS, described: Partial<StreamOptions> = {}) {
  const description = describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles', ...described });
  const log = await createMemoryStore({ clock, random: () => 0.5 }).open(description);
  return { description, log, schedule: (): Schedule => ({ kind: 'unknown' }) };
}

/** A source that brings nothing, and fares as a test says. */
export function quietSource(origin: string, health: () => SourceHealth): StreamSource {
  const drafts: StreamSource['drafts'] = async function* (_latest, signal) {
    yield [];
    if (!signal.aborted) await once(signal, 'abort');
  };
  return { origin, drafts, health };
}

/** Pages that say at which path they were asked for; there is nothing below `/web/none/`. */
export const shownPages: Pages = ({ method }, response, path) => {
  if (path.startsWith('/web/none/')) return false;
  response.writeHead(200, { 'content-type': 'text/html', vary: 'Accept' }).end(method === 'HEAD' ? undefined : path);
  return true;
};

/** A server over an empty log in memory, whose clock and schedule a test sets. */
export interface TestServer {
  readonly app: FastifyInstance;
  readonly description: StreamDescription;
  readonly log: Log;
  readonly time: { nowMs: number; schedule: Schedule; sources: SourceHealth[] };
  get(path: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
}

/** @param healths - how its sources fare; a test may exchange them for as many others */
export async function testServer(
  options: Partial<LiveStreamsOptions> = {},
  described: Partial<StreamOptions> = {},
  healths: readonly SourceHealth[] = [],
): Promise<TestServer> {
  const time: TestServer['time'] = { nowMs: NOW_MS, schedule: { kind: 'unknown' }, sources: [...healths] };
  const clock = () => time.nowMs;
  const { description, log } = await emptyStream(clock, { title: 'Vehicle positions', ...described });
  const app = Fastify({ forceCloseConnections: true });
  const sources = healths.map(({ origin }, index) => quietSource(origin, () => time.sources[index] as SourceHealth));
  const streams = [{ description, log, schedule: () => time.schedule, sources }];
  await app.register(liveStreams, { publicUrl: PUBLIC_URL, streams, clock, random: () => 0.5, ...options });
  const get: TestServer['get'] = (path, headers = {}) => app.inject({ method: 'GET', url: path, headers });
  return { app, description, log, time, get };
}

/** IRI of the entity of the given number. */
export function entityOf(number: number): string {
  return `${PUBLIC_URL}vehicles/entities/${number}`;
}

/** A draft that gives an entity a value, and says it by some text. */
export function upsert(number: number, value: number, text = String(value)): Draft {
  const entity = entityOf(number);
  const quads = [
    quad(namedNode(entity), namedNode(rdf.type), namedNode('http://example.org/Vehicle')),
    quad(namedNode(entity), namedNode('http://example.org/value'), literal(text)),
  ];
  return { kind: 'upsert', entity, origin: 'feed', fingerprint: String(value), quads };
}

/** A draft that ends an entity. */
export function remove(number: number): Draft {
  return { kind: 'delete', entity: entityOf(number), origin: 'feed' };
}

/** Appends so many members in commits of so many. */
export async function fill(server: TestServer, members: number, perCommit: number): Promise<void> {
  for (let from = 0; from < members; from += perCommit) {
    const count = Math.min(perCommit, members - from);
    await server.log.append(Array.from({ length: count }, (_, index) => upsert(index, from + index)));
    server.time.nowMs += 1000;
  }
}

/** A literal that counts how often its text is read: so often as what says it is stored or written. */
export function watchedLiteral(text: string): { readonly term: Literal; readonly count: { reads: number } } {
  const count = { reads: 0 };
  const term = new Proxy(literal(text), {
    get(target, name) {
      if (name === 'value') count.reads += 1;
      return Reflect.get(target, name, target);
    },
  });
  return { term, count };
}
