// A client that follows the stream by push, and notes how old each observation is when it has read it.
import { setTimeout as delay } from 'node:timers/promises';
import { createLiveClient } from '@ldes-live/client';
import type { LagReaderPlan, LagReaderReport, LagSample } from './mqtt-messages.ts';
import { OBSERVATIONS } from './sensor-stream.ts';

const MAL_SECONDS = 0.2;

const { url, messages } = JSON.parse(process.argv[2] as string) as LagReaderPlan;
const ending = new AbortController();
const follower = createLiveClient({ mal: MAL_SECONDS }).follow(url, { from: 'now', signal: ending.signal });
const seen = new Set<string>();
const samples: LagSample[] = [];
let doubled = 0;
let gaps = 0;
const read = async (): Promise<void> => {
  for await (const change of follower) {
    if (change.kind === 'gap') {
      gaps += 1;
      continue;
    }
    const { id, versionTime = '' } = change.member;
    const name = id.slice(id.indexOf(OBSERVATIONS));
    if (seen.has(name)) doubled += 1;
    seen.add(name);
    const plannedMs = Date.parse(versionTime);
    samples.push([plannedMs, Date.now() - plannedMs]);
    if (seen.size === messages) return;
  }
};
process.on('disconnect', () => process.exit());
// Told that nothing more comes: what is missing then is lost.
process.on('message', () => ending.abort());
const reading = read().catch((error: unknown) => {
  if (!ending.signal.aborted) throw error;
});
while (!Number.isFinite(follower.status.lagBoundMs)) await delay(20);
process.send?.({});
await reading;
const { user, system } = process.cpuUsage();
const report: LagReaderReport = { samples, doubled, gaps, cpuMicros: user + system, mode: follower.status.mode };
process.send?.(report, () => process.exit());
