import { expect, test } from 'vitest';
import { standingAfter, UNBEGUN } from '../../src/run/event-standing.ts';
import { commit, state } from '../views/sample-members.ts';

test('QUERY-2 a source stands at the cursor and the publication of the last that it brought', () => {
  const first = standingAfter(UNBEGUN, commit({ sequence: 3, timeMs: 500 }), 'published');
  expect(first).toEqual({ cursor: 'a-3', publishedMs: 500, newestMs: 500 });
  const whole = standingAfter(first, state({ sequence: 1, timeMs: 300 }, { sequence: 2, timeMs: 200 }), 'published');
  expect(whole).toEqual({ cursor: 'a-0', publishedMs: 300, newestMs: 500 });
  expect(standingAfter(first, state(), 'published').publishedMs).toBe(-Infinity);
});

test('QUERY-66 a member without a time of its own stands by its publication', () => {
  const event = commit({ sequence: 1, timeMs: 500, versionMs: 90 }, { sequence: 2, timeMs: 80 });
  expect(standingAfter(UNBEGUN, event, 'version').newestMs).toBe(90);
});
