import { expect, test } from 'vitest';
import { completedBy } from '../../src/e2/entity-link.ts';
import { COMPLETE } from '../../src/e2/job-state.ts';

const update = (members: object[]) => `event: update\nid: e-2\ndata: ${JSON.stringify({ 'tree:member': members })}`;

test('an event tells of the jobs that it says to be complete', () => {
  const job = (id: string, complete: boolean) => ({
    'dct:isVersionOf': `http://bench.invalid/jobs/entities/${id}`,
    [COMPLETE]: complete,
  });
  expect(completedBy(update([job('a', true), job('b', false), job('c', true)]))).toEqual(['a', 'c']);
});

test('other blocks tell of none', () => {
  for (const block of ['retry: 1000', ': ', 'id: e-3', 'event: conflated\ndata: {"from":"e-1","to":"e-2"}']) {
    expect(completedBy(block)).toEqual([]);
  }
});
