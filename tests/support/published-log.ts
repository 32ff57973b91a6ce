import type { Schedule } from '@ldes-live/latency';
import { createMemoryStore, type StreamLog } from '@ldes-live/log';
import {
  type Commit,
  type Draft,
  describeStream,
  literal,
  namedNode,
  quad,
  type RetentionPolicy,
  type SourceHealth,
} from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { feedServer } from './feed-server.ts';

/** A log in memory, published by the real server on loopback. */
export interface PublishedLog {
  readonly publicUrl: string;
  /** Port that the server listens on, which is not the public one behind a proxy. */
  readonly port: number;
  readonly url: string;
  readonly log: StreamLog;
  /** Every commit so far. */
  readonly commits: readonly Commit[];
  close(): Promise<void>;
}

export async function publishedLog(options: {
  readonly clock: () => number;
  readonly heartbeatMs?: number;
  readonly schedule?: () => Schedule;
  readonly sources?: () => readonly SourceHealth[];
  readonly retention?: RetentionPolicy;
  /** Of a proxy before it; its own when absent. */
  readonly publicUrl?: string;
}): Promise<PublishedLog> {
  const {
    clock,
    heartbeatMs = 15_000,
    schedule = () => ({ kind: 'unknown' }),
    sources = () => [],
    retention,
  } = options;
  const port = await freePort();
  const publicUrl = options.publicUrl ?? `http://localhost:${port}/`;
  const description = describeStream({ publicUrl, name: 'vehicles', ...(retention && { retention }) });
  const log = await createMemoryStore({ clock, random: Math.random }).open(description);
  const commits: Commit[] = [];
  log.subscribe((commit) => commits.push(commit));
  const streams = [{ description, log, schedule, sources }];
  const server = await createLiveServer({ publicUrl, streams, clock, push: { heartbeatMs } });
  await server.listen({ host: 'localhost', port });
  return {
    publicUrl,
    port,
    url: description.url,
    log,
    commits,
    close: async () => {
      await server.close();
      await log.close();
    },
  };
}

/** A draft that gives a numbered entity a value. */
export function valueDraft(publicUrl: string, number: number, value: number): Draft {
  const entity = `${publicUrl}vehicles/entities/${number}`;
  const said = quad(namedNode(entity), namedNode('http://example.org/value'), literal(String(value)));
  return { kind: 'upsert', entity, origin: 'test', fingerprint: String(value), quads: [said] };
}

/** A port on loopback that nobody listens on at the moment: IRIs need it before the server listens. */
export async function freePort(): Promise<number> {
  const probe = await feedServer();
  const { port } = new URL(probe.url);
  await probe.close();
  return Number(port);
}
