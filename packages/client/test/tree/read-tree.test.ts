import { until, VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { PollPlanner } from '../../src/connection/poll-planner.ts';
import { waitForPoll } from '../../src/follow/pull.ts';
import { chooseWay } from '../../src/follow/push.ts';
import type { FollowRun } from '../../src/follow/run.ts';
import type { FollowEvent, StateOf } from '../../src/follow/state.ts';
import type { Change, FollowOptions } from '../../src/index.ts';
import { DEFAULT_LIMITS } from '../../src/options.ts';
import { lagBoundOf } from '../../src/status.ts';
import { currentAt, planRun } from '../../src/tree/pages.ts';
import { Wakeup } from '../../src/waiting.ts';
import { caughtUp, clientOf, reading, take, testLimits, turns } from '../support/setup-origin.ts';
import { BASE } from './model-publisher.ts';
import { at, member, ROOT, run, runOf, ScriptedPages } from './scripted-pages.ts';

const DAY = '2026-03-01T';
const HOUR_MS = 3_600_000;

/** Pages at a client's clock. */
function setUp(pages: ScriptedPages['pages']) {
  const time = new VirtualTime({ waits: 'at once' });
  const scripted = new ScriptedPages(pages);
  Object.defineProperty(scripted, 'nowMs', { get: () => time.nowMs });
  const client = clientOf({ time }, { mal: 10, fetch: scripted.fetch });
  const follow = (request: FollowOptions, path = '/root') => client.follow(BASE + path, request);
  return { time, scripted, follow };
}

/** What a change brought. */
function told(changes: readonly Change[]): string[] {
  return changes.map(({ kind, member: brought }) => brought?.id.slice(BASE.length + 1) ?? kind);
}

test('READ-19 an opening that failed is tried again', async () => {
  const { scripted, follow } = setUp({ '/s': '<s> tree:view <root> .', '/root': { status: 503 } });
  const changes = take(reading(follow({}, '/s')), 1);
  await until(() => scripted.requests.length === 2);
  scripted.pages['/root'] = ROOT + member('a1', `${DAY}01:00:00Z`);
  expect(told(await changes)).toEqual(['a1']);
});

const HOUR = 'Duration "PT1H"^^xsd:duration';
const keeping = (policy: string) => `<root> ldes:retentionPolicy <r> . <r> ${policy} .`;
const KEPT = keeping(`ldes:fullLog${HOUR}`);

/** The state after a first run, read anew so long after it. */
async function resumedAfter(ms: number, policy = KEPT, request: FollowOptions = {}) {
  const setup = setUp({ '/root': ROOT + policy + member('a1', `${DAY}11:00:00Z`) });
  const { time, scripted, follow } = setup;
  const first = follow({ from: 'start' });
  const atHead = caughtUp(first);
  const iterator = reading(first);
  expect(told(await take(iterator, 1))).toEqual(['a1']);
  void iterator.next().catch(() => {});
  await atHead;
  const state = JSON.parse(JSON.stringify(first.state));
  await iterator.return?.();
  await time.pass(ms);
  scripted.pages['/root'] = ROOT + policy + member('b1', `${DAY}12:30:00Z`) + member('b2', `${DAY}12:40:00Z`);
  return { ...setup, follower: follow({ from: 'start', ...request, state }), state };
}

test.each([
  ['an hour', HOUR_MS - 60_000, KEPT, ['b1', 'b2']],
  ['an hour', HOUR_MS + 60_000, KEPT, ['gap', 'b2']],
  ['less than the MAL', 5_000, KEPT.replace('PT1H', 'PT1S'), ['b1', 'b2']],
  ['nothing said', 100 * HOUR_MS, '', ['b1', 'b2']],
  ['versions only', 100 * HOUR_MS, keeping('ldes:versionAmount 1'), ['b1', 'b2']],
  ['versions for an hour', HOUR_MS + 60_000, keeping(`ldes:versionAmount 1 ; ldes:version${HOUR}`), ['gap', 'b2']],
  ['deletes for an hour', HOUR_MS + 60_000, keeping(`ldes:versionDelete${HOUR}`), ['gap', 'b2']],
  ['old terms', HOUR_MS + 60_000, keeping('a ldes:DurationAgoPolicy ; tree:value "PT1H"^^xsd:duration'), ['b1', 'b2']],
  ['what is after the state', HOUR_MS, keeping(`ldes:startingFrom ${at(`${DAY}12:15:00Z`)}`), ['gap', 'b2']],
])('READ-35 of a publisher that keeps %s, after %i ms', async (_, ms, policy, expected) => {
  const { follower } = await resumedAfter(ms, policy);
  expect(told(await take(reading(follower), 2))).toEqual(expected);
  expect(follower.status.gaps).toBe(expected[0] === 'gap' ? 1 : 0);
});

test('READ-35 the gap says where from, is told until it was read, and once', async () => {
  const { follower, state, follow } = await resumedAfter(2 * HOUR_MS);
  expect(follower.state).toEqual(state);
  const iterator = reading(follower);
  const [gap] = await take(iterator, 1);
  expect(gap).toEqual({ kind: 'gap', from: 'tree-1', cursor: 'tree-0', via: 'pull' });
  const after = JSON.parse(JSON.stringify(follower.state));
  await iterator.return?.();
  expect(told(await take(reading(follow({ state: after })), 1))).toEqual(['b2']);
});

test('READ-35 a reader who slept for longer than is kept is told a gap, one whose clock was set is not', async () => {
  for (const isSet of [false, true]) {
    const { time, scripted, follow } = setUp({ '/root': ROOT + KEPT + member('a1', `${DAY}11:00:00Z`) });
    const changes = take(reading(follow({ from: 'start' })), 2);
    await until(() => scripted.requests.length > 2);
    if (isSet) Object.defineProperty(scripted, 'nowMs', { get: () => time.nowMs - 2 * HOUR_MS });
    time.nowMs += 2 * HOUR_MS;
    time.expire(testLimits.watchMs);
    scripted.pages['/root'] = ROOT + KEPT + member('b1', `${DAY}13:30:00Z`);
    expect(told(await changes)).toEqual(['a1', isSet ? 'b1' : 'gap']);
  }
});

/** A planner whose poll is planned already. */
function planned(atMs: number, lagBoundMs: number): PollPlanner {
  const planner = new PollPlanner(0.5, () => 0);
  planner.planned({ atMs, lagBoundMs }, 0);
  return planner;
}

test('READ-25 what another follower plans changes nothing of the lag bound of a tree', () => {
  const [own, shared] = [planned(500, 1_000), planned(500, 7_000)];
  const bound = (stream: object) => {
    const state = { name: 'waiting', stream, currentToMs: 0 };
    return lagBoundOf({ state, connection: { planner: shared }, options: { clock: () => 0 } } as unknown as FollowRun);
  };
  expect([bound({ kind: 'tree', planner: own }), bound({ kind: 'live' })]).toEqual([1_000, 7_000]);
});

test.each([
  [{ kind: 'tree', planner: planned(9_000, 1) }, 9_000, false],
  [{ kind: 'live' }, 500, true],
])('READ-25 the poll of another follower has no tree looked at before its time: %o', async (stream, dueMs, isWoken) => {
  const polled = new Wakeup();
  let due = () => {};
  let untilMs = 0;
  const sleepUntil = (atMs: number) => {
    untilMs = atMs;
    return new Promise<void>((resolve) => {
      due = resolve;
    });
  };
  const connection = { planner: planned(500, 1), polled, changed: new Wakeup(), malMs: 1_000, jumps: { sleepUntil } };
  const { signal } = new AbortController();
  const gate = { isBefore: () => false };
  const followRun = { signal, gate, connection, options: { clock: () => 0 } } as unknown as FollowRun;
  const state = { name: 'waiting', stream, choice: { malMs: 1_000 } } as unknown as StateOf<'waiting'>;
  const events: FollowEvent[] = [];
  const waiting = waitForPoll(followRun, state).then((event) => events.push(event));
  expect(untilMs).toBe(dueMs);
  polled.notify();
  await turns(1);
  expect(events).toHaveLength(isWoken ? 1 : 0);
  due();
  await waiting;
  expect(events).toEqual([{ name: 'due' }]);
});

test.each(['all', 'newest'] as const)('READ-35 caught up after a gap that nothing follows: %s', async (versions) => {
  const { scripted, follower } = await resumedAfter(2 * HOUR_MS, KEPT, { versions });
  scripted.pages['/root'] = ROOT + KEPT;
  const iterator = reading(follower);
  const atHead = caughtUp(follower);
  expect(told(await take(iterator, 1))).toEqual(['gap']);
  void iterator.next().catch(() => {});
  await atHead;
  expect(follower.status.isCaughtUp).toBe(true);
});

test('READ-20 a page that a loop was left in the middle of is read to its end by the next', async () => {
  const { follow } = setUp({ '/root': ROOT + ['a1', 'b1', 'c1'].map((id) => member(id, `${DAY}01:00:00Z`)).join('') });
  const follower = follow({ from: 'start' });
  for await (const { member } of follower) {
    expect(member?.id).toBe(`${BASE}/a1`);
    break;
  }
  expect(told(await take(reading(follower), 2))).toEqual(['b1', 'c1']);
});

test('READ-32 members before one that is too large are delivered, then the loop throws', async () => {
  const large = Array.from({ length: DEFAULT_LIMITS.memberQuads + 1 }, (_, at) => `<b1> ex:value ${at} .`).join('');
  const { follow } = setUp({ '/root': `${ROOT}${member('a1', `${DAY}01:00:00Z`)}<s> tree:member <b1> . ${large}` });
  const iterator = reading(follow({ from: 'start' }));
  expect(told(await take(iterator, 1))).toEqual(['a1']);
  await expect(iterator.next()).rejects.toMatchObject({ code: 'ERR_TREE_MEMBER_TOO_LARGE' });
});

test.each([
  ['8640000000000000', true],
  ['8640000000000001', false],
  ['-8640000000000000', true],
  ['-8640000000000001', false],
  // As nanoseconds are.
  ['1767225600000000000', false],
])('READ-12 a time of %s ms is one: %s', async (ms, isTime) => {
  const { members, scripted } = await runOf(`${ROOT}<s> tree:member <a1> . <a1> ex:at "${ms}"^^xsd:long .`);
  expect(members[0]?.time).toBe(new Date(isTime ? Number(ms) : scripted.nowMs).toISOString());
});

test('MAL-37 a tree whose own plan cannot keep the MAL says so', () => {
  const connection = { planner: new PollPlanner(0.5, () => 0), malMs: 1_000, preferred: undefined };
  const notes: Parameters<FollowRun['note']>[0][] = [];
  const gate = { deliveryMs: () => 0 };
  const followRun = { connection, gate, note: (more: object) => notes.push(more) } as unknown as FollowRun;
  const stream = { kind: 'tree', planner: planned(500, 9_000) };
  const state = { name: 'choosing', stream, choice: { malMs: 1_000 } } as unknown as StateOf<'choosing'>;
  expect(chooseWay(followRun, state)).toEqual({ name: 'chose-pull' });
  expect(notes[0]?.choice?.reason).toMatch(/^MAL 1 s cannot be met: updates are up to 9 s late/);
});

const heads = [
  { sentMs: 100_000, ageMs: 2_000 },
  { sentMs: 100_050, ageMs: 0 },
];
const usual = { heads, malMs: 10_000, readMs: 500, clockOffsetMs: 0, phase: 0.5 };

test.each([0, 0.3, 0.999])('READ-25 at phase %d nothing is later than the MAL, from the oldest page on', (phase) => {
  const { atMs, lagBoundMs } = planRun({ ...usual, phase });
  const currentAtMs = currentAt(heads);
  expect(currentAtMs).toBe(98_000);
  expect(atMs).toBeGreaterThan(100_050);
  expect(atMs - currentAtMs + 500).toBeLessThanOrEqual(10_000);
  expect(lagBoundMs).toBe(atMs - currentAtMs + 500);
});

test('READ-25 where all pages say when they change next, they are asked for after that', () => {
  const predicted = heads.map((head) => ({ ...head, nextUpdateMs: 160_000 }));
  const { atMs, lagBoundMs } = planRun({ ...usual, heads: predicted });
  expect(atMs).toBeGreaterThanOrEqual(160_000);
  expect(atMs).toBeLessThanOrEqual(169_500);
  expect(lagBoundMs).toBeLessThanOrEqual(10_000);
});

test('READ-25 MAL-81 pages that say that they change in years are asked for within the MAL', () => {
  const far = heads.map((head) => ({ ...head, nextUpdateMs: Date.parse('9999-01-01') }));
  expect(planRun({ ...usual, heads: far }).atMs).toBeLessThanOrEqual(107_500);
});

test('READ-26 within the MAL, copies end first and the wish of the publisher is met', () => {
  const fresh = [{ ...heads[0]!, freshUntilMs: 107_400 }, heads[1]!];
  expect(planRun({ ...usual, heads: fresh, phase: 0 }).atMs).toBeGreaterThanOrEqual(107_400);
  expect(planRun({ ...usual, pollingIntervalMs: 7_000, phase: 0 }).atMs).toBeGreaterThanOrEqual(107_050);
});

test('READ-26 beyond the MAL, the MAL goes before', () => {
  const fresh = heads.map((head) => ({ ...head, freshUntilMs: 500_000 }));
  const { atMs, lagBoundMs } = planRun({ ...usual, heads: fresh, pollingIntervalMs: 60_000 });
  expect(atMs).toBeLessThanOrEqual(107_500);
  expect(lagBoundMs).toBeLessThanOrEqual(10_000);
});

test.each<[Record<string, string>, string | undefined]>([
  [{ 'cache-control': 'public, max-age=600' }, 'no-cache'],
  [{ 'cache-control': 'public, max-age=5' }, undefined],
  [{ 'cache-control': 'public, max-age=5', age: '3' }, undefined],
  [{ expires: 'Thu, 01 Jan 2026 12:10:00 GMT' }, 'no-cache'],
  [{ expires: 'Thu, 01 Jan 2026 11:00:00 GMT' }, undefined],
])('READ-26 a copy of %o that would be reused for longer is revalidated: %s', async (headers, cache) => {
  const pages = new ScriptedPages({ '/root': { text: ROOT + member('a1', '01:00'), headers } });
  const reading = await pages.open();
  await run(reading);
  pages.nowMs = reading.plan(10_000).atMs;
  await run(reading);
  expect(pages.asked.at(-1)?.cache).toBe(cache);
});

test('READ-25 a smaller MAL that comes to a shared reading counts at once', async () => {
  const reading = await new ScriptedPages(ROOT).open();
  await run(reading);
  const sooner = reading.plan(1_000);
  expect(sooner.atMs).toBeLessThan(reading.plan(10_000).atMs);
  expect(sooner.lagBoundMs).toBeLessThanOrEqual(1_000);
});
