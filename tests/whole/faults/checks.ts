import type { Member } from '@ldes-live/rdf-stream';
import { isStreamError } from '@ldes-live/rdf-stream';
import { expect } from 'vitest';
import { versionOf } from '../../support/follow-log.ts';
import type { FaultyExchange } from './proxy.ts';
import type { FaultTrace, ReadChange } from './run.ts';
import type { Fault, FaultSchedule } from './schedules.ts';

/**
 * What holds whatever happens on the way: the log's changes, each once and in order, from where the reader began; anew
 * after each gap that was told, and no gap without a cause.
 */
export function expectLog(trace: FaultTrace, given: FaultSchedule): void {
  const { status, state } = trace.follower;
  const { exchanges, members } = trace;
  const end = JSON.stringify({ status, state, of: members.length, last: exchanges.slice(-2) });
  expect(trace.hasArrived, `arrives when nothing is wrong any more: ${end}`).toBe(true);
  const parts = partsOf(trace, given);
  if (given.versions === 'newest') expectNewest(trace, parts);
  for (const [index, part] of given.versions === 'all' ? parts.entries() : []) {
    const { state, updates } = rightPart(part, trace.members);
    expect(part.read, `part ${index}`).toEqual([...state, ...updates]);
  }
  for (const { change } of trace.changes) {
    if (change.kind === 'gap') continue;
    const published = trace.members[change.member.sequence - 1] as Member;
    expect(JSON.stringify(versionOf(change.member))).toBe(JSON.stringify(versionOf(published)));
  }
  expect(trace.follower.status.gaps).toBe(parts.length - 1);
  if (parts.length > 1) expect(trace.exchanges.filter(mayLookLikeGap), 'a gap has a cause').not.toEqual([]);
}

// Versions ascend, the last of each entity is the newest, and what was left out is accounted for.
function expectNewest({ members, follower }: FaultTrace, parts: readonly Part[]): void {
  for (const { changes, read, from, isLast } of parts) {
    const newest = new Map<string, number>();
    for (const { change } of changes) {
      const { entity, sequence } = change.member as Member;
      expect(sequence).toBeGreaterThan(newest.get(entity) ?? 0);
      newest.set(entity, sequence);
    }
    if (!isLast) continue;
    // Who began later need not know of what was there before, nor of what had ended.
    const since = from === 'start' ? 0 : from === 'now' ? Math.min(...read) - 1 : members.length;
    const all = new Map(members.map(({ entity, sequence }) => [entity, sequence]));
    for (const [entity, sequence] of newest) expect(sequence, entity).toBe(all.get(entity));
    for (const [entity, sequence] of all) {
      const isExpected = sequence > since || (from === 'latest' && members[sequence - 1]?.kind === 'upsert');
      if (isExpected) expect(newest.get(entity), entity).toBe(sequence);
    }
    const accounted = changes.reduce((sum, { change }) => sum + 1 + (change.conflated ?? 0), 0);
    if (from === 'start' && parts.length === 1) {
      expect(accounted).toBe(members.length);
      expect(follower.status.conflated).toBeGreaterThanOrEqual(accounted - changes.length);
    }
  }
}

/** What it throws at its reader is what befell the root, and nothing else. */
export function expectThrown({ thrown, exchanges }: FaultTrace): void {
  const roots = exchanges.filter(({ path }) => !/[?]|.\//.test(path));
  const causes = roots.filter(({ faults }) => faults.some(isPastMending));
  expect(thrown.length, String(thrown[0])).toBeLessThanOrEqual(causes.length);
  for (const error of thrown) {
    expect(isStreamError(error), String(error)).toBe(true);
    expect((error as { code: string }).code).toMatch(/^ERR_(RESPONSE_STATUS|MEDIA_TYPE_UNSUPPORTED|NOT_LIVE)$/);
  }
}

/** The most requests that bring nothing: so many at once, and a further one in each quarter of the MAL. */
const BURST_REQUESTS = 20;
const SHORTEST_REFILL_MS = 50;
/** Of a request that is redirected the second is counted when it has been made. */
const REDIRECTED = 2;

/** It asks no more than its budget allows, whatever it is answered. */
export function expectBudget(
  { exchanges, changes, members, startedMs, endedMs }: FaultTrace,
  { mal, versions, filter }: FaultSchedule,
): void {
  const refillMs = Math.max(SHORTEST_REFILL_MS, (mal * 1000) / 4);
  const budget = BURST_REQUESTS + REDIRECTED + (endedMs - startedMs) / refillMs;
  // What brought only what was left out was no vain request either.
  const fruit = versions === 'all' && !filter ? changes.length : members.length;
  expect(exchanges.length - fruit, 'requests without fruit').toBeLessThanOrEqual(budget);
}

/** For what the machine, not the client, takes. */
const TOLERANCE_MS = 5000;

/** Times of commits are apart even where the clock is not: the last of what was there before may seem to be later. */
const BEGINNING_MS = 1000;

/**
 * Every change that came late is counted, and the bound that is stated is never less than how late something is.
 * Returns whether there was anything to judge.
 */
export function expectHonesty(trace: FaultTrace, given: FaultSchedule): boolean {
  const malMs = given.mal * 1000;
  // Those of a state are no updates: they may have been published long before.
  const updates = partsOf(trace, given)
    .flatMap((part) => part.changes.slice(rightPart(part, trace.members).state.length))
    .filter(({ change }) => publishedMs(change.member as Member) > trace.startedMs + BEGINNING_MS);
  const told = trace.changes.filter(({ change }) => (change.lagMs ?? 0) > malMs);
  const { malMisses } = trace.follower.status;
  // What is late and then left out for a newer version is counted, and not delivered.
  if (given.versions === 'all') expect(malMisses, 'counted').toBeLessThanOrEqual(told.length);
  // What a reader does not take, or asked to be left out, is late by its own will.
  if (given.readMs > 0 || given.versions === 'newest') return false;
  if (trace.exchanges.some(({ faults }) => faults.some(bendsTime))) return false;
  const late = updates.filter(({ change, atMs }) => atMs - publishedMs(change.member as Member) > malMs + TOLERANCE_MS);
  // A reading that is begun again counts from then on.
  if (trace.thrown.length === 0) expect(malMisses, 'late changes').toBeGreaterThanOrEqual(late.length);
  const toleranceMs = TOLERANCE_MS + misledMs(given);
  const dishonest = trace.samples.filter(({ lagBoundMs, lateMs }) => lagBoundMs < lateMs - toleranceMs);
  expect(dishonest.length, `bounds below the truth: ${JSON.stringify(dishonest.slice(0, 3))}`).toBe(0);
  return trace.samples.length > 0;
}

// Before what its server predicts nothing can be missing: who is told wrongly is wrong by what was told, no more. An
// interval that was right for one commit is wrong for a later one that comes sooner.
function misledMs({ prediction, commits }: FaultSchedule): number {
  if (prediction === 'none') return 0;
  const intervals = commits.map(({ afterMs }) => afterMs);
  if (prediction === 'wrong') return Math.max(...intervals);
  return Math.max(0, ...intervals.map((told, index) => told - Math.min(told, ...intervals.slice(index + 1))));
}

/** Which side of a second the server's clock is on is not told by its `Date`. */
const CLOCK_STEP_MS = 1000;

/**
 * What is promised, what was measured and the misses do not contradict each other, at any look and in the end. Returns
 * whether promises were judged: where the way does no more than to take its time.
 */
export function expectFigures({ samples, changes, follower }: FaultTrace, given: FaultSchedule): boolean {
  const malMs = given.mal * 1000;
  for (const { updates, maxLagMs, malMisses, dataAgeMs } of [...samples, follower.status]) {
    expect(maxLagMs > malMs, `${maxLagMs} ms at most, ${malMisses} over ${malMs} ms`).toBe(malMisses > 0);
    expect(malMisses).toBeLessThanOrEqual(updates);
    if (updates === 0) expect(maxLagMs).toBe(0);
    expect(dataAgeMs ?? 0).toBeGreaterThanOrEqual(0);
  }
  const lagsMs = changes.flatMap(({ change }) => (change.isLive ? [change.lagMs] : []));
  const { updates, maxLagMs, malMisses } = follower.status;
  expect({ updates, maxLagMs, malMisses }).toEqual({
    updates: lagsMs.length,
    maxLagMs: Math.max(0, ...lagsMs),
    malMisses: lagsMs.filter((lagMs) => lagMs > malMs).length,
  });
  const isDelayed = [...given.documents, ...given.events].flat().every(({ fault }) => /^(delay|hold)-/.test(fault));
  if (!isDelayed || given.prediction === 'wrong') return false;
  const broken = samples.filter(({ lagBoundMs, lateMs }) => lagBoundMs < lateMs - CLOCK_STEP_MS);
  expect(broken.length, `later than promised: ${JSON.stringify(broken[0])}`).toBe(0);
  return samples.length > 0;
}

/** What was read from one beginning, the first or after a gap. */
interface Part {
  readonly from: FaultSchedule['from'];
  readonly changes: readonly ReadChange[];
  /** Their sequence numbers. */
  readonly read: readonly number[];
  readonly isLast: boolean;
}

function partsOf({ changes }: FaultTrace, given: FaultSchedule): readonly Part[] {
  const parts: ReadChange[][] = [[]];
  for (const change of changes) {
    if (change.change.kind === 'gap') parts.push([]);
    else parts.at(-1)?.push(change);
  }
  return parts.map((part, index) => ({
    from: index === 0 ? given.from : 'latest',
    changes: part,
    read: part.map(({ change }) => change.member?.sequence as number),
    isLast: index === parts.length - 1,
  }));
}

/** What a reader may have been given from one beginning: the state at some sequence, and what followed it. */
interface RightPart {
  readonly state: readonly number[];
  readonly updates: readonly number[];
}

// What comes nearest to what was read, among all that would be right.
function rightPart(part: Part, members: readonly Member[]): RightPart {
  const { read, from, isLast } = part;
  const after = (sequence: number) => {
    const all = members.slice(sequence).map((member) => member.sequence);
    return isLast ? all : all.slice(0, Math.max(0, read.length));
  };
  if (from === 'start') return { state: [], updates: after(0) };
  if (from === 'now') return { state: [], updates: after((read[0] ?? members.length + 1) - 1) };
  const living = new Map<string, number>();
  let nearest: RightPart = { state: [], updates: after(0) };
  let found: RightPart | undefined;
  for (let head = 0; head <= members.length; head += 1) {
    const member = members[head - 1];
    if (member?.kind === 'delete') living.delete(member.entity);
    else if (member) living.set(member.entity, head);
    const state = [...living.values()].sort((left, right) => left - right);
    const right = isLast
      ? { state, updates: after(head) }
      : { state: state.slice(0, read.length), updates: after(head).slice(0, Math.max(0, read.length - state.length)) };
    const all = [...right.state, ...right.updates];
    // The last that fits: what may have been part of the state is not taken for an update.
    if (all.join() === read.join()) found = right;
    else if (all.length === read.length) nearest = right;
  }
  return found ?? nearest;
}

function publishedMs({ time }: Member): number {
  return Date.parse(time);
}

function mayLookLikeGap({ status, faults }: FaultyExchange): boolean {
  return status === 404 || status === 410 || faults.some(({ fault }) => fault === 'stale');
}

function isPastMending(fault: Fault): boolean {
  if (fault.fault === 'status') return fault.status === 404 || fault.status === 410;
  return fault.fault === 'html' || (fault.fault === 'drop' && /^(link|ldes-cursor|content-type)$/.test(fault.field));
}

// From what a cache without Age repeats, and a clock that is wrong, nobody can tell how old anything is.
function bendsTime({ fault }: Fault): boolean {
  return fault === 'date' || fault === 'age' || fault === 'stale';
}
