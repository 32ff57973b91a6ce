import { check, fc } from '@ldes-live/test-support/properties';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { liveQuery } from '../src/live-query.ts';
import { TIMER_SLACK_MS } from '../src/run/is-overrun.ts';
import { collect } from './run/collect.ts';
import { PushedSource } from './run/pushed-source.ts';
import { ScriptedEvaluator } from './run/scripted-evaluator.ts';
import { commit, state } from './views/sample-members.ts';

const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 3000 })), {
  minLength: 5,
  maxLength: 60,
});

/** Lets changes come after those gaps while evaluations take so long; gives what came of it. */
async function live(mal: number, gapsMs: readonly number[], evaluationsMs: readonly number[]) {
  const time = new VirtualTime();
  const source = new PushedSource();
  const evaluationMs = (index: number) => evaluationsMs[index % evaluationsMs.length]!;
  const evaluator = new ScriptedEvaluator({ time, evaluationMs });
  const { clock, sleep } = time;
  const collected = collect(liveQuery(source, 'ASK {}', { mal, evaluators: evaluator.factory, clock, sleep }));
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
  await collected.over;
  return { ...collected, evaluator, publishedMs };
}

test('QUERY-65 keeps the age of its answer within the MAL and the evaluation, and says overrun when it cannot', async () => {
  await check(
    fc.asyncProperty(
      fc.integer({ min: 100, max: 3000 }),
      gaps,
      fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 8 }),
      async (malMs, gapsMs, evaluationsMs) => {
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
      },
    ),
    { numRuns: 60 },
  );
});

test('QUERY-65 never says overrun while evaluations take no longer than the MAL', async () => {
  await check(
    fc.asyncProperty(
      fc.integer({ min: 100, max: 3000 }),
      gaps,
      fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 8 }),
      async (malMs, gapsMs, perMilles) => {
        const evaluationsMs = perMilles.map((perMille) => Math.floor((malMs * perMille) / 1000));
        const { results } = await live(malMs / 1000, gapsMs, evaluationsMs);
        expect(results.filter(({ overrun }) => overrun)).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});
