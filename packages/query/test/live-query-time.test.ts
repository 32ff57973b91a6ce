import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { MOST_EVENTS_TAKEN, TIMER_SLACK_MS } from '../src/run/timing.ts';
import type { CommitSource, SourceEvent } from '../src/source.ts';
import { PushedSource, run, START_MS, scripted } from './run/live-fixture.ts';
import { commit, state } from './views/sample-members.ts';

test('QUERY-61 evaluates first without a source that says nothing for a MAL, but not without any', async () => {
  const sources = [new PushedSource(), new PushedSource()];
  const { time, since, results } = run({}, {}, sources);
  await time.pass(300);
  sources[0]!.push(state());
  await time.pass(2000);
  expect(since('start')).toEqual([1000]);
  expect(results[0]).toMatchObject({ cursors: ['a-0', undefined], dataAsOf: new Date(0) });
  const silent = run();
  await silent.time.pass(5000);
  expect(silent.since('start')).toEqual([]);
});

test('QUERY-61 evaluates at once for a change when the last one began a MAL ago, and else when it did', async () => {
  const { time, since, source } = run({}, { mal: 2 });
  source.push(state());
  await time.pass(5000);
  source.push(commit({ sequence: 1 }));
  await time.pass(700);
  source.push(commit({ sequence: 2 }));
  await time.pass(600);
  source.push(commit({ sequence: 3 }));
  await time.pass(9000);
  expect(since('start')).toEqual([0, 5000, 7000]);
});

test('QUERY-61 evaluates as much more often as the sources are behind, but twice in a MAL at most', async () => {
  for (const [lagMs, intervalMs] of [
    [0, 2000],
    [300, 1700],
    [1000, 1000],
    [1900, 1000],
    [50_000, 1000],
    [-500, 2000],
  ] as const) {
    const source = new PushedSource(() => time.nowMs - lagMs);
    const { time, since } = run({}, { mal: 2 }, source);
    for (let sequence = 1; sequence <= 100; sequence += 1) {
      source.push(commit({ sequence }));
      await time.pass(100);
    }
    const starts = since('start');
    for (const [index, startMs] of starts.entries())
      if (index > 0) expect(startMs - starts[index - 1]!).toBe(intervalMs);
    expect(starts.length).toBeGreaterThan(4);
  }
});

test('QUERY-61 takes in what has come before it evaluates, so that a slow query does not fall ever further behind', async () => {
  const { time, evaluator, since, source } = run({ evaluationMs: () => 3000 });
  for (let sequence = 1; sequence <= 600; sequence += 1) {
    source.push(commit({ sequence }));
    await time.pass(100);
  }
  await time.pass(10_000);
  expect(since('apply')).toHaveLength(600);
  expect(since('start').length).toBeLessThanOrEqual(22);
  const firstOfNext = evaluator.happenings.findLastIndex(({ what }) => what === 'start');
  expect(evaluator.happenings.slice(0, firstOfNext).filter(({ what }) => what === 'apply')).toHaveLength(600);
});

test('QUERY-61 evaluates though a source never stops bringing', async () => {
  let sequence = 0;
  const endless: CommitSource = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false, value: commit({ sequence: ++sequence }) }),
    }),
  };
  const { evaluator, query } = scripted({}, {}, endless);
  for await (const result of query) if (result.sequence === 0) break;
  expect(evaluator.times('apply').length).toBeGreaterThan(MOST_EVENTS_TAKEN);
  expect(evaluator.times('apply').length).toBeLessThan(MOST_EVENTS_TAKEN + 5);
});

test('does not evaluate for what cannot matter, and lets its status say that the answer holds still', async () => {
  const matters = (event: SourceEvent) => event.members[0]?.entity !== 'urn:x:no';
  const { time, since, source, query } = run({ matters });
  source.push(commit({ sequence: 1, timeMs: START_MS - 500 }));
  await time.pass(5000);
  source.push(commit({ sequence: 2, entity: 'urn:x:no', timeMs: START_MS + 4000 }));
  await time.pass(100);
  expect(since('start')).toEqual([0]);
  expect(query.status).toMatchObject({
    evaluations: 1,
    skipped: 1,
    dataAsOf: new Date(START_MS + 4000),
    sources: [{ cursor: 'a-2' }],
    evaluatedAt: new Date(START_MS),
  });
  source.push(commit({ sequence: 3, timeMs: START_MS + 4500 }));
  await time.pass(10);
  source.push(commit({ sequence: 4, timeMs: START_MS + 4600 }));
  await time.pass(10);
  expect(query.status.dataAsOf).toEqual(new Date(START_MS + 4500));
  await time.pass(1000);
  expect(query.status).toMatchObject({ evaluations: 3, dataAsOf: new Date(START_MS + 4600) });
});

test('QUERY-2 a source stands at the cursor and the publication of the last that it brought', async () => {
  const { time, source, query } = run();
  for (const [event, cursor, dataAsOfMs] of [
    [commit({ sequence: 3, timeMs: 500 }), 'a-3', 500],
    [state({ sequence: 1, timeMs: 300 }, { sequence: 2, timeMs: 200 }), 'a-0', 300],
    [state(), 'a-0', 0],
  ] as const) {
    source.push(event);
    await time.pass(2000);
    expect(query.status).toMatchObject({ dataAsOf: new Date(dataAsOfMs), sources: [{ cursor }] });
  }
});

test('the status says as of when an answer is only once there is one', async () => {
  const { time, source, query } = run({ evaluationMs: () => 400 });
  source.push(state());
  await time.pass(300);
  expect(query.status).toMatchObject({ evaluations: 0, dataAsOf: undefined });
  await time.pass(300);
  expect(query.status).toMatchObject({ evaluations: 1, dataAsOf: expect.any(Date) });
});

test('looks up what its sources claim though they bring nothing', async () => {
  const source = new PushedSource(() => time.nowMs - 10);
  const { time, query } = run({}, {}, source);
  source.push(state());
  await time.pass(60_000);
  expect(query.status.evaluations).toBe(1);
  expect(query.status.dataAsOf!.getTime()).toBeGreaterThanOrEqual(time.nowMs - 1010);
});

test('evaluates a query that changes with time once in a MAL without any change', async () => {
  const { time, since, source, results } = run({ explanation: { isVolatile: true } }, { mal: 5 });
  source.push(state());
  await time.pass(20_500);
  expect(since('start')).toEqual([0, 5000, 10_000, 15_000, 20_000]);
  expect(results).toHaveLength(1);
});

test('QUERY-64 says overrun of an evaluation that takes longer than the MAL, and of sources that are further behind', async () => {
  for (const [tookMs, evaluationMs, lagMs, overrun] of [
    [1000, 1000, 0, false],
    [1001, 1001, 0, true],
    // In another thread, the way there and back counts as well.
    [1001, 5, 0, true],
    [0, 0, 1050, false],
    [0, 0, 1051, true],
  ] as const) {
    const source = new PushedSource(() => time.nowMs - lagMs);
    const { time, results, query } = run({ evaluationMs: () => tookMs, says: { evaluationMs } }, {}, source);
    source.push(state());
    await time.pass(3000);
    expect(results.map((result) => result.overrun)).toEqual([overrun]);
    expect(query.status.overruns).toBe(overrun ? 1 : 0);
    expect(results[0]!.evaluationMs).toBe(evaluationMs);
  }
});

test('QUERY-64 says overrun of a change that had waited too long, be it for the evaluation before or for the reader', async () => {
  const { time, source, query } = scripted();
  const iterator = query[Symbol.asyncIterator]();
  source.push(state());
  await iterator.next();
  for (const waitedMs of [1050, 1051]) {
    // The reader has the next one asked for, and is given the result, while it is slow.
    source.push(commit({ sequence: waitedMs }));
    await time.pass(waitedMs);
    const { value } = await iterator.next();
    expect(value!.overrun).toBe(waitedMs === 1051);
  }
});

test('QUERY-64 says overrun of the first answer after its source was further behind than the MAL, be it as good as new', async () => {
  for (const outageMs of [900, 5000]) {
    let lostAtMs: number | undefined;
    const source = new PushedSource(() => lostAtMs ?? time.nowMs);
    const { time, results } = run({}, {}, source);
    source.push(state());
    await time.pass(2000);
    lostAtMs = time.nowMs;
    await time.pass(outageMs);
    // It goes on: with what is new, and all there is.
    source.push(commit({ sequence: 1 }));
    lostAtMs = undefined;
    await time.pass(1000);
    source.push(commit({ sequence: 2 }));
    await time.pass(1000);
    expect(results.map((result) => result.overrun)).toEqual([false, outageMs === 5000, false]);
  }
});

test('the status tells the trouble of each source while it lasts, and which has brought nothing', async () => {
  const sources = [new PushedSource(), new PushedSource()];
  Object.assign(sources[0]!, { url: 'urn:x:stream' });
  const { time, query } = run({}, {}, sources);
  sources[1]!.trouble = () => 'in trouble';
  expect(query.status.sources).toEqual([
    { url: 'urn:x:stream', cursor: undefined, trouble: undefined },
    { url: undefined, cursor: undefined, trouble: 'in trouble' },
  ]);
  sources[0]!.push(state());
  await time.pass(10);
  sources[1]!.trouble = () => undefined;
  expect(query.status.sources).toMatchObject([{ cursor: 'a-0' }, { cursor: undefined, trouble: undefined }]);
});

test('makes the last evaluation when all sources have ended, tells of it and ends', async () => {
  const { time, since, source, results, over } = run();
  source.push(state());
  await time.pass(100);
  source.push(commit({ sequence: 1 }));
  source.end();
  await over;
  expect(since('start')).toEqual([0, 100]);
  expect(results.map(({ cursors }) => cursors[0])).toEqual(['a-0', 'a-1']);
  expect(time.nowMs - START_MS).toBe(100);
});

test('tells of the answer over the data alone where sources end without bringing anything', async () => {
  const { source, results, over } = run();
  source.end();
  await over;
  expect(results).toHaveLength(1);
});

const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 3000 })), {
  minLength: 5,
  maxLength: 60,
});

/** Lets changes come after those gaps while evaluations take so long; gives what came of it. */
async function live(mal: number, gapsMs: readonly number[], evaluationsMs: readonly number[]) {
  const evaluationMs = (index: number) => evaluationsMs[index % evaluationsMs.length]!;
  const { time, source, evaluator, results, over } = run({ evaluationMs }, { mal });
  source.push(state());
  const publishedMs = [time.nowMs];
  for (const [index, gapMs] of gapsMs.entries()) {
    await time.pass(gapMs);
    publishedMs.push(time.nowMs);
    source.push(commit({ sequence: index + 1 }));
  }
  await time.pass(100_000);
  source.end();
  await time.pass(100_000);
  await over;
  return { results, evaluator, publishedMs };
}

const mals = fc.integer({ min: 100, max: 3000 });
const upTo = (max: number) => fc.array(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 8 });

test('QUERY-64 keeps the age of its answer within the MAL and the evaluation, and says overrun when it cannot', async () => {
  const property = fc.asyncProperty(mals, gaps, upTo(5000), async (malMs, gapsMs, evaluationsMs) => {
    const { evaluator, results, publishedMs } = await live(malMs / 1000, gapsMs, evaluationsMs);
    const [starts, ends] = [evaluator.times('start'), evaluator.times('end')];
    let seen = 0;
    for (const [index, result] of results.entries()) {
      const [startMs, endMs] = [starts[index]!, ends[index]!];
      if (index > 0) expect(startMs - starts[index - 1]!).toBeGreaterThanOrEqual(malMs);
      const stands = Number(result.cursors[0]!.slice(2));
      // The oldest change that nobody was told of before is the one whose age counts.
      const ageMs = publishedMs[seen] === undefined ? 0 : endMs - publishedMs[seen]!;
      if (!result.overrun) expect(ageMs).toBeLessThanOrEqual(malMs + (endMs - startMs) + TIMER_SLACK_MS);
      else expect(endMs - startMs > malMs || startMs - publishedMs[seen]! > malMs + TIMER_SLACK_MS).toBe(true);
      seen = stands + 1;
    }
    expect(seen).toBe(publishedMs.length);
  });
  await check(property, { numRuns: 60 });
});

test('QUERY-64 never says overrun while evaluations take no longer than the MAL', async () => {
  const property = fc.asyncProperty(mals, gaps, upTo(1000), async (malMs, gapsMs, perMilles) => {
    const evaluationsMs = perMilles.map((perMille) => Math.floor((malMs * perMille) / 1000));
    const { results } = await live(malMs / 1000, gapsMs, evaluationsMs);
    expect(results.filter(({ overrun }) => overrun)).toEqual([]);
  });
  await check(property, { numRuns: 60 });
});
