// A reader that takes its time, and tells its parent what it got and what that took.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createLiveClient } from '@ldes-live/client';
import { ConflationTally } from './conflation-tally.ts';
import type { MemorySample, SlowReaderOrder, SlowReaderPlan, SlowReaderReport } from './slow-messages.ts';

const MAL_SECONDS = 1;
const SAMPLE_MS = 1000;
const READY_MS = 20;

const plan = JSON.parse(process.argv[2] as string) as SlowReaderPlan;
const { url, versions, entities, readEveryMs, restMs } = plan;
const ending = new AbortController();
const follower = createLiveClient({ mal: MAL_SECONDS }).follow(url, { from: 'now', versions, signal: ending.signal });
const changes = follower[Symbol.asyncIterator]();
const tally = new ConflationTally(entities, 1);
let gaps = 0;

const memory: MemorySample[] = [];
const startedMs = performance.now();
const sample = () => {
  const { rss, heapUsed, external } = process.memoryUsage();
  memory.push({
    atMs: performance.now() - startedMs,
    residentBytes: rss,
    heapBytes: heapUsed,
    externalBytes: external,
  });
};
sample();
setInterval(sample, SAMPLE_MS);

const ordered = once(process, 'message') as Promise<[SlowReaderOrder]>;
let head = Number.POSITIVE_INFINITY;
void ordered.then(([order]) => {
  head = order.head;
});

/** Reads one change; false where there is none any more. */
async function read(): Promise<boolean> {
  const { done, value } = await changes.next();
  if (done) return false;
  if (value.kind === 'gap') gaps += 1;
  else tally.note(value.member.sequence);
  return true;
}

/** Whether what was delivered and what was left out make up all that was published since the reader began. */
function isWhole(): boolean {
  return tally.counts.delivered + follower.status.conflated >= head - entities;
}

async function readSlowly(): Promise<void> {
  while (head === Number.POSITIVE_INFINITY) {
    const readMs = performance.now();
    if (!(await read())) return;
    await Promise.race([ordered, delay(readEveryMs - (performance.now() - readMs))]);
  }
}

async function readRest(): Promise<void> {
  const { signal } = ending;
  const timer = setTimeout(() => ending.abort(), restMs);
  while (!isWhole() && !signal.aborted && (await read().catch(() => false)));
  clearTimeout(timer);
}

// Nobody is left to tell.
process.on('disconnect', () => process.exit());
const slowly = readSlowly();
while (!Number.isFinite(follower.status.lagBoundMs)) await delay(READY_MS);
process.send?.({});
await slowly;
const slow = tally.counts;
const slowConflated = follower.status.conflated;
const restStartedMs = performance.now();
await readRest();
sample();
const report: SlowReaderReport = {
  slow,
  slowConflated,
  whole: tally.counts,
  gaps,
  isWhole: isWhole(),
  restMs: performance.now() - restStartedMs,
  statusConflated: follower.status.conflated,
  mode: follower.status.mode,
  memory,
};
process.send?.(report, () => process.exit());
