import { expect, test } from 'vitest';
import { unsteadyLimitOf } from '../../src/e4/unsteady-limit.ts';
import { madeRound } from './made-round.ts';

const LATE = Array.from({ length: 100 }, () => 200);
const kept = (perSecond: number) => madeRound({ perSecond });
const late = (perSecond: number) => madeRound({ perSecond, delaysMs: LATE });

test('a limit is unsteady where a rate was kept above one that was not', () => {
  expect(unsteadyLimitOf([kept(1000), late(1189), kept(2825), kept(6711), late(8000)])).toEqual({
    leastFailed: 1189,
    greatestKept: 6711,
  });
});

test('it is steady where repeats differ at one rate alone, and where all or none were kept', () => {
  expect(unsteadyLimitOf([kept(1000), late(1189), kept(1189), late(1414)])).toBeUndefined();
  expect(unsteadyLimitOf([kept(1000), kept(2000)])).toBeUndefined();
  expect(unsteadyLimitOf([late(1000)])).toBeUndefined();
});

test('a rate at which the load was saturated was not kept', () => {
  const refused = madeRound({ perSecond: 1414, cpuMicros: 950_000 });
  expect(unsteadyLimitOf([refused, kept(6711)])).toEqual({ leastFailed: 1414, greatestKept: 6711 });
});
