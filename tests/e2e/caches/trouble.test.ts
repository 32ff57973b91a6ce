import { setTimeout as delay } from 'node:timers/promises';
import { formatCursor } from '@ldes-live/rdf-stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ask } from './ask.ts';
import { type CachedWorld, cachedWorld } from './cached-world.ts';
import { skipMissing, WAYS } from './ways.ts';

let world: CachedWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

describe.each(WAYS.filter(({ program }) => program !== undefined))('$name', (way) => {
  skipMissing(way);

  test('CACHE-9 while the publisher is down its last answers are served, and new ones when it is back', async () => {
    world = await cachedWorld([way]);
    for (let commit = 0; commit < 126; commit += 1) await world.update();
    await world.update(2300);
    const sealed = world.on(way, `/pages/${world.log.head.cursor.epoch}/0`);
    const latest = world.on(way, '/latest');
    const before = formatCursor(world.log.head.cursor);
    await ask(sealed);
    expect((await ask(latest)).headers['ldes-cursor']).toBe(before);
    // Past its time, and then the publisher goes.
    await world.update(60_000);
    await world.stop();
    for (let round = 0; round < 3; round += 1) {
      const old = await ask(latest);
      expect([old.status, old.headers['ldes-cursor']]).toEqual([200, before]);
      const nextUpdate = old.headers['next-update'] as string | undefined;
      if (nextUpdate !== undefined) expect(Date.parse(nextUpdate)).toBeLessThan(Date.now());
      expect((await ask(sealed)).status).toBe(200);
      await delay(200);
    }
    const unknown = await ask(world.on(way));
    expect([unknown.status, unknown.headers['cache-control']]).toEqual([503, 'no-store']);
    expect(unknown.headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(unknown.body.toString())).toMatchObject({ status: 503 });
    await world.start();
    const after = formatCursor(world.log.head.cursor);
    await vi.waitFor(async () => expect((await ask(latest)).headers['ldes-cursor']).toBe(after), { timeout: 5000 });
  });
});
