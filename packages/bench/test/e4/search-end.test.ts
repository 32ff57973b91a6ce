import { expect, test } from 'vitest';
import { endOf } from '../../src/e4/search-end.ts';
import { madeRound } from './made-round.ts';

const LATE = Array.from({ length: 100 }, () => 200);
const kept = madeRound({ perSecond: 100 });

test('a server ended a search where it was full at the least rate that was not kept', () => {
  const full = madeRound({ perSecond: 200, delaysMs: LATE, serverCpuMicros: 910_000 });
  const idle = madeRound({ perSecond: 200, delaysMs: LATE, serverCpuMicros: 340_000 });
  expect(endOf([kept, full])).toBe('the server');
  expect(endOf([kept, idle])).toBe('late answers');
  expect(endOf([kept, { ...full, perSecond: 400 }, idle])).toBe('late answers');
  expect(endOf([kept, { ...full, lost: 1 }])).toBe('the server');
  expect(endOf([kept, { ...idle, lost: 1 }])).toBe('incomplete answers');
});

test('a load that was saturated ended it, however full the server was', () => {
  expect(endOf([kept, madeRound({ perSecond: 200, serverCpuMicros: 950_000, cpuMicros: 950_000 })])).toBe('the load');
});

test('the plan ended it where every rate was kept', () => {
  expect(endOf([kept])).toBe('the plan');
});
