// Follows a stream of its own making by a query that a thread beside evaluates, and tells its parent what it saw.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { comunica, type LiveResult, liveQuery, oxigraph } from '@ldes-live/query';
import { evaluateInWorker } from '@ldes-live/query/worker';
import { WHOLE_QUERY } from './asked-queries.ts';
import { ClaimingSource } from './claiming-source.ts';
import type { Observed, Published } from './judge-answers.ts';
import { OBSERVATION_QUADS, Observations } from './observations.ts';
import type { StallsReport, StallsTask } from './stalls-messages.ts';

/** The interval of the timer that is watched, so that so much of a stall may be none. */
const RESOLUTION_MS = 1;
/** Longer than any last answer takes. */
const LIMIT_REST_MS = 60_000;

const task = JSON.parse(process.argv[2] as string) as StallsTask;
const { entities, intervalMs, durationMs } = task;
const observations = new Observations(task.quads / OBSERVATION_QUADS);
const before = observations.counted;
const source = new ClaimingSource(Date.now);
const engine = task.engine === 'comunica' ? comunica() : oxigraph();
const ending = new AbortController();
const live = liveQuery(source, WHOLE_QUERY, {
  engine,
  mal: task.malSeconds,
  evaluators: evaluateInWorker(),
  signal: ending.signal,
});
const results = live[Symbol.asyncIterator]();
const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

/** The longest delay since it was asked the last time, milliseconds. */
async function longestStall(): Promise<number> {
  // One that has just gone by is noted when the timer comes.
  await delay(2 * RESOLUTION_MS);
  const longestMs = loop.max / 1e6;
  loop.reset();
  return longestMs;
}

async function read(): Promise<Observed> {
  const { value } = await results.next();
  const result = value as Extract<LiveResult, { form: 'bindings' }>;
  const counted = result.bindings().reduce((sum, { count }) => sum + Number(count?.value), 0);
  return {
    toldMs: Date.now(),
    dataAsOfMs: result.dataAsOf.getTime(),
    evaluatedAtMs: result.evaluatedAt.getTime(),
    evaluationMs: result.evaluationMs,
    overrun: result.overrun,
    commits: (counted - before) / entities,
  };
}

// Nobody is left to tell.
process.on('disconnect', () => process.exit());
const published: Published[] = [];

async function publish(): Promise<void> {
  const beganMs = performance.now();
  for (let dueMs = intervalMs; dueMs <= durationMs; dueMs += intervalMs) {
    await delay(Math.max(0, beganMs + dueMs - performance.now()));
    const { time } = source.publish((timeMs) => observations.raise(entities, timeMs));
    published.push({ timeMs: Date.parse(time) });
  }
}

// What it takes to make the state is none of what is measured.
const state = observations.state(Date.now());
const first = read();
// The thread has begun, and what it loads is loaded, before there is anything to follow.
await source.isRead;
loop.enable();
await delay(task.idleMs);
const idleStallMs = await longestStall();
const startedMs = performance.now();
source.publish(() => state);
const answers = [await first];
const startMs = performance.now() - startedMs;
const startStallMs = await longestStall();
let isPublished = false;
const publishing = publish().then(() => {
  isPublished = true;
  setTimeout(() => ending.abort(new Error('the last commit is in no answer')), LIMIT_REST_MS).unref();
});
while (!isPublished || (answers.at(-1) as Observed).commits < published.length) answers.push(await read());
await publishing;
const stallMs = await longestStall();
const { evaluations } = live.status;
source.end();
await results.return?.();
const report: StallsReport = { published, answers, evaluations, idleStallMs, startMs, startStallMs, stallMs };
process.send?.(report, () => process.exit());
