import process from 'node:process';
import { type Cursor, formatCursor } from '@ldes-live/rdf-stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from './ask.ts';
import { type CachedWorld, cachedWorld } from './cached-world.ts';
import { openHerd } from './herd.ts';
import { skipMissing, WAYS } from './ways.ts';

const READERS = 50;
const ROUNDS = 4;
const MEMBERS_PER_UPDATE = 2;

let world: CachedWorld;
beforeAll(async () => {
  world = await cachedWorld(WAYS);
  await world.update();
});
afterAll(() => world.close());

const tail = ({ epoch, sequence }: Cursor) => `/pages/${epoch}/after-${sequence}`;
const field = (head: string, name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1];

describe.each(WAYS)('$name', (way) => {
  skipMissing(way);

  test.for([false, true])(
    'CACHE-3 DOC-63 50 readers who follow the tail cost the publisher one request per update; who came too early: %s',
    async (isEarly) => {
      const herd = await openHerd(world.on(way), READERS);
      const counts: number[] = [];
      await world.update(1100);
      let cursor = world.log.head.cursor;
      for (let round = 0; round < ROUNDS; round += 1) {
        const path = tail(cursor);
        // What it was before the update is kept until then, and no longer.
        if (isEarly) expect((await ask(world.on(way, path))).headers['ldes-cursor']).toBe(formatCursor(cursor));
        // Another part of a second each time.
        await world.update(1100 + (round * 1000) / ROUNDS);
        const before = world.arrived(path);
        const { heads } = await herd.ask(new URL(world.on(way, path)).pathname);
        counts.push(world.arrived(path) - before);
        const { head } = world.log;
        expect(head.cursor.sequence).toBe(cursor.sequence + MEMBERS_PER_UPDATE);
        expect(new Set(heads.map((each) => field(each, 'ldes-cursor')))).toEqual(new Set([formatCursor(head.cursor)]));
        const next = new URL(`vehicles${tail(head.cursor)}`, world.publicUrl).href;
        for (const each of heads) expect(field(each, 'link')).toContain(`<${next}>; rel="monitor"`);
        cursor = head.cursor;
      }
      herd.close();
      process.stdout.write(`${way.name}: ${counts} requests of ${READERS} for the tail of each update\n`);
      expect(counts).toEqual(counts.map(() => (way.program ? 1 : READERS)));
    },
  );

  test('CACHE-4 CACHE-6 a tail holds one commit, as it does straight, and is answered by 304 at the cache', async () => {
    await world.update(3000);
    const { epoch, sequence } = world.log.head.cursor;
    const path = tail({ epoch, sequence: sequence - MEMBERS_PER_UPDATE });
    const headers = { accept: 'application/n-triples' };
    const answer = await ask(world.on(way, path), { headers });
    expect(answer.body.toString().match(/tree#member>/g)).toHaveLength(MEMBERS_PER_UPDATE);
    const before = world.arrived(path);
    const again = await ask(world.on(way, path), {
      headers: { ...headers, 'if-none-match': answer.headers.etag as string },
    });
    expect([again.status, again.headers['ldes-cursor']]).toEqual([304, formatCursor(world.log.head.cursor)]);
    expect(world.arrived(path) - before).toBe(way.program ? 0 : 1);
  });

  test('CACHE-8 a tail that has become too long leads to the pages, and nothing of that is kept', async () => {
    // A log of its own: who lacks a thousand members.
    const long = await cachedWorld([way]);
    try {
      for (let commit = 0; commit < 501; commit += 1) await long.update();
      const { epoch } = long.log.head.cursor;
      const path = tail({ epoch, sequence: 0 });
      // Equal requests within a tenth of a second may share an answer: the next one after that may not.
      while (long.arrived(path) < 2) {
        const { status, headers } = await ask(long.on(way, path));
        expect([status, headers.location]).toEqual([307, `${long.publicUrl}vehicles/pages/${epoch}/0`]);
      }
    } finally {
      await long.close();
    }
  });
});
