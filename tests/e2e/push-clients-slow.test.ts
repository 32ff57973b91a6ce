import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { programPath } from '@ldes-live/bench/fronts';
import { createLiveClient } from '@ldes-live/client';
import { SseParser } from '@ldes-live/codec';
import { type Draft, formatCursor, literal, namedNode, parseCursor, quad } from '@ldes-live/rdf-stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CachedWorld, cachedWorld } from './caches/cached-world.ts';
import { isOpen, WAYS } from './caches/ways.ts';
import type { ReadEvent } from './support/event-reader.ts';
import { membersBetween, reaches, toldMembers } from './support/told-members.ts';

const [STRAIGHT] = WAYS.filter(({ name }) => name === 'straight') as [(typeof WAYS)[number]];
const ENTITIES = 5;

let world: CachedWorld;
// Numbers of connections are told as of the last fifth of a heartbeat.
beforeEach(async () => {
  world = await cachedWorld([STRAIGHT], undefined, { limitQueueBytes: 256 * 1024, heartbeatMs: 250 });
});
afterEach(() => world.close());

// The next of a few entities in turn, at a size that no compression makes small.
function large(): Draft {
  const commit = world.log.head.cursor.sequence;
  const entity = `${world.publicUrl}vehicles/entities/${commit % ENTITIES}`;
  const text = randomBytes(45_000).toString('base64');
  const said = quad(namedNode(entity), namedNode('http://example.org/text'), literal(text));
  return { kind: 'upsert', entity, origin: 'test', fingerprint: String(commit), quads: [said] };
}

// What the events tell of, and what they are to tell of: each member in order, or of a conflation the newest of each
// entity. Every member is of the next entity in turn, so that the newest of all are the last.
async function toldAs(events: readonly ReadEvent[]) {
  const expected: number[] = [];
  let [position, conflations] = [0, 0];
  for (const { event, id, data } of events) {
    const { sequence } = parseCursor(event === 'conflated' ? (JSON.parse(data) as { to: string }).to : id);
    if (event === 'conflated') {
      conflations += 1;
      expect((JSON.parse(data) as { from: string }).from).toMatch(new RegExp(`-${position}$`));
      expected.push(...membersBetween(Math.max(position, sequence - ENTITIES), sequence));
    } else if (sequence > position) expected.push(...membersBetween(position, sequence));
    position = Math.max(position, sequence);
  }
  return { sequences: await toldMembers(events, world.publicUrl), expected, conflations };
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${world.publicUrl}metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`ldes_live_push_${name} `));
  return Number(line?.split(' ')[1]);
}

// The system takes some for a reader that does not read: more than that, and then more than may wait.
async function fillUp(): Promise<void> {
  while ((await metric('connections{stream="vehicles",state="behind"}')) === 0) {
    for (let commit = 0; commit < 20; commit += 1) await world.log.append([large()]);
  }
  for (let commit = 0; commit < 20; commit += 1) await world.log.append([large()]);
}

test.for([[[]], [['--compressed']]] as const)(
  'PUSH-9, PUSH-59, PUSH-60 curl %j that was stopped for a time gets the newest state, and goes on',
  async ([options], { skip }) => {
    skip(!isOpen({ program: 'curl' }), 'not installed: curl');
    const events: ReadEvent[] = [];
    const parser = new SseParser({ onEvent: (event) => events.push(event) });
    const child = spawn(programPath('curl'), ['-s', '-N', ...options, world.on(STRAIGHT, '/events')], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child.stdout.on('data', (chunk: Buffer) => parser.push(chunk));
    try {
      await vi.waitFor(async () => expect(await metric('connections{stream="vehicles",state="live"}')).toBe(1));
      await world.log.append([large()]);
      await reaches(events, world.log.head.cursor);
      child.kill('SIGSTOP');
      await fillUp();
      child.kill('SIGCONT');
      await reaches(events, world.log.head.cursor);
      await world.log.append([large()]);
      await reaches(events, world.log.head.cursor);
      const told = await toldAs(events);
      expect(told.sequences).toEqual(told.expected);
      expect(told.conflations).toBeGreaterThan(0);
      expect(await metric('conflations_total{stream="vehicles"}')).toBe(told.conflations);
    } finally {
      child.kill('SIGKILL');
    }
  },
);

test('PUSH-62 a client that took its time has every member all the same', async () => {
  const stop = new AbortController();
  await world.update();
  const start = world.log.head.cursor;
  const follower = createLiveClient({ mal: 1 }).follow(`${world.publicUrl}vehicles`, {
    from: formatCursor(start),
    signal: stop.signal,
  });
  const changes = follower[Symbol.asyncIterator]();
  const sequences: number[] = [];
  const next = async () => {
    const { value } = await changes.next();
    sequences.push(value?.member?.sequence ?? 0);
  };
  const first = next();
  await vi.waitFor(async () => expect(await metric('connections{stream="vehicles",state="live"}')).toBe(1));
  await world.log.append([large()]);
  await first;
  await fillUp();
  while (sequences.at(-1) !== world.log.head.cursor.sequence) await next();
  expect(sequences).toEqual(membersBetween(start.sequence, world.log.head.cursor.sequence));
  expect(await metric('conflations_total{stream="vehicles"}')).toBeGreaterThan(0);
  expect(follower.status).toMatchObject({ mode: 'push', gaps: 0 });
  // On the connection that it has.
  const live = next();
  await world.log.append([large()]);
  await live;
  expect(sequences.at(-1)).toBe(world.log.head.cursor.sequence);
  expect(await metric('accepted_total{stream="vehicles"}')).toBe(1);
  stop.abort();
});
