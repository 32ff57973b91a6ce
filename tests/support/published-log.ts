import type { Schedule } from '@ldes-live/latency';
import { createMemoryStore, type Log } from '@ldes-live/log';
import {
  type Commit,
  describeStream,
  literal,
  namedNode,
  quad,
  type RetentionPolicy,
  type UpsertDraft,
} from '@ldes-live/rdf-stream';
import { type ContentShape, createLiveServer, type StreamSource } from '@ldes-live/server';
import { reservedPort } from '@ldes-live/test-support/net';

/** A log in memory, published by the real server on loopback. */
export interface PublishedLog {
  readonly publicUrl: string;
  /** Port that the server listens on, which is not the public one behind a proxy. */
  readonly port: number;
  readonly url: string;
  readonly log: Log;
  /** Every commit so far. */
  readonly commits: readonly Commit[];
  /** Gives entities from number 0 on a value in one commit, by default one that none of them has had. */
  publish(entities: number, value?: number): Promise<void>;
  close(): Promise<void>;
}

export async function publishedLog(options: {
  readonly clock: () => number;
  readonly schedule?: () => Schedule;
  readonly sources?: readonly StreamSource[];
  readonly retention?: RetentionPolicy;
  /** Of its members. */
  readonly shape?: ContentShape;
  /** Of a proxy before it; its own when absent. */
  readonly publicUrl?: string;
}): Promise<PublishedLog> {
  const { clock, schedule = () => ({ kind: 'unknown' }), sources = [], retention, shape } = options;
  const port = await reservedPort();
  const publicUrl = options.publicUrl ?? `http://localhost:${port}/`;
  const description = describeStream({ publicUrl, name: 'vehicles', ...(retention && { retention }) });
  const log = await createMemoryStore({ clock, random: Math.random }).open(description);
  const commits: Commit[] = [];
  log.subscribe((commit) => commits.push(commit));
  const streams = [{ description, log, schedule, sources, ...(shape && { shape }) }];
  const server = await createLiveServer({ publicUrl, streams, clock });
  await server.listen({ host: 'localhost', port });
  return {
    publicUrl,
    port,
    url: description.url,
    log,
    commits,
    publish: async (entities, value = log.head.cursor.sequence) => {
      await log.append(Array.from({ length: entities }, (_, number) => valueDraft(description.url, number, value)));
    },
    close: async () => {
      await server.close();
      await log.close();
    },
  };
}

/** A draft that gives a numbered entity of a stream a value. */
export function valueDraft(streamUrl: string, number: number, value: number): UpsertDraft {
  const entity = `${streamUrl}/entities/${number}`;
  const said = quad(namedNode(entity), namedNode('http://example.org/value'), literal(String(value)));
  return { kind: 'upsert', entity, origin: 'test', fingerprint: String(value), quads: [said] };
}
