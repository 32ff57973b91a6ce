import { backoffMs } from '@ldes-live/latency';
import type { Log } from '@ldes-live/log';
import { type Draft, isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import type { Sleep, Source } from '@ldes-live/sources';

/** The longest wait before a log that failed is tried again, at first and at last, milliseconds. */
const RETRY_MS = { first: 1000, longest: 60_000 } as const;

/** Where {@link publish} takes from and what it brings it to. */
export interface Publication {
  readonly source: Source;
  readonly log: Log;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Told when the log could not append; it is tried again after a wait. */
  readonly onFailure: (error: StreamError) => void;
  readonly sleep: Sleep;
  /** A number in [0, 1). */
  readonly random: () => number;
}

/**
 * Publishes what a source yields until the signal ends it: each batch becomes a commit of the log.
 *
 * What could not be appended is not lost: the source is asked anew, and judges by the log what is missing. A draft that
 * no text of RDF can say is left out, and told each time that the source has it.
 */
export async function publish({ source, log, signal, onFailure, sleep, random }: Publication): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      for await (const batch of source.drafts(log.latest, signal)) {
        await append(batch, log, onFailure);
        failures = 0;
      }
    } catch (error) {
      if (!isStreamError(error)) throw error;
      onFailure(error);
      failures += 1;
      const { first: baseMs, longest: maxMs } = RETRY_MS;
      const waitMs = backoffMs({ attempt: failures, random: random(), baseMs, maxMs });
      await sleep(waitMs, signal).catch(() => undefined);
    }
  }
}

/** Appends a batch in one commit; in several, where it has drafts that the log can never take, so that the others go on. */
async function append(batch: readonly Draft[], log: Log, onFailure: Publication['onFailure']): Promise<void> {
  try {
    await log.append(batch);
  } catch (error) {
    if (!isStreamError(error, 'ERR_TERM_UNSUPPORTED')) throw error;
    if (batch.length === 1) return onFailure(error);
    const middle = batch.length >> 1;
    await append(batch.slice(0, middle), log, onFailure);
    await append(batch.slice(middle), log, onFailure);
  }
}
