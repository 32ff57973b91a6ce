/* How many connections `scale` holds where a machine allows fewer than are asked for. */
import { expect, test } from 'vitest';
import { SCALE } from '../src/experiments/scale.ts';

const plan = SCALE.plan({ quick: false, only: [], seed: 1, clients: [100_000] });
const LIMITS = { openFiles: 20_000, systemFiles: 1_000_000, trackedConnections: 262_144, localPorts: 28_232 };

function held(limits: Partial<typeof LIMITS>) {
  return SCALE.cells({ ...plan, limits: { ...LIMITS, ...limits } }).map(({ measurement, subject, at }) => {
    return [measurement, subject, at.clients, at.processes, at.limit];
  });
}

test('all that are asked for are held where nothing is in the way, by as many processes as that takes', () => {
  expect(held({})).toEqual([
    ['plain', 'ldes-live', 100_000, 7, '–'],
    ['gzip', 'ldes-live', 100_000, 7, '–'],
    ['plain', 'Express', 18_000, 1, 'openFiles'],
    ['plain', 'Express', 100_000, 6, '–'],
  ]);
});

test('the limit that allows the fewest is named, with as many as it allows', () => {
  expect(held({ trackedConnections: 65_536 })[0]).toEqual(['plain', 'ldes-live', 63_536, 5, 'trackedConnections']);
  // Each connection takes a file at either end.
  expect(held({ trackedConnections: 65_536, systemFiles: 50_000 })[0]).toEqual([
    'plain',
    'ldes-live',
    23_000,
    2,
    'systemFiles',
  ]);
  expect(held({ openFiles: 6000 })[2]).toEqual(['plain', 'Express', 4000, 1, 'openFiles']);
});
