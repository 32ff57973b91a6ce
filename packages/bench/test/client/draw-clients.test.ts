import { expect, test } from 'vitest';
import { drawClients } from '../../src/client/draw-clients.ts';
import { seededRandom } from '../../src/seeded-random.ts';

const STREAMS = ['a', 'b', 'c'].map((group) => ({ group, url: `http://bench.invalid/${group}` }));
const RANGE = { least: 0.2, most: 120 };

test('clients are divided among the streams, each with MALs from all of the range', () => {
  const clients = drawClients(STREAMS, 200, RANGE, seededRandom(1));
  expect(clients).toHaveLength(200);
  for (const { group, url } of STREAMS) {
    const mals = clients.filter((client) => client.group === group && client.url === url);
    expect([66, 67]).toContain(mals.length);
    const seconds = mals.map(({ malSeconds }) => malSeconds);
    expect(seconds).toEqual([...seconds].sort((left, right) => left - right));
    expect(seconds[0]).toBeGreaterThanOrEqual(0.2);
    expect(seconds[0]).toBeLessThan(0.23);
    expect(seconds.at(-1)).toBeGreaterThan(108);
    expect(seconds.at(-1)).toBeLessThan(120);
    // Half of them lie below the geometric mean.
    expect(seconds[33]).toBeCloseTo(Math.sqrt(0.2 * 120), -1);
  }
});
