import { setTimeout as delay } from 'node:timers/promises';
import { measureDeliveries } from '../load/deliveries.ts';
import { LoadGroup } from '../load/load-group.ts';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import type { SequenceTally } from '../load/sequence-check.ts';
import { LOAD, SERVER_CORE, type Setting } from '../setting.ts';
import { type Subject, startNodeSubject } from '../subjects/node-subject.ts';
import type { SlowSize } from './fanout-plan.ts';
import { type CatchUp, untilAtHead } from './until-at-head.ts';

/** What it did to a server and to its other clients that some stopped reading. */
export interface SlowResult {
  readonly eventBytes: number;
  /** Of those that go on reading, and of all while all read, milliseconds. */
  readonly p99BeforeMs: number;
  readonly p99StoppedMs: number;
  readonly p50BeforeMs: number;
  readonly p50StoppedMs: number;
  /** Resident memory of the server, bytes: with all reading, and the most while some were stopped. */
  readonly residentBytesBefore?: number;
  readonly residentBytesStopped?: number;
  /** What those found that went on before they were cut, and then those that went on later. */
  readonly back: readonly Back[];
}

/** How stopped clients that went on came back to the head. */
export interface Back {
  readonly clients: number;
  /** Clients of all that got the last update in the end. */
  readonly atHead: number;
  /** Connections that the server had ended, which were resumed. */
  readonly ended: number;
  readonly sequence: SequenceTally;
}

const CATCH_UP_MS = 120_000;
const LOOK_MS = 250;

/** Some clients stop reading; the first half of them goes on while its connections live, the second half later. */
export async function measureSlow(size: SlowSize, { onProgress }: Setting): Promise<SlowResult> {
  const { clients, stopped, eventBytes, intervalMs, push } = size;
  const live = { workload: 'sized', eventBytes, push } as const;
  const subject = await startNodeSubject('slow', { live }, SERVER_CORE);
  const load = await LoadGroup.start({
    ...LOAD,
    readers: clients,
    port: subject.port,
    path: subject.path,
    step: subject.commits?.entities ?? 1,
    comesBack: true,
  });
  try {
    const before = await measureDeliveries(subject, load, { count: size.updatesBefore, intervalMs, readers: clients });
    const residentBytesBefore = subject.residentBytes();
    load.order({ order: 'pause', from: 0, to: stopped });
    const watch = watchResident(subject);
    const readers = clients - stopped;
    const during = await measureDeliveries(subject, load, { count: size.updatesStopped, intervalMs, readers });
    onProgress(`slow: p99 ${before.p99Ms.toFixed(1)} ms, with some stopped ${during.p99Ms.toFixed(1)} ms`, 0.5);
    const half = Math.ceil(stopped / 2);
    const first = await goOn(subject, load, size, {
      from: 0,
      to: half,
      count: size.updatesLonger,
      atHead: clients - stopped + half,
    });
    const residentBytesStopped = watch.stop();
    const second = await goOn(subject, load, size, { from: half, to: stopped, count: 2, atHead: clients });
    return {
      eventBytes: Buffer.byteLength(subject.sample ?? ''),
      p99BeforeMs: before.p99Ms,
      p99StoppedMs: during.p99Ms,
      p50BeforeMs: before.p50Ms,
      p50StoppedMs: during.p50Ms,
      ...(residentBytesBefore !== undefined && { residentBytesBefore }),
      ...(residentBytesStopped !== undefined && { residentBytesStopped }),
      back: [first, second],
    };
  } finally {
    await load.stop();
    await subject.close();
  }
}

async function goOn(
  subject: Subject,
  load: LoadGroup,
  { intervalMs }: SlowSize,
  {
    from,
    to,
    count,
    atHead,
  }: { readonly from: number; readonly to: number; readonly count: number; readonly atHead: number },
): Promise<Back> {
  const { ended } = (await load.report()).tally;
  load.order({ order: 'resume', from, to });
  const intervalMicros = intervalMs * 1000;
  const head = await subject.publish({ startMicros: monotonicMicros(), intervalMicros, count });
  const caught: CatchUp = await untilAtHead(load, { head: head ?? '', readers: atHead, timeoutMs: CATCH_UP_MS });
  return {
    clients: to - from,
    atHead: caught.atHead - (atHead - (to - from)),
    ended: caught.tally.ended - ended,
    sequence: caught.sequence,
  };
}

/** The most resident memory from now until it is stopped. */
function watchResident(subject: Subject): { stop(): number | undefined } {
  let most = subject.residentBytes();
  const ending = new AbortController();
  const look = async () => {
    while (!ending.signal.aborted) {
      await delay(LOOK_MS);
      const now = subject.residentBytes();
      if (now !== undefined && (most === undefined || now > most)) most = now;
    }
  };
  void look();
  return {
    stop: () => {
      ending.abort();
      return most;
    },
  };
}
