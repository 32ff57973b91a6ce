import { setTimeout as delay } from 'node:timers/promises';
import { LoadGroup } from '../load/load-group.ts';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { addSequences, type SequenceTally } from '../load/sequence-check.ts';
import { LOAD, SERVER_CORE, type Setting } from '../setting.ts';
import { startNodeSubject } from '../subjects/node-subject.ts';
import type { StormSize } from './fanout-plan.ts';
import { type PollResult, pollLatest } from './poll-latest.ts';
import { untilAtHead } from './until-at-head.ts';

/** How all clients came back that were cut at once. */
export interface StormResult {
  /** From the cut until all were open again, milliseconds. */
  readonly backMs: number;
  /** Clients that got the last update. */
  readonly atHead: number;
  readonly refused: number;
  readonly sequence: SequenceTally;
  /** Polls of the latest state before the cut, and from the cut to the end. */
  readonly pollsBefore: PollResult;
  readonly pollsAfter: PollResult;
  /** Resident memory of the server, bytes. */
  readonly residentBytesBefore?: number;
  readonly residentBytesAfter?: number;
}

const LOOK_MS = 50;
const BACK_MS = 60_000;

/** Cuts all clients at once while updates go on and others poll. */
export async function measureStorm(size: StormSize, { onProgress }: Setting): Promise<StormResult> {
  const { eventBytes, retryMs } = size;
  const live = { workload: 'sized', eventBytes, ...(retryMs !== undefined && { push: { retryMs } }) } as const;
  const subject = await startNodeSubject('storm', { live }, SERVER_CORE);
  const load = await LoadGroup.start({
    ...LOAD,
    readers: size.clients,
    port: subject.port,
    path: subject.path,
    step: subject.commits?.entities ?? 1,
    comesBack: true,
  });
  const latest = subject.path.replace(/events$/, 'latest');
  try {
    const intervalMicros = size.intervalMs * 1000;
    const published = subject.publish({ startMicros: monotonicMicros(), intervalMicros, count: size.updates });
    const before = pollLatest(subject.port, latest, size.pollMs);
    await delay(size.cutMs);
    const pollsBefore = await before();
    const { sequence, tally } = await load.report();
    const residentBytesBefore = subject.residentBytes();
    const after = pollLatest(subject.port, latest, size.pollMs);
    const cutMicros = monotonicMicros();
    load.order({ order: 'cut' });
    await untilBack(load, tally.opened + size.clients);
    const backMs = (monotonicMicros() - cutMicros) / 1000;
    const head = (await published) ?? '';
    const caught = await untilAtHead(load, { head, readers: size.clients, timeoutMs: BACK_MS });
    const pollsAfter = await after();
    await delay(size.settleMs);
    const residentBytesAfter = subject.residentBytes();
    onProgress(`storm: all back after ${Math.round(backMs)} ms, polls p99 ${pollsAfter.p99Ms.toFixed(1)} ms`, 1);
    return {
      backMs,
      atHead: caught.atHead,
      refused: caught.tally.refused,
      sequence: addSequences([sequence, caught.sequence]),
      pollsBefore,
      pollsAfter,
      ...(residentBytesBefore !== undefined && { residentBytesBefore }),
      ...(residentBytesAfter !== undefined && { residentBytesAfter }),
    };
  } finally {
    await load.stop();
    await subject.close();
  }
}

async function untilBack(load: LoadGroup, opened: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < BACK_MS; waitedMs += LOOK_MS) {
    if ((await load.tally()).opened >= opened) return;
    await delay(LOOK_MS);
  }
}
