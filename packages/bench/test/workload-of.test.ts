import { expect, test } from 'vitest';
import { workloadOf } from '../src/workload-of.ts';

const plan = { slow: { clients: 5, push: { limit: 1 } }, fast: { clients: [1, 2], kind: 'sized' } };

test('sizes are named by their measurement, and only of those that were run', () => {
  expect(workloadOf(plan, ['slow', 'fast'])).toEqual({
    'slow clients': 5,
    'slow push': '{"limit":1}',
    'fast clients': [1, 2],
    'fast kind': 'sized',
  });
  expect(workloadOf(plan, ['fast'])).toEqual({ 'fast clients': [1, 2], 'fast kind': 'sized' });
});

test('where there is one measurement alone, its name is left out', () => {
  expect(workloadOf({ replay: { members: 3 } }, ['replay'])).toEqual({ members: 3 });
});
