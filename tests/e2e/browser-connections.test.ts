import { type ChromiumPage, openChromium } from '@ldes-live/bench/chromium';
import { createMemoryStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort, valueDraft } from '../support/published-log.ts';
import { buildBundle } from './support/example-process.ts';
import { type PageServer, pageServer } from './support/page-server.ts';
import { isThere } from './support/programs.ts';

const STREAMS = 8;
const MOST_PUSHED = 4;
const EVERY_MS = 400;

let page: ChromiumPage;
let pages: PageServer;
let server: Awaited<ReturnType<typeof createLiveServer>>;
let publicUrl: string;
let stopPublishing: () => Promise<void>;

beforeAll(async () => {
  buildBundle();
  const port = await freePort();
  publicUrl = `http://localhost:${port}/`;
  const store = createMemoryStore({ clock: Date.now, random: Math.random });
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, async (_, index) => {
      const description = describeStream({ publicUrl, name: `s${index}` });
      const log = await store.open(description);
      return { description, log, schedule: () => ({ kind: 'unknown' }) as const, sources: () => [] };
    }),
  );
  server = await createLiveServer({ publicUrl, streams, clock: Date.now, push: { heartbeatMs: 2000 } });
  await server.listen({ host: 'localhost', port });
  let value = 0;
  let publishing = Promise.resolve();
  const publish = async () => {
    value += 1;
    for (const { log } of streams) await log.append([valueDraft(publicUrl, 1, value)]);
  };
  await publish();
  const timer = setInterval(() => {
    publishing = publishing.then(publish);
  }, EVERY_MS);
  stopPublishing = async () => {
    clearInterval(timer);
    await publishing;
    await Promise.all(streams.map(({ log }) => log.close()));
  };
  pages = await pageServer(script());
  if (isThere('chromium')) page = await openChromium(pages.url);
}, 60_000);

afterAll(async () => {
  await page?.close();
  await pages?.close();
  await server?.close();
  await stopPublishing?.();
});

// The page asks for something of its own all the while, from the same origin as the streams.
function script(): string {
  return `
    import { createLiveClient } from '/client/ldes-live-client.js';
    const base = ${JSON.stringify(publicUrl)};
    const client = createLiveClient({ mal: 1 });
    const state = { answers: 0, refusals: 0, counts: [], errors: [] };
    const followers = Array.from({ length: ${STREAMS} }, (_, index) => {
      const follower = client.follow(base + 's' + index);
      state.counts.push(0);
      follower.latest().on('upsert', () => { state.counts[index] += 1; });
      follower.run().catch((error) => state.errors.push(String(error)));
      return follower;
    });
    globalThis.look = () => ({ ...state, statuses: followers.map(({ status }) => status) });
    for (;;) {
      const response = await fetch(base + 'health', { cache: 'no-store' });
      await response.text();
      state[response.ok ? 'answers' : 'refusals'] += 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  `;
}

interface Look {
  readonly answers: number;
  readonly refusals: number;
  readonly counts: readonly number[];
  readonly errors: readonly string[];
  readonly statuses: readonly { mode: string; reason: string; malMisses: number; gaps: number }[];
}

const look = () => page.evaluate<Look>('globalThis.look?.()');

async function pushConnections(): Promise<number> {
  const text = await (await fetch(`${publicUrl}metrics`)).text();
  return Number(/^ldes_live_push_admitted_connections(?:{[^}]*})? (\d+)/m.exec(text)?.[1]);
}

test.skipIf(!isThere('chromium'))(
  `a page over HTTP/1.1 follows ${STREAMS} streams with a MAL of 1 s, and keeps connections for its own requests`,
  async () => {
    const settled = await vi.waitFor(
      async () => {
        const now = await look();
        expect(Math.min(...(now?.counts ?? [0]))).toBeGreaterThan(3);
        return now;
      },
      { timeout: 40_000, interval: 200 },
    );
    let most = 0;
    await vi.waitFor(
      async () => {
        most = Math.max(most, await pushConnections());
        const now = await look();
        // Every stream goes on, and so do the page's own requests.
        for (const [index, count] of now.counts.entries())
          expect(count).toBeGreaterThan((settled.counts[index] ?? 0) + 10);
        expect(now.answers).toBeGreaterThan(settled.answers + 20);
      },
      { timeout: 40_000, interval: 100 },
    );
    const { statuses, errors, refusals } = await look();
    const pushed = statuses.filter(({ mode }) => mode === 'push');
    expect(pushed).toHaveLength(MOST_PUSHED);
    expect(most).toBe(MOST_PUSHED);
    for (const { reason } of statuses.filter(({ mode }) => mode === 'pull')) {
      expect(reason).toContain('no connection to spare for push');
    }
    expect(statuses.map(({ gaps }) => gaps)).toEqual(Array(STREAMS).fill(0));
    expect([errors, refusals, page.problems]).toEqual([[], 0, []]);
  },
  120_000,
);
