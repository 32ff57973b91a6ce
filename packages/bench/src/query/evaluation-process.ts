// Answers a live query over commits that it makes itself, and tells its parent what each took.
import { setTimeout as delay } from 'node:timers/promises';
import { comunica, type LiveResult, liveQuery, oxigraph, type Row } from '@ldes-live/query';
import { AskedAgain } from './asked-again.ts';
import { LOCAL_QUERY, WHOLE_QUERY } from './asked-queries.ts';
import type { CommitTimes, EvaluationReport, EvaluationTask } from './evaluation-messages.ts';
import { HandedSource } from './handed-source.ts';
import { OBSERVATION_QUADS, Observations } from './observations.ts';

/** So short that no commit waits for it. */
const MAL_SECONDS = 0.001;
/** Between commits, so that the reader waits and the MAL has passed. */
const REST_MS = 10;

// Nobody is left to tell.
process.on('disconnect', () => process.exit());
const task = JSON.parse(process.argv[2] as string) as EvaluationTask;
const text = task.query === 'local' ? LOCAL_QUERY : WHOLE_QUERY;
const observations = new Observations(task.quads / OBSERVATION_QUADS);
const source = new HandedSource();
const engine = task.engine === 'comunica' ? comunica() : oxigraph();
const live = liveQuery(source, text, { engine, mal: MAL_SECONDS });
const { strategy } = await live.explain();
const results = live[Symbol.asyncIterator]();
const again = task.isBeside ? await AskedAgain.open(text) : undefined;

/** What came of it, and how long after it was handed out the reader had it. */
async function handOut(event: Parameters<HandedSource['hand']>[0]) {
  const next = results.next();
  await source.isRead;
  await delay(REST_MS);
  const startMs = performance.now();
  source.hand(event);
  const { value } = await next;
  const toldMs = performance.now() - startMs;
  return { toldMs, result: value as Extract<LiveResult, { form: 'bindings' }> };
}

async function askAgain(event: Parameters<AskedAgain['apply']>[0], rows: readonly Row[]): Promise<number | undefined> {
  if (!again) return undefined;
  again.apply(event);
  const startMs = performance.now();
  const found = await again.ask();
  const againMs = performance.now() - startMs;
  if (identities(found) !== identities(rows)) throw new Error('the live answer is another than that of asking again');
  return againMs;
}

/** By their version IRIs, since engines write numbers in different forms. */
function identities(rows: readonly Row[]): string {
  return rows
    .map(({ o }) => o?.value)
    .sort()
    .join(' ');
}

const state = observations.state(Date.now());
const { toldMs: startMs, result } = await handOut(state);
await askAgain(state, result.bindings());
const commits: CommitTimes[] = [];
let solutions = 0;
for (let round = -task.warmUp; round < task.commits; round += 1) {
  const commit = observations.update(task.entities, Date.now());
  const { toldMs, result } = await handOut(commit);
  const rows = result.bindings();
  solutions = rows.length;
  const againMs = await askAgain(commit, rows);
  if (round >= 0)
    commits.push({ toldMs, evaluationMs: result.evaluationMs, ...(againMs !== undefined && { againMs }) });
}
const residentBytes = process.memoryUsage.rss();
source.end();
await results.return?.();
const report: EvaluationReport = { strategy, startMs, commits, solutions, residentBytes };
process.send?.(report, () => process.exit());
