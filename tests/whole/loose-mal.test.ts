import { formatCursor } from '@ldes-live/rdf-stream';
import { seeded } from '@ldes-live/test-support/properties';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { expectMembers, readInBackground } from '../support/follow-log.ts';
import { publishedLog } from '../support/published-log.ts';

const INTERVAL_MS = 5000;
const UPDATES = 20;

// It spreads its requests by what it draws.
test.each(['first', 'second', 'third', 'fourth', 'fifth', 'sixth'])(
  'MAL-3 MAL-8 a client with a MAL of 30 s on a stream that updates every 5 s: at most one request an update, every lag under the MAL, a bound in its status (%s draws)',
  async (drawn) => {
    const time = new VirtualTime();
    const startMs = time.clock() + 2000;
    let updates = 0;
    const nextMs = () => startMs + updates * INTERVAL_MS + 500;
    const published = await publishedLog({
      clock: time.clock,
      schedule: () => ({ kind: 'interval', intervalMs: INTERVAL_MS, nextMs: nextMs() }),
    });
    const client = readInBackground(published.url, 30, time, seeded(drawn));
    const bounds: number[] = [];
    const modes = new Set<string>();
    for (; updates < UPDATES; updates += 1) {
      await time.pass(startMs + updates * INTERVAL_MS - time.clock());
      await published.publish(20);
      bounds.push(client.follower.status.lagBoundMs);
      modes.add(client.follower.status.mode);
    }
    await client.reach(formatCursor(published.log.head.cursor));
    const { changes, requests, follower } = client;
    expectMembers(changes, await published.log.read(0, 10_000));
    expect([...modes]).toEqual(['pull']);
    expect(follower.status.reason).toContain('MAL 30 s is not below the break-even of 10 s');
    expect(requests.length).toBeLessThanOrEqual(UPDATES);
    expect(Math.max(...changes.map(({ lagMs }) => lagMs ?? 0))).toBeLessThan(30_000);
    expect(follower.status.malMisses).toBe(0);
    // From the second update on it has read and planned.
    for (const bound of bounds.slice(2)) expect(bound).toBeLessThanOrEqual(30_000);
    await client.close();
    await published.close();
  },
);
