import { setTimeout as delay } from 'node:timers/promises';
import type { Schedule } from '@ldes-live/latency';
import type { Log, LogStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import type { LiveStream } from '@ldes-live/server';
import { entityStates } from './entity-states.ts';
import type { PublishedCommit, PublisherPlan } from './publisher-messages.ts';
import { nextSlot, type Slot, type StreamRhythm } from './stream-rhythm.ts';

const HISTORY_COMMIT = 1000;

/** A stream that is updated by a rhythm. */
export interface RhythmicStream {
  readonly name: string;
  readonly published: LiveStream;
  /** What was published since this was last emptied. */
  readonly commits: PublishedCommit[];
  /** Publishes by its rhythm until it is aborted. */
  run(startMs: number, random: () => number, signal: AbortSignal): Promise<void>;
}

/** Opens the log of a stream, with its history. */
export async function openRhythmicStream(
  store: LogStore,
  rhythm: StreamRhythm,
  plan: PublisherPlan,
): Promise<RhythmicStream> {
  const { publicUrl, entities, membersPerUpdate } = plan;
  const { name, intervalMs } = rhythm;
  const description = describeStream({ publicUrl, name });
  const log = await store.open(description);
  const base = `${description.url}/entities/`;
  // A commit has one version of an entity.
  const atOnce = Math.min(HISTORY_COMMIT, entities);
  for (let left = plan.history ?? 0; left > 0; left -= atOnce) {
    const count = Math.min(left, atOnce);
    await log.append(entityStates(base, log.head.cursor.sequence, count, entities));
  }
  const commits: PublishedCommit[] = [];
  let slot: Slot | undefined;
  let onCommit = () => {};
  // Before the server hears of a commit: what it states of the next update is then that of the next.
  log.subscribe(({ members }) => {
    const newest = members.at(-1);
    if (newest) commits.push({ timeMs: Date.parse(newest.time), last: newest.sequence });
    onCommit();
  });
  const schedule = (): Schedule =>
    slot?.statedMs === undefined ? { kind: 'unknown' } : { kind: 'interval', intervalMs, nextMs: slot.statedMs };
  const run = async (startMs: number, random: () => number, signal: AbortSignal) => {
    let current: Slot = { atMs: startMs, isPublished: false };
    const advance = () => {
      current = nextSlot(rhythm, current, random);
      slot = current;
    };
    onCommit = advance;
    advance();
    while (!signal.aborted) {
      await until(current.atMs, signal);
      if (signal.aborted) break;
      if (current.isPublished) await update(log, base, membersPerUpdate, entities);
      else advance();
    }
    onCommit = () => {};
  };
  return { name, published: { description, log, schedule }, commits, run };
}

function update(log: Log, base: string, count: number, entities: number): Promise<unknown> {
  return log.append(entityStates(base, log.head.cursor.sequence, count, entities));
}

/** Resolves after an instant, never before it: a timer may be early by a part of a millisecond. */
async function until(atMs: number, signal: AbortSignal): Promise<void> {
  while (Date.now() <= atMs && !signal.aborted) {
    await delay(Math.max(1, atMs - Date.now()), undefined, { signal }).catch(() => undefined);
  }
}
