import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { TreeOpening, TreeReading } from '../../src/tree/reading.ts';
import type { TreeState } from '../../src/tree/saved-state.ts';
import { type ModelLayout, ModelPublisher, membersOf, openModel } from './model-publisher.ts';

const layouts: fc.Arbitrary<ModelLayout> = fc.record({
  kind: fc.constantFrom('flat', 'list', 'nested', 'moving', 'newest'),
  pageMembers: fc.integer({ min: 1, max: 6 }),
  isBounded: fc.boolean(),
  immutable: fc.constantFrom('header', 'triple', 'never'),
  overlaps: fc.boolean(),
  hasEtags: fc.boolean(),
});

// One step of the world: what is published before a request, and what becomes of the request.
const steps = fc.array(
  fc.record({
    publish: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 5 })),
    stepMs: fc.constantFrom(0, 1, 1000),
    fault: fc.option(fc.constantFrom(0, 503, 429), { freq: 4 }),
  }),
  { maxLength: 40 },
);

// What the reader does: after so many members it saves its state and another goes on from there.
const saves = fc.array(fc.integer({ min: 0, max: 15 }), { maxLength: 5 });

interface World {
  readonly layout: ModelLayout;
  readonly first: number;
  readonly steps: readonly { publish: number; stepMs: number; fault: number | null }[];
  readonly saves: readonly number[];
}

const worlds: fc.Arbitrary<World> = fc.record({
  layout: layouts,
  first: fc.integer({ max: 40, min: 0 }),
  steps,
  saves,
});

// Reads all that is published, through whatever happens on the way, until nothing happens any more.
async function readAll(
  world: World,
  request: Partial<TreeOpening['request']>,
  onMember: (id: string, time: string) => void,
  met: Floors<'published' | 'failed' | 'resumed'>,
) {
  const publisher = new ModelPublisher(world.layout);
  publisher.publish(world.first, 1000);
  const rest = [...world.steps];
  publisher.onRequest = () => {
    const step = rest.shift();
    if (step) publisher.publish(step.publish, step.stepMs);
    if (step?.publish) met.count('published');
    if (step?.fault != null) met.count('failed');
    return step?.fault ?? undefined;
  };
  let reading: TreeReading = await openModel(publisher, request);
  const due = [...world.saves];
  for (let quiet = 0, before = -1, count = 0; quiet < 3; ) {
    try {
      let left = due.shift() ?? Number.POSITIVE_INFINITY;
      for await (const { id, time } of membersOf(reading)) {
        onMember(id, time);
        count += 1;
        left -= 1;
        if (left < 0) break;
      }
      if (left < 0) {
        const state = JSON.parse(JSON.stringify(reading.state())) as TreeState;
        reading = await openModel(publisher, { ...request, state });
        met.count('resumed');
        continue;
      }
    } catch (error) {
      expect(error).toHaveProperty('code', expect.stringMatching(/UNREACHABLE|RESPONSE_STATUS/));
      continue;
    }
    publisher.nowMs += 10_000;
    quiet = rest.length === 0 && count === before ? quiet + 1 : 0;
    before = count;
  }
  return publisher;
}

// While the first member is handed out, a newer page takes the place of the one that the root redirected to, and whose member
// waits.
const MOVED: World = {
  layout: {
    kind: 'newest',
    pageMembers: 1,
    isBounded: false,
    immutable: 'header',
    overlaps: false,
    hasEtags: false,
  },
  first: 2,
  steps: [{ publish: 1, stepMs: 0, fault: null }],
  saves: [0],
};

const met = () => new Floors({ published: 20, failed: 40, resumed: 10 });

test('READ-20 each member is read once, whatever is published or goes wrong on the way, and wherever it is gone on from', async () => {
  const floors = met();
  await check(
    fc.asyncProperty(worlds, async (world) => {
      const read: string[] = [];
      const publisher = await readAll(world, { from: 'start' }, (id) => read.push(id), floors);
      expect([...read].sort()).toEqual(publisher.ids.sort());
    }),
    { numRuns: 150, gateRuns: 30, met: floors },
  );
});

test('READ-21 in order, each member is read once and none after a later one', async () => {
  const floors = met();
  await check(
    fc.asyncProperty(worlds, async (world) => {
      const read: string[] = [];
      const times: string[] = [];
      const onMember = (id: string, time: string) => {
        read.push(id);
        times.push(time);
      };
      const publisher = await readAll(world, { from: 'start', order: 'ascending' }, onMember, floors);
      expect([...read].sort()).toEqual(publisher.ids.sort());
      expect(times).toEqual([...times].sort());
    }),
    { numRuns: 150, gateRuns: 30, met: floors, examples: [[MOVED]] },
  );
});

test('READ-22 from now on, nothing that was there before the reading is read, and all that comes after its first run is', async () => {
  await check(
    fc.asyncProperty(layouts, fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 6 }), async (layout, later) => {
      const publisher = new ModelPublisher(layout);
      publisher.publish(20, 1000);
      const reading = await openModel(publisher, { from: 'now' });
      const read: string[] = [];
      const run = async () => {
        for await (const { id } of membersOf(reading)) read.push(id);
      };
      await run();
      expect(read).toEqual([]);
      for (const count of later) {
        publisher.publish(count, 1000);
        await run();
      }
      expect(read.sort()).toEqual(publisher.ids.slice(20).sort());
    }),
  );
});

test('READ-23 from the latest, the newest version of each entity is read, then what comes', async () => {
  await check(
    fc.asyncProperty(layouts, fc.integer({ min: 1, max: 40 }), fc.nat(6), async (layout, first, saved) => {
      const publisher = new ModelPublisher(layout);
      publisher.publish(first, 1000);
      let reading = await openModel(publisher, { from: 'latest' });
      const read: string[] = [];
      for await (const { id } of membersOf(reading)) {
        read.push(id);
        if (read.length === saved) break;
      }
      reading = await openModel(publisher, { state: JSON.parse(JSON.stringify(reading.state())) as TreeState });
      for await (const { id } of membersOf(reading)) read.push(id);
      const newest = publisher.ids.slice(-7);
      expect([...read].sort()).toEqual([...newest].sort());
      publisher.publish(3, 1000);
      for await (const { id } of membersOf(reading)) read.push(id);
      expect(read.slice(newest.length).sort()).toEqual(publisher.ids.slice(-3).sort());
    }),
  );
});

test('READ-24 of a time, exactly the members of that time are read', async () => {
  await check(
    fc.asyncProperty(layouts, fc.nat(40), fc.nat(40), async (layout, from, length) => {
      const publisher = new ModelPublisher(layout);
      publisher.publish(40, 1000);
      const at = (index: number) => new Date((publisher.times[0] as number) + index * 1000).toISOString();
      const reading = await openModel(publisher, { from: 'start', after: at(from), before: at(from + length) });
      const read: string[] = [];
      for await (const { id } of membersOf(reading)) read.push(id);
      expect(read.sort()).toEqual(publisher.ids.slice(from, from + length).sort());
    }),
  );
});
