import { type Change, createLiveClient } from '@ldes-live/client';
import { type Member, parseCursor } from '@ldes-live/rdf-stream';
import { check, Floors, fc, isGate } from '@ldes-live/test-support/properties';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { afterAll, expect, test } from 'vitest';
import { expectBudget, expectThrown } from './faults/checks.ts';
import { type FaultStream, type FaultTrace, faultWorlds, filterOptions, runFaults } from './faults/run.ts';
import { type FaultSchedule, filteredSchedules, type PlannedFilter } from './faults/schedules.ts';

const time = new VirtualTime();
const worlds = faultWorlds(time);
afterAll(() => worlds.close());

/*
 * The oracle: what a reader of a part is to be given, from nothing but the members of the log and the plan. It knows of no
 * filter of ours: entities by their numbers, classes and places by what was published.
 */
type Fit = 'inside' | 'outside' | undefined;

function fitOf({ entity, kind, quads }: Member, { numbers, isEven, boxes }: PlannedFilter): Fit {
  const number = Number(/\d+$/.exec(entity)?.[0]);
  if (numbers && !numbers.includes(number)) return undefined;
  // An end says nothing of itself.
  if (kind === 'delete') return 'outside';
  if (isEven && !quads.some(({ object }) => object.value.endsWith('/Even'))) return undefined;
  if (!boxes) return 'inside';
  const long = quads.find(({ predicate }) => predicate.value.endsWith('wgs84_pos#long'))?.object.value;
  return boxes.some(({ west, east }) => long !== undefined && west <= +long && +long <= east) ? 'inside' : 'outside';
}

interface Given {
  readonly sequence: number;
  readonly inFilter: boolean;
}

/** What follows on a sequence where the reader has the entities in `has`, and no others. */
function following(after: number, members: readonly Member[], filter: PlannedFilter, has: Set<string>): Given[] {
  return members.slice(after).flatMap((member): Given[] => {
    const { entity, sequence, kind } = member;
    const fit = fitOf(member, filter);
    if (!fit || (fit === 'outside' && !has.has(entity))) return [];
    if (fit === 'inside') has.add(entity);
    else has.delete(entity);
    return [{ sequence, inFilter: fit === 'inside' || kind === 'delete' }];
  });
}

/**
 * Whether that may follow on a sequence where it is not known what the reader has: what was inside and is not any more has
 * to be given, and what may have been can be, unless the reader was given that it is outside.
 */
function mayFollow(after: number, members: readonly Member[], filter: PlannedFilter, read: readonly Given[]): boolean {
  const inside = new Set<string>();
  const lacks = new Set<string>();
  let taken = 0;
  for (const member of members) {
    const { entity, sequence, kind } = member;
    const fit = fitOf(member, filter);
    const wasInside = inside.has(entity);
    if (fit === 'inside') inside.add(entity);
    else if (fit) inside.delete(entity);
    if (sequence <= after || !fit) continue;
    const given = read[taken]?.sequence === sequence ? read[taken] : undefined;
    if (given) {
      const isRight = given.inFilter === (fit === 'inside' || kind === 'delete');
      if (!isRight || (fit === 'outside' && lacks.has(entity))) return false;
      taken += 1;
      if (fit === 'inside') lacks.delete(entity);
      else lacks.add(entity);
    } else if (fit === 'inside' || wasInside) return false;
  }
  return taken === read.length;
}

/** Whether that may be given from one beginning: the state at any sequence, and what follows it. */
function isRight(
  from: FaultSchedule['from'],
  members: readonly Member[],
  filter: PlannedFilter,
  read: Given[],
): boolean {
  const isRead = (given: readonly Given[]) => JSON.stringify(given) === JSON.stringify(read);
  if (from === 'start') return isRead(following(0, members, filter, new Set()));
  const living = new Map<string, Member>();
  for (let head = 0; head <= members.length; head += 1) {
    const member = members[head - 1];
    if (member) living.delete(member.entity);
    if (member?.kind === 'upsert') living.set(member.entity, member);
    if (from === 'now') {
      if (mayFollow(head, members, filter, read)) return true;
      continue;
    }
    const state = [...living.values()].filter((one) => fitOf(one, filter) === 'inside');
    const has = new Set(state.map(({ entity }) => entity));
    const given = state.map(({ sequence }) => ({ sequence, inFilter: true }));
    if (isRead([...given, ...following(head, members, filter, has)])) return true;
  }
  return false;
}

const givenOf = (changes: readonly Change[]): Given[] =>
  changes.flatMap(({ member, inFilter }) =>
    member ? [{ sequence: member.sequence, inFilter: inFilter as boolean }] : [],
  );

/** Those given from each beginning: the first, or after a gap. */
function partsOf({ changes }: FaultTrace, { from }: FaultSchedule) {
  const parts: { from: FaultSchedule['from']; changes: Change[] }[] = [{ from, changes: [] }];
  for (const { change } of changes) {
    if (change.kind === 'gap') parts.push({ from: 'latest', changes: [] });
    else parts.at(-1)?.changes.push(change);
  }
  return parts;
}

function expectPart(trace: FaultTrace, given: FaultSchedule & { readonly filter: PlannedFilter }): void {
  expect(trace.hasArrived, JSON.stringify(trace.follower.status)).toBe(true);
  const parts = partsOf(trace, given);
  expect(trace.follower.status.gaps).toBe(parts.length - 1);
  for (const [index, { from, changes }] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const read = givenOf(changes);
    if (given.versions === 'newest') {
      if (isLast) expectNewest(trace, changes, from, given.filter);
      continue;
    }
    // Of what ended in a gap nobody can tell how much of the log was there.
    const ends = isLast ? [trace.members.length] : trace.members.map((_, sequence) => sequence);
    const areRight = ends.some((end) => isRight(from, trace.members.slice(0, end), given.filter, read));
    expect(areRight, `${JSON.stringify(read)} from ${from}`).toBe(true);
  }
}

function expectNewest(
  { members, follower }: FaultTrace,
  changes: readonly Change[],
  from: FaultSchedule['from'],
  filter: PlannedFilter,
): void {
  const told = new Map<string, number>();
  for (const { member } of changes as readonly { member: Member }[]) {
    expect(member.sequence).toBeGreaterThan(told.get(member.entity) ?? 0);
    told.set(member.entity, member.sequence);
  }
  const newest = new Map(members.map((member) => [member.entity, member]));
  const inside = [...newest.values()].filter((member) => fitOf(member, filter) === 'inside');
  // Of an entity whose newest version is of another class a reader may have an older one, or none.
  const known = [...follower.latest().values()].filter(({ entity }) => fitOf(newest.get(entity) as Member, filter));
  const has = known.map(({ sequence }) => sequence).sort((one, other) => one - other);
  const right = inside.map(({ sequence }) => sequence).sort((one, other) => one - other);
  // Who began later need not know of what was there before.
  const since = from === 'now' ? right.filter((sequence) => has.includes(sequence)) : right;
  expect(has).toEqual(since);
}

/** Goes on from the cursor of a change, by a client of its own, and expects what is right from there. */
async function expectResumed(stream: FaultStream, trace: FaultTrace, given: FaultSchedule & { filter: PlannedFilter }) {
  const last = trace.changes.findLastIndex(({ change }) => change.kind === 'gap');
  const one = trace.changes.slice(last + 1)[Math.floor(given.random[0] as number) * 3]?.change;
  if (!one || given.versions === 'newest') return false;
  const stop = new AbortController();
  const { clock, sleep } = time;
  const client = createLiveClient({ mal: given.mal, clock, sleep, random: () => 0.5 });
  const saved = { ...trace.follower.state, cursor: one.cursor };
  const options = filterOptions(given.filter, stream.url);
  const later = client.follow(stream.url, {
    state: JSON.parse(JSON.stringify(saved)),
    signal: stop.signal,
    ...options,
  });
  const changes: Change[] = [];
  const reading = (async () => {
    for await (const change of later) changes.push(change);
  })().catch(() => {});
  const isThere = () => parseCursor(later.state.cursor as string).sequence >= trace.members.length;
  for (let turns = 0; turns < 2_000 && !isThere(); turns += 1) await time.next();
  stop.abort();
  await reading;
  const { sequence } = parseCursor(one.cursor);
  expect(mayFollow(sequence, trace.members, given.filter, givenOf(changes)), `after ${one.cursor}`).toBe(true);
  return true;
}

const GATE_RUNS = 60;
const met = new Floors({ push: GATE_RUNS / 10, left: GATE_RUNS / 10, leaving: 3, resumed: 5 });

test('MAL-97 MAL-98 MAL-100 a reader of a part is given, whatever befalls it and whatever ways it comes: each version that fits once, in order, and what takes its entity out, or a gap that is told', async () => {
  await check(
    fc.asyncProperty(filteredSchedules, async (given) => {
      const stream = await worlds.next();
      const trace = await runFaults(given, stream, time);
      expectPart(trace, given);
      expectThrown(trace);
      expectBudget(trace, given);
      if (await expectResumed(stream, trace, given)) met.count('resumed');
      const changes = trace.changes.map(({ change }) => change);
      if (changes.some(({ via, kind }) => via === 'push' && kind !== 'gap')) met.count('push');
      if (changes.length < trace.members.length) met.count('left');
      if (changes.some(({ inFilter }) => inFilter === false)) met.count('leaving');
    }),
    { numRuns: 10_000, gateRuns: GATE_RUNS, endOnFailure: isGate, met },
  );
}, 1_800_000);

test('PUSH-24 MAL-98 by push too a reader of a class in a place is told what leaves it after a version of another class', async () => {
  const stay = { number: 2, isEnd: false };
  const versions = [{ longitude: 0 }, { longitude: 5, isTurned: true }, { longitude: 5 }];
  const given: Parameters<typeof expectPart>[1] = {
    ...{ mal: 1, from: 'start', versions: 'all', readMs: 0, history: 0, prediction: 'none', faultsMs: 0 },
    ...{ documents: [], events: [], random: [0.5] },
    commits: versions.map((version) => ({ afterMs: 3_000, entities: [{ ...stay, ...version }] })),
    filter: { isEven: true, boxes: [{ west: 0, east: 1 }] },
  };
  const trace = await runFaults(given, await worlds.next(), time);
  expectPart(trace, given);
  const third = trace.changes.find(({ change }) => change.member?.sequence === 3);
  expect(third?.change).toMatchObject({ via: 'push', inFilter: false });
});
