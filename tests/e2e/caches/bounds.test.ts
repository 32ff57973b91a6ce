import { Agent } from 'node:http';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseCursor } from '@ldes-live/rdf-stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, ask } from './ask.ts';
import { type CachedWorld, cachedWorld } from './cached-world.ts';
import { skipMissing, WAYS } from './ways.ts';

const UPDATES = 5;
const INTERVAL_MS = 2530;
// How often each document is asked for, at all parts of an interval.
const EVERY_MS = 37;

interface Sample {
  readonly url: string;
  readonly sentMs: number;
  readonly answer: Answer;
}

let world: CachedWorld;
beforeAll(async () => {
  world = await cachedWorld(WAYS);
  await world.update(500);
});
afterAll(() => world.close());

describe.each(WAYS)('$name', (way) => {
  skipMissing(way);

  test('CACHE-2 no answer has a max-age, an Expires or a Next-Update that reaches past the next update', async () => {
    const updates: { readonly sequence: number; readonly atMs: number }[] = [];
    const unsubscribe = world.log.subscribe(({ cursor }) =>
      updates.push({ sequence: cursor.sequence, atMs: Date.now() }),
    );
    const urls = ['', '/latest', `/pages/${world.log.head.cursor.epoch}/0`].map((path) => world.on(way, path));
    const agent = new Agent({ keepAlive: true });
    const sampling = new AbortController();
    const samples: Sample[] = [];
    const sample = async (url: string) => {
      while (!sampling.signal.aborted) {
        const sentMs = Date.now();
        samples.push({ url, sentMs, answer: await ask(url, { agent }) });
        await delay(EVERY_MS);
      }
    };
    await world.update(INTERVAL_MS);
    const samplers = urls.map(sample);
    for (let update = 0; update < UPDATES; update += 1) await world.update(INTERVAL_MS);
    sampling.abort();
    await Promise.all(samplers);
    unsubscribe();
    agent.destroy();
    const judged = samples.flatMap((each) => {
      // The update after the state that the answer shows; the last state has none yet.
      const { sequence } = parseCursor(each.answer.headers['ldes-cursor'] as string);
      const next = updates.find((update) => update.sequence > sequence);
      return next ? [{ ...each, nextMs: next.atMs }] : [];
    });
    const past = judged.filter((each) => reachesMs(each) > each.nextMs);
    const fresh = judged.filter(({ answer }) => answer.headers['next-update'] !== undefined);
    process.stdout.write(
      `${way.name}: ${past.length} of ${judged.length} answers reach past the next update, ${fresh.length} state it\n`,
    );
    expect(past.map(({ url, answer }) => ({ url, headers: answer.headers }))).toEqual([]);
    expect(fresh.length).toBeGreaterThan(judged.length / 2);
  });

  test('CACHE-6 a conditional request is answered by 304 up to the next update', async () => {
    await world.update(INTERVAL_MS);
    const { headers } = await ask(world.on(way, '/latest'));
    const nextMs = Date.parse(headers['next-update'] as string);
    // Within the second of the next update a cache may have to ask the publisher.
    await delay(Math.max(0, Math.floor(nextMs / 1000) * 1000 + 10 - Date.now()));
    for (let asked = 0; Date.now() < nextMs - 60; asked += 1) {
      const condition = { 'if-none-match': headers.etag as string };
      const { status } = await ask(world.on(way, '/latest'), { headers: condition });
      if (Date.now() < nextMs) expect(status, `request ${asked}`).toBe(304);
      await delay(40);
    }
  });
});

/** Up to when a cache would keep an answer at most, epoch milliseconds; it counts from its request. */
function reachesMs({ sentMs, answer: { headers } }: Sample): number {
  const nextMs = headers['next-update'];
  // An update that may come at any moment may come before the second that is allowed then is over.
  if (nextMs === undefined) return 0;
  const maxAge = /max-age=(\d+)/.exec(headers['cache-control'] ?? '')?.[1];
  const age = Number(headers.age ?? 0);
  const expiresMs = Date.parse(headers.expires as string);
  return Math.max(
    Date.parse(nextMs as string),
    expiresMs,
    maxAge === undefined ? expiresMs : sentMs + (Number(maxAge) - age) * 1000,
  );
}
