import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { evaluateHere } from '../src/evaluate/evaluator.ts';
import { liveQuery } from '../src/live-query.ts';
import type { TimeWindowOptions } from '../src/options.ts';
import type { BindingsResult, LiveResult } from '../src/result.ts';
import type { CommitSource } from '../src/source.ts';
import { collect, PushedSource, run, scripted } from './run/live-fixture.ts';
import { commit, type SampleMember, state } from './views/sample-members.ts';

const START_MS = 1_000_000_000;
const WORDS = 'SELECT ?word { ?s ?p ?word }';

/** What a window had: its opening and close after the start in seconds, and its members by what they say. */
function windows(results: readonly LiveResult[]): string[] {
  return (results as readonly BindingsResult[]).map(({ window, added }) => {
    const [open, close] = [window!.open, window!.close].map((instant) => (instant.getTime() - START_MS) / 1000);
    const words = added.map(({ word }) => word!.value).sort();
    return `${open}-${close}: ${words.join(' ')}`;
  });
}

/** Each window as a whole. */
function windowed(
  sources: CommitSource | readonly CommitSource[],
  window: Omit<TimeWindowOptions, 'type'>,
  nowMs = START_MS,
) {
  const time = new VirtualTime({ startMs: nowMs });
  const { clock, sleep } = time;
  const options = { clock, sleep, window: { type: 'time', ...window }, output: 'rstream' } as const;
  const query = liveQuery(sources, WORDS, { ...options, evaluators: evaluateHere });
  return Object.assign(collect(query), { time, query });
}

/** Members that came so many seconds after the start, and say so. */
const at = (...seconds: readonly number[]): SampleMember[] =>
  seconds.map((second) => ({
    sequence: Math.round(second * 1000) + 1,
    timeMs: START_MS + second * 1000,
    says: [`${second}`],
  }));

/** A virtual clock cannot know that the engine is being loaded. */
async function begun(seen: ReturnType<typeof windowed>, count: number): Promise<void> {
  for (let turns = 0; turns < 2000 && seen.results.length < count; turns += 1) {
    await seen.time.settled();
    if (seen.results.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('QUERY-66 tells a window as soon as a newer member shows that it is complete', async () => {
  const source = new PushedSource();
  const seen = windowed(source, { range: 10, step: 10 });
  source.push(...at(1, 9.999, 10).map((member) => commit(member)));
  await begun(seen, 1);
  expect(windows(seen.results)).toEqual(['0-10: 1 9.999']);
  expect(seen.time.nowMs).toBe(START_MS);
});

test('QUERY-66 closes the windows of a source that is idle by the clock', async () => {
  const source = new PushedSource();
  const seen = windowed(source, { range: 10, step: 10 });
  source.push(...at(0, 10.5).map((member) => commit(member)));
  await begun(seen, 1);
  await seen.time.pass(10_499);
  expect(windows(seen.results)).toEqual(['0-10: 0']);
  await seen.time.pass(1);
  await begun(seen, 2);
  expect(windows(seen.results)).toEqual(['0-10: 0', '10-20: 10.5']);
  source.push(commit(...at(31)));
  await seen.time.pass(60_000);
  await begun(seen, 3);
  expect(windows(seen.results)).toEqual(['0-10: 0', '10-20: 10.5', '30-40: 31']);
  expect(seen.query.status).toMatchObject({ lateMembers: 0, overruns: 0 });
});

test('QUERY-66 tells a window when a source that claims completeness has brought all of it by its claim', async () => {
  let completeToMs = START_MS;
  const source = new PushedSource(() => completeToMs);
  const seen = windowed(source, { range: 10, step: 10 });
  source.push(commit(...at(1)));
  await seen.time.pass(60_000);
  expect(windows(seen.results)).toEqual([]);
  completeToMs = START_MS + 10_000;
  await seen.time.pass(1000);
  await begun(seen, 1);
  expect(windows(seen.results)).toEqual(['0-10: 1']);
  expect(seen.results[0]!.dataAsOf.getTime()).toBe(START_MS + 10_000);
});

test('QUERY-36 a recording of long ago gives all its windows in order, with all members', async () => {
  const seconds = Array.from({ length: 400 }, (_, index) => (index * 700) / 1000);
  const source: CommitSource = {
    async *[Symbol.asyncIterator]() {
      for (const [index, member] of at(...seconds).entries()) {
        yield commit(member);
        // It takes its time now and then.
        if (index % 60 === 59) await new VirtualTime().settled();
      }
    },
  };
  const seen = windowed(source, { range: 10, step: 5 }, START_MS + 1e10);
  await seen.over;
  expect(seen.error).toBeUndefined();
  const expected: string[] = [];
  for (let open = -5; open <= 275; open += 5) {
    const members = seconds.filter((second) => second >= open && second < open + 10);
    expected.push(`${open}-${open + 10}: ${members.map(String).sort().join(' ')}`);
  }
  expect(windows(seen.results)).toEqual(expected);
  expect(seen.query.status.lateMembers).toBe(0);
});

test('QUERY-66, QUERY-36 waits for members in disorder as long as is allowed, and counts those that come later', async () => {
  const source = new PushedSource();
  const seen = windowed(source, { range: 10, step: 10, time: 'version', allowedLateness: 5 }, START_MS + 1e9);
  const ms = (second: number) => START_MS + 1000 * second;
  for (const [index, second] of [1, 12, 9, 14.999, 8, 15, 7, 26].entries())
    source.push(commit({ sequence: index + 1, timeMs: ms(index), versionMs: ms(second), says: [`${second}`] }));
  source.end();
  await seen.over;
  expect(windows(seen.results)).toEqual(['0-10: 1 8 9', '10-20: 12 14.999 15', '20-30: 26']);
  expect(seen.query.status.lateMembers).toBe(1);
});

test('tells the windows that are left when the sources have ended, and ends', async () => {
  const source = new PushedSource();
  const seen = windowed(source, { range: 10, step: 5 });
  source.push(commit(...at(1)));
  source.end();
  await seen.over;
  expect(windows(seen.results)).toEqual(['-5-5: 1', '0-10: 1']);
});

test("tells the windows that are left though the source ends while a result is in its reader's hands", async () => {
  const closes = [1_001_000, 1_002_000];
  const { time, source, query } = scripted({ explanation: { view: 'time' }, closes });
  const iterator = query[Symbol.asyncIterator]();
  source.push(commit({ sequence: 1, timeMs: closes[0]! }));
  const told = [(await iterator.next()).value];
  source.end();
  await time.settled();
  told.push((await iterator.next()).value);
  expect(told.map((result) => result?.window?.close.getTime())).toEqual(closes);
  expect((await iterator.next()).done).toBe(true);
});

test('the status says what the last window holds while members of the next one come', async () => {
  const { time, source, query, results } = run({ explanation: { view: 'time' }, closes: [1_001_000] });
  source.push(commit({ sequence: 1, timeMs: 1_001_000 }));
  await time.pass(10);
  source.push(commit({ sequence: 2, timeMs: 1_001_500 }));
  await time.pass(10);
  expect(results).toHaveLength(1);
  expect(query.status.dataAsOf).toEqual(results[0]!.dataAsOf);
});

test('QUERY-66 lets time go on from the newest member that ever came, though a state begins anew', async () => {
  const closes = [1_001_000, 1_003_000];
  const { time, source, since } = run({ explanation: { view: 'time' }, closes });
  source.push(commit({ sequence: 1, timeMs: 1_001_000 }));
  await time.pass(10);
  source.push(state({ sequence: 1, timeMs: 1_000_100 }));
  await time.pass(5000);
  expect(since('start')).toEqual([0, 3010]);
});

test('QUERY-66 waits for the source that is behind', async () => {
  const [fast, slow] = [new PushedSource(), new PushedSource()];
  const seen = windowed([fast, slow], { range: 10, step: 10 });
  fast.push(commit(...at(1)), commit(...at(25)));
  slow.push(commit({ ...at(2)[0]!, says: ['slow 2'] }));
  await seen.time.pass(500);
  expect(seen.results).toEqual([]);
  slow.push(commit({ ...at(12)[0]!, says: ['slow 12'] }));
  await begun(seen, 1);
  expect(windows(seen.results)).toEqual(['0-10: 1 slow 2']);
  slow.end();
  await begun(seen, 2);
  expect(windows(seen.results)[1]).toBe('10-20: slow 12');
});

test('QUERY-66 closes no window by a claim about a member that is on its way yet', async () => {
  let handedOut = 0;
  // Each member is handed out at the very moment that the source is asked for its claim, which is about that member too.
  const source = new PushedSource(() => {
    if (source.asked > handedOut && handedOut < 3) {
      source.push(commit(...at(10 * handedOut + 3)));
      handedOut += 1;
    }
    return START_MS + 10_000 * handedOut;
  });
  const seen = windowed(source, { range: 10, step: 10 }, START_MS + 60_000);
  await begun(seen, 3);
  expect(windows(seen.results)).toEqual(['0-10: 3', '10-20: 13', '20-30: 23']);
  expect(seen.query.status.lateMembers).toBe(0);
});
