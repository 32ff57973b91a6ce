import { expect, test } from 'vitest';
import { DeclaredSchedule } from '../../src/subjects/declared-schedule.ts';

const EDGE = { clock: () => 1_000_000, micros: () => 5_000_000 };
/** The wall clock at an instant of the other one. */
const wallMs = (micros: number) => 1_000_000 + (micros - 5_000_000) / 1000;

test('the next update is the first that is expected, then one interval after each that was published', () => {
  const declared = new DeclaredSchedule(2000, EDGE);
  expect(declared.schedule).toEqual({ kind: 'unknown' });
  declared.expect(6_000_000);
  expect(declared.schedule).toEqual({ kind: 'interval', intervalMs: 2000, nextMs: wallMs(6_000_000) });
  declared.published(6_000_000);
  expect(declared.nextMs).toBe(wallMs(8_000_000));
});

test('without an interval nothing is said', () => {
  const declared = new DeclaredSchedule(undefined, EDGE);
  declared.expect(6_000_000);
  declared.published(6_000_000);
  expect(declared.schedule).toEqual({ kind: 'unknown' });
});
