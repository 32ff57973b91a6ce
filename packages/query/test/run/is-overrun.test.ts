import { expect, test } from 'vitest';
import { type EvaluationRecord, isOverrun, TIMER_SLACK_MS } from '../../src/run/is-overrun.ts';

test('QUERY-64 an evaluation, a wait and a lag may each be as long as the MAL, and no longer', () => {
  const kept: EvaluationRecord = {
    malMs: 1000,
    startMs: 5000,
    evaluationMs: 1000,
    oldestArrivalMs: 4000 - TIMER_SLACK_MS,
    completeToMs: 4000 - TIMER_SLACK_MS,
    behindMs: 1000 + TIMER_SLACK_MS,
  };
  expect(isOverrun(kept)).toBe(false);
  expect(isOverrun({ ...kept, evaluationMs: 1000.1 })).toBe(true);
  expect(isOverrun({ ...kept, oldestArrivalMs: 3999 - TIMER_SLACK_MS })).toBe(true);
  expect(isOverrun({ ...kept, completeToMs: 3999 - TIMER_SLACK_MS })).toBe(true);
  expect(isOverrun({ ...kept, behindMs: 1001 + TIMER_SLACK_MS })).toBe(true);
  expect(isOverrun({ ...kept, oldestArrivalMs: undefined, completeToMs: undefined })).toBe(false);
});
