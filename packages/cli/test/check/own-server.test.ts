import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { createMemoryStore } from '@ldes-live/log';
import { describeStream, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { createLiveServer, type LiveServer } from '@ldes-live/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkStream } from '../../src/check/check.ts';

const EVERY_MS = 60_000;
let server: LiveServer;
let base: string;

beforeAll(async () => {
  const port = await freePort();
  base = `http://127.0.0.1:${port}/`;
  const lastMs = Date.now();
  const schedule = () => ({ kind: 'interval', intervalMs: EVERY_MS, nextMs: lastMs + EVERY_MS }) as const;
  const streams = await Promise.all(
    [0, 600, 26_000].map(async (members) => {
      const description = describeStream({ publicUrl: base, name: `of-${members}`, title: `${members} members` });
      let nowMs = lastMs - 600_000;
      const log = await createMemoryStore({ clock: () => (nowMs += 100), random: Math.random }).open(description);
      for (let from = 0; from < members; from += 200) {
        await log.append(
          Array.from({ length: Math.min(200, members - from) }, (_, index) => draft(description.url, index, from)),
        );
      }
      const predicts = members === 600;
      return {
        description,
        log,
        sources: () => [],
        schedule: predicts ? schedule : () => ({ kind: 'unknown' }) as const,
      };
    }),
  );
  server = await createLiveServer({ publicUrl: base, streams, clock: Date.now, random: Math.random });
  await server.listen({ host: '127.0.0.1', port });
});
afterAll(() => server.close());

test.each([
  ['a stream without members', 'of-0', 3],
  ['a stream of three pages', 'of-600', 5],
  ['a stream of two ranges', 'of-26000', 107],
  ['the latest state', 'of-600/latest', 1],
  ['the view by place', 'of-600/tiles', 1],
  ['an event stream by its IRI', 'of-600#stream', 5],
])('nothing is found on %s', async (_, path, least) => {
  const limits = { pauseMs: 0, pages: 12 };
  const { findings, extent } = await checkStream(`${base}${path}`, limits, {
    clock: Date.now,
    interrupted: new AbortController().signal,
  });
  expect(findings.map(({ rule: { id }, observations }) => [id, observations])).toEqual([]);
  expect(extent.pagesKnown).toBeGreaterThanOrEqual(Math.min(least, 12));
  expect(extent.stopped).toBeUndefined();
});

function draft(url: string, number: number, value: number) {
  const entity = `${url}/entities/${number}`;
  const quads = [quad(namedNode(entity), namedNode('http://example.org/value'), literal(String(value)))];
  return { kind: 'upsert', entity, origin: 'feed', fingerprint: String(value), quads } as const;
}

// The public URL is in every member, so that the port has to be known before there is a server.
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
