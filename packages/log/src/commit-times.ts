import { isStreamError } from '@ldes-live/rdf-stream';
import type { ReadableLog } from './log.ts';

/**
 * The publication times of the last commits of a log, epoch milliseconds, ascending; fewer where the log holds fewer.
 *
 * The members of a commit share its time, so where it starts is found by halving: a few members of each are read, and
 * one at a time, however large the commits are.
 *
 * @param limit - how many commits: 1 or more
 * @throws {@link StreamError} `ERR_LOG_CLOSED` - the log is closed
 */
export async function lastCommitTimes(log: ReadableLog, limit: number): Promise<number[]> {
  const timesMs: number[] = [];
  let last = log.head.cursor.sequence;
  try {
    while (last >= log.heldFrom && last > 0 && timesMs.length < limit) {
      const timeMs = await timeOf(log, last);
      timesMs.push(timeMs);
      last = await lastBefore(log, last, timeMs);
    }
  } catch (error) {
    // Retention has come by: what is left is what was read.
    if (!isStreamError(error, 'ERR_MEMBERS_REMOVED')) throw error;
  }
  return timesMs.reverse();
}

/** The sequence of the last member of another time before one; 0 or a removed one where there is none. */
async function lastBefore(log: ReadableLog, sequence: number, timeMs: number): Promise<number> {
  const before = log.heldFrom - 1;
  let same = sequence;
  let step = 1;
  let other = Math.max(before, same - step);
  while (other > before && (await timeOf(log, other)) === timeMs) {
    same = other;
    step *= 2;
    other = Math.max(before, same - step);
  }
  while (same - other > 1) {
    const between = other + Math.floor((same - other) / 2);
    if ((await timeOf(log, between)) === timeMs) same = between;
    else other = between;
  }
  return other;
}

async function timeOf(log: ReadableLog, sequence: number): Promise<number> {
  const [member] = await log.read(sequence - 1, 1);
  return Date.parse((member as NonNullable<typeof member>).time);
}
