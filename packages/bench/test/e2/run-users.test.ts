import { afterEach, describe, expect, test } from 'vitest';
import { jobDurations } from '../../src/e2/job-durations.ts';
import type { JobServer } from '../../src/e2/job-server.ts';
import type { JobWay } from '../../src/e2/job-way.ts';
import { judgeNotices } from '../../src/e2/judge-run.ts';
import { startLiveJobServer } from '../../src/e2/live-job-server.ts';
import { startPlainJobServer } from '../../src/e2/plain-job-server.ts';
import { runUsers } from '../../src/e2/run-users.ts';

const SIZE = { users: 2, jobs: 3, longestMs: 20 };
const WAYS: readonly JobWay[] = [
  { name: 'polling', label: 'polling', kind: 'polling', everyMs: 10 },
  { name: 'websocket', label: 'WebSocket', kind: 'websocket' },
  { name: 'live', label: 'ldes-live', kind: 'live', malSeconds: 1 },
  { name: 'entity', label: 'events', kind: 'entity' },
];

describe('users by each way', () => {
  let server: JobServer | undefined;
  afterEach(() => server?.close());

  test.each(WAYS)('$label: each job is noticed once, after it was complete', async (way) => {
    const isLive = way.kind === 'live' || way.kind === 'entity';
    server = await (isLive ? startLiveJobServer() : startPlainJobServer());
    server.board.begin(jobDurations(SIZE, 1));
    const told = await runUsers({ way, ...SIZE, timeoutMs: 30_000, seed: 1 }, server.target);
    const { delaysMicros, ...judged } = judgeNotices(told.made, server.board.completions, told.notices);
    expect(judged).toEqual({ jobs: 6, lost: 0, doubled: 0, untrue: 0 });
    expect(delaysMicros).toHaveLength(6);
    expect(told.sent).toBeGreaterThanOrEqual(6);
    expect(told.statuses).toHaveLength(way.kind === 'live' ? 2 : 0);
  });
});
