import { Writable } from 'node:stream';
import { type Draft, namedNode, parseQuads, quad, readMembers, readStreamContext } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { SLICE_BYTES, SLICE_SUBSCRIBERS } from '../src/push/fanout.ts';
import { LiveSubscribers, Subscriber } from '../src/push/subscriber.ts';
import type { PushEncoding } from '../src/push/wire.ts';
import {
  broadcasting,
  commentsOf,
  expectHistories,
  following,
  type OpenLine,
  type PushWorld,
  turns,
} from './push-lines.ts';
import { EPOCH, entityOf, PUBLIC_URL, remove, upsert, watchedLiteral } from './test-server.ts';

const idsOf = (line: OpenLine) => line.events().map(({ id }) => Number(id.slice(EPOCH.length + 1)));
const manyOn = ({ open }: PushWorld, count = SLICE_SUBSCRIBERS + 1, query = '') =>
  Array.from({ length: count }, () => open({ query }));
const reached = (lines: readonly OpenLine[]) => lines.filter(({ line }) => line.writes.length > 1).length;

/** Turns until a commit has reached some lines and not all of them. */
async function underWay(lines: readonly OpenLine[]): Promise<void> {
  while (reached(lines) === 0) await turns(1);
  expect(reached(lines)).toBeLessThan(lines.length);
}

test('PUSH-3 a commit is one event with its cursor and one line of JSON-LD that needs nothing else', async () => {
  const world = await broadcasting();
  const line = world.open();
  const commit = await world.log.append([upsert(1, 1), upsert(2, 1)]);
  await world.log.append([remove(1)]);
  await world.arrived([line], 3);
  expect(line.events().map(({ event, id }) => [event, id])).toEqual([
    ['update', `${EPOCH}-2`],
    ['update', `${EPOCH}-3`],
  ]);
  const root = await world.get('/vehicles', { accept: 'application/n-quads' });
  const context = readStreamContext(await parseQuads(root.body, 'nquads', PUBLIC_URL), `${PUBLIC_URL}vehicles`);
  const read = line
    .events()
    .map(async ({ data }) => readMembers(await parseQuads(data, 'jsonld', PUBLIC_URL), context));
  const members = (await Promise.all(read)).flat();
  expect(members.map(({ kind, entity, sequence }) => [kind, entity, sequence])).toEqual([
    ['upsert', entityOf(1), 1],
    ['upsert', entityOf(2), 2],
    ['delete', entityOf(1), 3],
  ]);
  expect(members[0]?.quads).toHaveLength(commit?.members[0]?.quads.length ?? -1);
});

test('a commit is encoded once for all connections that are up to date', async () => {
  const world = await broadcasting();
  // How often a commit's content is read, with so many readers.
  const readsFor = async (value: number) => {
    const { term, count } = watchedLiteral('x');
    const quads = [quad(namedNode(entityOf(1)), namedNode('http://example.org/value'), term)];
    await world.log.append([{ ...upsert(1, value), quads } as Draft]);
    return count.reads;
  };
  const unread = await readsFor(1);
  const lines = [world.open()];
  const forOne = await readsFor(2);
  expect(forOne).toBeGreaterThan(unread);
  lines.push(...manyOn(world, 3));
  expect(await readsFor(3)).toBe(forOne);
  await world.arrived(lines, 3);
});

test.each([
  ['the whole stream', ''],
  ['a part of it', following(1)],
])(
  'a commit goes out in slices to those who have %s, and between them others have their turn',
  async (_name, query) => {
    const world = await broadcasting();
    const lines = manyOn(world, 2 * SLICE_SUBSCRIBERS + 1, query);
    await world.log.append([upsert(1, 1)]);
    await underWay(lines);
    const steps: number[] = [];
    for (; steps.at(-1) !== lines.length; await turns(1))
      if (reached(lines) !== steps.at(-1)) steps.push(reached(lines));
    expect(steps).toEqual([SLICE_SUBSCRIBERS, 2 * SLICE_SUBSCRIBERS, lines.length]);
    // The same bytes for all.
    expect(new Set(lines.map(({ line }) => line.writes[1])).size).toBe(1);
  },
);

test('a large commit goes out in smaller slices, since the system copies all that is written', async () => {
  const world = await broadcasting();
  const lines = manyOn(world, SLICE_SUBSCRIBERS);
  await world.log.append([upsert(1, 1, 'x'.repeat(240_000))]);
  await underWay(lines);
  const steps = [0];
  for (; steps.at(-1) !== lines.length; await turns(1)) if (reached(lines) !== steps.at(-1)) steps.push(reached(lines));
  const bytes = lines[0]?.line.writes[1]?.length ?? 0;
  const most = Math.max(...steps.slice(1).map((step, index) => step - (steps[index] as number)));
  expect(bytes).toBeGreaterThan(240_000);
  expect(most).toBe(Math.ceil(SLICE_BYTES / bytes));
});

test('PUSH-4, PUSH-59 commits that come faster than they are sent go out in few writes, and make room for others', async () => {
  const world = await broadcasting({ limitFrameBytes: 1_000_000 });
  const lines = manyOn(world);
  const some = [lines[0], lines.at(-1)] as [OpenLine, OpenLine];
  // What waits at once is less than the limit, and all together more.
  for (let sequence = 0; sequence < 30; ) {
    for (const end = sequence + 10; sequence < end; sequence += 1) {
      await world.log.append([upsert(1, sequence, String(sequence).repeat(30_000))]);
    }
    await world.arrived(some, sequence);
  }
  await world.until(() => world.push.counters.commits === 30);
  await expectHistories(world, some, 30);
  for (const line of some) expect(idsOf(line)).toHaveLength(30);
  expect(some[0].line.writes.length).toBeLessThan(25);
  // None is so much that it has to be taken piece by piece.
  expect(lines.some(({ subscriber }) => subscriber.wasLive)).toBe(false);
  expect(world.push.counters).toMatchObject({ deliveries: 30 * lines.length, commits: 30 });
});

test.each(['identity', 'gzip'] as const)(
  'PUSH-4 who joins while a batch is on its way gets what he lacks of it, and nothing twice (%s)',
  async (encoding) => {
    const world = await broadcasting();
    const lines = manyOn(world);
    await world.log.append([upsert(1, 1)]);
    // Each commits something, and joins with all, something or nothing of what is under way.
    for (let sequence = 1; sequence <= 8; sequence += 1) {
      for (const after of [0, sequence - 1, sequence]) lines.push(world.open({ after, encoding }));
      await world.log.append([upsert(sequence, 2)]);
      await turns(1);
    }
    await world.arrived(lines, 9);
    await expectHistories(world, lines, 9);
    for (const line of lines) expect(idsOf(line)).toHaveLength(9 - line.after);
  },
);

test('PUSH-58 who joins in the middle of what goes out next, and takes nothing, falls behind where it joined', async () => {
  const world = await broadcasting();
  const lines = manyOn(world);
  await world.log.append([upsert(1, 1)]);
  await underWay(lines);
  await world.log.append([upsert(1, 2)]);
  // It has the first of two that wait, and then a comment.
  const late = world.open();
  late.line.hold();
  world.time.nowMs += 15_000;
  world.push.tick();
  await world.log.append([upsert(1, 3)]);
  await world.until(() => world.push.counters.commits === 3);
  late.line.release();
  await world.arrived([late], 3);
  expect(idsOf(late)).toEqual([3]);
});

test('PUSH-59 when more has come than is remembered before it was sent, all go on from the newest state', async () => {
  const world = await broadcasting({ limitFrameBytes: 1, limitQueueBytes: 1 });
  const lines = manyOn(world);
  const part = world.open({ query: following(2) });
  await world.log.append([upsert(1, 1)]);
  await underWay(lines);
  await world.log.append([upsert(1, 2)]);
  await world.log.append([upsert(1, 3), upsert(2, 1)]);
  await world.log.append([upsert(1, 4)]);
  await world.arrived([...lines, part], 5);
  expect(world.push.counters.conflations).toBeGreaterThan(SLICE_SUBSCRIBERS);
  await expectHistories(world, lines, 5);
  await expectHistories(world, [part], 5, 2);
  expect(part.events().map(({ event }) => event)).toContain('conflated');
});

test('PUSH-58 a filtered stream is not told of the head by a heartbeat before what leads to it', async () => {
  const world = await broadcasting({ limitFrameBytes: 1 });
  const lines = manyOn(world);
  const part = world.open({ query: following(2) });
  world.time.nowMs += 15_000;
  world.push.tick();
  // While comments are on their way, more comes than is remembered.
  await underWay(lines);
  await world.log.append([upsert(1, 1)]);
  await world.log.append([upsert(1, 2), upsert(2, 1)]);
  await world.until(() => part.events().some(({ sequences }) => sequences.length > 0));
  await expectHistories(world, [part], 3, 2);
});

test('PUSH-8 a comment is sent where nothing was for long, and nowhere else', async () => {
  const world = await broadcasting();
  const first = world.open();
  world.time.nowMs += 8000;
  const second = world.open();
  const beat = async (passedMs: number) => {
    await world.beat(passedMs);
    return [first, second].map(commentsOf);
  };
  // Each has one from its beginning; at 11 s after the last word the next tick, a second late, would be too late.
  expect(await beat(2999)).toEqual([1, 1]);
  expect(await beat(1)).toEqual([2, 1]);
  await world.log.append([upsert(1, 1)]);
  await world.arrived([first, second], 1);
  expect(await beat(10_999)).toEqual([2, 1]);
  expect(await beat(1)).toEqual([3, 2]);
  expect(world.push.counters.heartbeats).toBe(3);
});

test('while nobody is there commits are not encoded, and who comes then goes on all the same', async () => {
  const world = await broadcasting();
  const first = world.open();
  await world.log.append([upsert(1, 1)]);
  await world.arrived([first], 1);
  first.line.destroy();
  await world.until(() => world.push.size === 0);
  await world.log.append([upsert(1, 2)]);
  expect(world.commits.read(1)).toBeInstanceOf(Promise);
  const second = world.open({ after: 1 });
  await world.log.append([upsert(1, 3)]);
  await world.arrived([second], 3);
  expect(idsOf(second)).toEqual([2, 3]);
  expect(world.push.counters.closed.reader).toBe(1);
});

test('PUSH-65 who comes while a change of the sources is on its way is told of it once', async () => {
  const world = await broadcasting();
  const lines = manyOn(world);
  await world.log.append([upsert(1, 1)]);
  await underWay(lines);
  world.turnSources({ kind: 'failing', sinceMs: 0 });
  lines.push(world.open(), world.open({ query: following(1) }));
  await world.until(() => lines.every((line) => line.content().includes('event: status')));
  await turns();
  for (const line of lines) expect(line.content().match(/event: status/g)).toHaveLength(1);
});

test('PUSH-8, PUSH-32 however fast commits come, who hears nothing gets a cursor, and who is to end does', async () => {
  const world = await broadcasting();
  manyOn(world);
  const part = world.open({ query: following(2) });
  const leaving = world.open({ isChunked: true });
  await world.log.append([upsert(1, 1)]);
  world.time.nowMs += 15_000;
  world.push.tick();
  world.push.end(leaving.subscriber);
  // Always another one before the last one has gone out.
  for (let value = 2; value <= 40; value += 1) {
    await world.log.append([upsert(1, value)]);
    await turns(1);
  }
  const ended = leaving.line.writableEnded;
  const told = idsOf(part);
  const head = world.commits.head.sequence;
  await world.until(() => world.push.counters.commits === head);
  expect([ended, told.length]).toEqual([true, 1]);
  // Not past what had been looked at for it.
  expect(told[0]).toBeLessThan(head);
  await expectHistories(world, [leaving], leaving.events().length);
});

test('each event is counted for each connection that got it, and the time of each commit from when it came', async () => {
  const world = await broadcasting();
  const lines = manyOn(world);
  await world.log.append([upsert(1, 1)]);
  await underWay(lines);
  await world.log.append([upsert(1, 2)]);
  // Has the first one of what goes out in one write.
  lines.push(world.open());
  await world.log.append([upsert(1, 3)]);
  world.time.nowMs += 1000;
  await world.arrived(lines, 3);
  await world.until(() => world.push.counters.commits === 3);
  const { deliveries, fanOutCounts, fanOutSeconds } = world.push.counters;
  expect(deliveries).toBe(3 * (SLICE_SUBSCRIBERS + 1) + 1);
  // Up to a second, which counts as one.
  expect([fanOutCounts[9], fanOutCounts.reduce((sum, count) => sum + count), fanOutSeconds]).toEqual([3, 3, 3]);
  const sizes = lines.flatMap(({ line }) => line.writes.slice(1)).map(({ length }) => length);
  expect(world.push.counters.bytes).toBe(sizes.reduce((sum, length) => sum + length));
});

function connectionOf(encoding: PushEncoding = 'identity'): Subscriber {
  const socket = new Writable({ write: (_chunk, _encoding, done) => done() });
  return new Subscriber({ socket, encoding, isChunked: true, filter: undefined, endsAtMs: 1, nowMs: 0 });
}

/** What happens between two slices. */
const meanwhile = fc.array(
  fc.record({ kind: fc.constantFrom('add', 'remove', 'back', 'join', 'part'), which: fc.nat({ max: 1000 }) }),
  { maxLength: 4 },
);

test('whoever comes and goes between slices, each who stays is visited once, and none who came since', () => {
  check(
    fc.property(
      fc.nat({ max: 40 }),
      fc.integer({ min: 1, max: 7 }),
      fc.array(fc.array(meanwhile, { maxLength: 8 }), { minLength: 1, maxLength: 6 }),
      (count, slice, visits) => {
        const live = new LiveSubscribers();
        const all: Subscriber[] = [];
        const inside = new Set<Subscriber>();
        const add = (connection: Subscriber) => {
          live.add(connection);
          inside.add(connection);
        };
        const create = () => {
          const connection = connectionOf(all.length % 3 === 0 ? 'identity' : 'gzip');
          all.push(connection);
          add(connection);
        };
        for (let index = 0; index < count; index += 1) create();
        for (const steps of visits) {
          const before = new Set(inside);
          const visited: Subscriber[] = [];
          const gone = new Set<Subscriber>();
          let slices = 0;
          for (const reached of live.visit()) {
            visited.push(reached);
            if (visited.length % slice > 0) continue;
            for (const { kind, which } of steps[slices] ?? []) {
              const connection = all[which % Math.max(1, all.length)];
              if (kind === 'add' || !connection) create();
              else if (kind === 'remove') {
                live.remove(connection);
                inside.delete(connection);
                gone.add(connection);
              } else if (kind === 'back' && !inside.has(connection)) add(connection);
              else if (kind === 'join' && inside.has(connection)) live.join(connection);
              else if (kind === 'part') live.part(connection);
            }
            slices += 1;
          }
          // Each that was in all the time, once; of those that left, some; of those that came, none.
          expect(new Set(visited).size).toBe(visited.length);
          for (const connection of before) if (!gone.has(connection)) expect(visited).toContain(connection);
          for (const connection of visited) expect(before).toContain(connection);
          expect(new Set(live.subscribers())).toEqual(inside);
          expect(live.size).toBe(inside.size);
          const grouped = all.filter(({ inGroup }) => inGroup);
          expect(live.grouped).toBe(grouped.length);
          for (const connection of grouped) expect(inside).toContain(connection);
          for (const connection of all) expect(connection.slot >= 0).toBe(inside.has(connection));
        }
        // The slots of those who left are taken by others in time.
        for (const _ of live.visit());
        expect([...inside].map(({ slot }) => slot).sort((one, other) => one - other)).toEqual([
          ...Array(inside.size).keys(),
        ]);
      },
    ),
  );
});

test.each([2, 3, 5, 8, 100, 250, 500, 501, 1000])(
  'of %d each visit begins with another one, and none is always among the last',
  (count) => {
    const live = new LiveSubscribers();
    for (let added = 0; added < count; added += 1) live.add(connectionOf());
    const firsts: Subscriber[] = [];
    const lasts: Subscriber[] = [];
    for (let visits = 0; visits < 10; visits += 1) {
      const visited = [...live.visit()];
      expect(visited).toHaveLength(count);
      firsts.push(visited[0] as Subscriber);
      lasts.push(visited.at(-1) as Subscriber);
    }
    for (let visit = 1; visit < 10; visit += 1) expect(firsts[visit]).not.toBe(firsts[visit - 1]);
    expect(new Set(lasts).size).toBeGreaterThan(1);
  },
);
