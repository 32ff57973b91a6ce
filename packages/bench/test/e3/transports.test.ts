import { expect, test } from 'vitest';
import { publishBatches } from '../../src/e3/publish-batches.ts';
import { openRowLoad } from '../../src/e3/row-load.ts';
import { startRowServer } from '../../src/e3/row-server.ts';
import type { Transport } from '../../src/e3/transport.ts';
import { monotonicMicros } from '../../src/load/monotonic-micros.ts';

const CONNECTIONS = 3;
const BATCHES = 20;
const ROWS = 7;

const plan = () => ({
  schedule: { startMicros: monotonicMicros(), intervalMicros: 5000, count: BATCHES },
  batch: ROWS,
  seed: 1,
  limitLagMicros: Number.POSITIVE_INFINITY,
  limitQueueBytes: Number.POSITIVE_INFINITY,
});

test.each<Transport>(['websocket', 'sse', 'ldes-live', 'live-client'])(
  'every row comes once to every connection by %s',
  async (transport) => {
    const server = await startRowServer(transport);
    const load = await openRowLoad({ transport, port: server.port, path: server.path }, CONNECTIONS);
    expect(await publishBatches(server, plan())).toEqual({ batches: BATCHES, isGivenUp: false });
    const { rows, lost, behind, doubled, bytes, latency } = await load.finish(BATCHES * ROWS, 30_000);
    expect({ rows, lost, behind, doubled }).toEqual({
      rows: CONNECTIONS * BATCHES * ROWS,
      lost: 0,
      behind: 0,
      doubled: 0,
    });
    expect(latency.counts.filter((_, index) => index % 2 === 1).reduce((sum, count) => sum + count, 0)).toBe(
      CONNECTIONS * BATCHES,
    );
    if (transport !== 'live-client') expect(bytes).toBeGreaterThan(rows * 100);
    load.close();
    await server.close();
  },
);

test('publishing is given up when it is too late, and says so', async () => {
  const server = await startRowServer('sse');
  const late = { ...plan(), limitLagMicros: -1e9 };
  expect(await publishBatches(server, late)).toEqual({ batches: 0, isGivenUp: true });
  await server.close();
});
