import { expect, test } from 'vitest';
import { respawnDelayMs } from '../../src/serve/workers/respawn-delay.ts';

test('PUSH-52 the wait doubles with each that dies young, up to the longest', () => {
  expect([0, 1, 2, 3, 6, 7, 8, 1000].map(respawnDelayMs)).toEqual([0, 200, 400, 800, 6400, 10_000, 10_000, 10_000]);
});
