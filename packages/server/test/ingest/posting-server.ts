import { createMemoryStore, type Log } from '@ldes-live/log';
import { describeStream, type Member } from '@ldes-live/rdf-stream';
import Fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { hashToken } from '../../src/ingest/admission.ts';
import type { ContentShape, IngestOptions, LiveStreamsOptions } from '../../src/options.ts';
import { liveStreams } from '../../src/plugin.ts';
import { PUBLIC_URL } from '../test-server.ts';

export const TOKEN = 'water-token';
export const OTHER_TOKEN = 'air-token';

/** A stream that takes posts, beside one of other tokens and one that takes none. */
export interface PostingServer {
  readonly app: FastifyInstance;
  readonly log: Log;
  readonly time: { nowMs: number };
  /** What was logged, from `warn` on. */
  readonly lines: readonly Record<string, unknown>[];
  /** Posts a body with the token, as N-Quads if nothing else is said. */
  post(
    body: string | Buffer,
    headers?: Record<string, string | undefined>,
    path?: string,
  ): Promise<LightMyRequestResponse>;
  /** Posts a body that is refused with a status and a code. */
  refused(status: number, code: string, ...body: Parameters<PostingServer['post']>): Promise<LightMyRequestResponse>;
  /** All members of the log. */
  members(): Promise<readonly Member[]>;
}

export interface PostingOptions {
  readonly ingest?: Partial<IngestOptions>;
  readonly shape?: ContentShape;
  readonly server?: Partial<LiveStreamsOptions>;
}

/** Streams as {@link postingServer} has them, over logs in memory. */
export async function postingStreams({ ingest, shape }: PostingOptions = {}) {
  const time = { nowMs: Date.parse('2026-01-01T00:00:10.250Z') };
  const clock = () => time.nowMs;
  const store = createMemoryStore({ clock, random: () => 0.5 });
  const streamOf = async (name: string) => {
    const description = describeStream({ publicUrl: PUBLIC_URL, name, title: name });
    return { description, log: await store.open(description) };
  };
  const water = await streamOf('water');
  const streams = [
    { ...water, ...(shape && { shape }), ingest: { tokenHashes: [hashToken(TOKEN)], ...ingest } },
    { ...(await streamOf('air')), ingest: { tokenHashes: [hashToken(OTHER_TOKEN)] } },
    await streamOf('read-only'),
  ];
  return { time, clock, log: water.log, streams };
}

export async function postingServer(options: PostingOptions = {}): Promise<PostingServer> {
  const { time, clock, log, streams } = await postingStreams(options);
  const lines: Record<string, unknown>[] = [];
  const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(JSON.parse(line)) } };
  const app = Fastify({ logger, forceCloseConnections: true });
  await app.register(liveStreams, { publicUrl: PUBLIC_URL, streams, clock, random: () => 0.5, ...options.server });
  const server: PostingServer = {
    app,
    log,
    time,
    lines,
    post: (body, headers = {}, path = '/water') => {
      const all = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/n-quads', ...headers };
      const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
      return app.inject({ method: 'POST', url: path, headers: given as Record<string, string>, payload: body });
    },
    refused: async (status, code, ...body) => {
      const answer = await server.post(...body);
      expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
      return answer;
    },
    members: () => log.read(0, 10_000),
  };
  return server;
}

/** IRI of an example. */
export function ex(name: string): string {
  return `http://example.org/${name}`;
}

/** A state as N-Quads. */
export function stateLines(name: string, value: string | number): string {
  return `<${ex(name)}> <${ex('value')}> "${value}" .\n<${ex(name)}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${ex('Sensor')}> .\n`;
}

/** A version of an entity as N-Quads. */
export function versionLines(version: string, entity: string, value: string | number): string {
  return `<${ex(version)}> <http://purl.org/dc/terms/isVersionOf> <${ex(entity)}> .\n<${ex(version)}> <${ex('value')}> "${value}" .\n`;
}
