import { once } from 'node:events';
import { request } from 'node:http';
import { type LogStore, openLmdbStore, type StreamLog } from '@ldes-live/log';
import type { StreamDescription } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import type { PathReader } from './read-everything.ts';

/** Streams in an LMDB folder, published by the real server on loopback. */
export interface LmdbWorld extends PathReader {
  readonly logs: readonly StreamLog[];
  readonly port: number;
  close(): Promise<void>;
}

/** Opens a folder and publishes it, by a clock and a schedule that a test gives. */
export async function lmdbWorld(options: {
  readonly path: string;
  readonly clock: () => number;
  readonly descriptions: readonly StreamDescription[];
  readonly intervalMs: number;
  readonly port?: number;
}): Promise<LmdbWorld> {
  const { path, clock, descriptions, intervalMs } = options;
  const random = () => 0.5;
  const store: LogStore = await openLmdbStore({ path, clock, random });
  const logs = await Promise.all(descriptions.map((description) => store.open(description)));
  const streams = descriptions.map((description, index) => ({
    description,
    log: logs[index] as StreamLog,
    schedule: () => ({ kind: 'interval', intervalMs, nextMs: clock() + intervalMs / 2 }) as const,
    sources: () => [],
  }));
  const publicUrl = (descriptions[0] as StreamDescription).publicUrl;
  const server = await createLiveServer({ publicUrl, streams, clock, random });
  const port = await server.listen({ host: 'localhost', port: options.port ?? 0 });
  return {
    logs,
    port,
    get: async (target, headers = {}) => {
      const sent = request({ host: 'localhost', port, path: target, headers });
      sent.end();
      const [response] = await once(sent, 'response');
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      return { status: response.statusCode, headers: response.headers, content: Buffer.concat(chunks) };
    },
    close: async () => {
      await server.close();
      await store.close();
    },
  };
}
