import { createLiveClient, type Follower, type LiveStatus } from '@ldes-live/client';
import type { FollowCommand } from '../command-line/follow-command.ts';
import type { Environment } from '../environment.ts';
import { errors } from '../errors.ts';
import { TextOutput } from '../terminal/text-output.ts';
import { batches } from './batches.ts';
import { presentationFor } from './presentation.ts';
import { readState, writeState } from './state-file.ts';
import { formatLag, isExpectation } from './summary.ts';
import { WireBytes } from './wire-bytes.ts';

/** The longest that a timer takes, some 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** How often it is looked whether what was told of the reading still holds, milliseconds. */
const LOOK_MS = 250;

/**
 * Follows a stream and prints what changes, until the count or the time is reached, it is interrupted, or nobody reads.
 *
 * @throws {@link StreamError} `ERR_TIMEOUT` - the time is over before the count is reached
 * @throws {@link StreamError} `ERR_STATE_FILE` - the state file cannot be used
 * @throws {@link StreamError} `ERR_OUTPUT` - the output cannot be written
 * @throws {@link StreamError} those of the client that mean that the URL leads to no stream
 */
export async function follow(command: FollowCommand, edge: Environment): Promise<void> {
  const { url, stateFile, timeout, count = Number.POSITIVE_INFINITY } = command;
  const output = new TextOutput(edge.stdout);
  const timedOut = new AbortController();
  const timer =
    timeout === undefined ? undefined : setTimeout(() => timedOut.abort(), Math.min(timeout * 1000, LONGEST_MS));
  const signal = AbortSignal.any([edge.interrupted, output.ended, timedOut.signal]);
  const follower = await startFollower(command, signal);
  const wire = new WireBytes();
  const presentation = presentationFor(command, edge, output);
  const statusNow = () => ({ ...follower.status, bytes: wire.received });
  // As it was while it was read: afterwards there is nobody to read it.
  let status = statusNow();
  const take = (now: LiveStatus) => {
    const { state, mode, reason, isInTrouble, lagBoundMs } = status;
    status = now.state === 'ended' ? { ...now, state, mode, reason, isInTrouble, lagBoundMs } : now;
  };
  const look = async () => {
    if (signal.aborted) return;
    take(statusNow());
    await presentation.look(status);
  };
  const looking = setInterval(look, LOOK_MS);
  let [changes, cursor]: [number, string | undefined] = [0, undefined];
  const mark = () => ({ state: follower.state, status: statusNow() });
  try {
    for await (const { items, mark: then } of batches(firstOf(follower, count), mark)) {
      take(then.status);
      await look();
      await presentation.tell(items, status);
      if (output.ended.aborted) break;
      changes += items.length;
      // Elsewhere than in a log of ours a cursor says nothing to whoever begins anew.
      cursor = then.state.tree ? undefined : then.state.cursor;
      if (stateFile !== undefined) await writeState(stateFile, then.state);
    }
    await look();
  } catch (error) {
    // The end that was asked for is no failure, however it comes back.
    if (!signal.aborted || error !== signal.reason) throw error;
  } finally {
    clearInterval(looking);
    clearTimeout(timer);
    wire.stop();
    output.close();
  }
  if (output.ended.aborted) return;
  // Only a reading that nothing can follow has no more to expect.
  const isFinished = follower.status.lagBoundMs === 0;
  const lag = lagText(status, command.mal, isFinished);
  edge.stderr.write(`${lastLine(status, changes, lag, cursor)}\n`);
  if (timedOut.signal.aborted && Number.isFinite(count)) {
    throw errors.ERR_TIMEOUT({ url, count, changes, timeout: timeout as number, reason: status.reason });
  }
}

async function* firstOf<Item>(items: AsyncIterable<Item>, count: number): AsyncGenerator<Item> {
  let taken = 0;
  for await (const item of items) {
    yield item;
    taken += 1;
    if (taken >= count) return;
  }
}

async function startFollower(
  { url, mal, from, stateFile, filter }: FollowCommand,
  signal: AbortSignal,
): Promise<Follower> {
  const state = stateFile === undefined ? undefined : await readState(stateFile);
  return createLiveClient({ mal }).follow(url, {
    signal,
    ...filter,
    ...(state !== undefined && { state }),
    ...(from !== undefined && { from }),
  });
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function lastLine(status: LiveStatus, changes: number, lag: string, cursor: string | undefined): string {
  const { mode, requests, bytes } = status;
  const position = cursor === undefined ? '' : `; go on by --from ${cursor}`;
  const told = `${counted(changes, 'change')}, last by ${mode}: ${counted(requests, 'request')}`;
  return `${told}, ${counted(bytes, 'byte')} on the wire; ${lag}${position}`;
}

/** What was measured of the updates that came, and what is expected of the next one. */
export function lagText(status: LiveStatus, mal: number, isFinished: boolean): string {
  const { updates, maxLagMs, malMisses, lagBoundMs } = status;
  const worst = updates === 0 ? '' : `, at most ${formatLag(maxLagMs, mal * 1000)} late`;
  const measured = `${counted(updates, 'update')}${worst}, ${malMisses} over the MAL of ${mal} s`;
  if (isFinished) return `${measured}; nothing will follow`;
  if (!isExpectation(lagBoundMs)) return measured;
  const within = `the next one is expected within ${formatLag(lagBoundMs, mal * 1000)}`;
  return `${measured}; ${within}${lagBoundMs <= mal * 1000 ? '' : ', which is over it'}`;
}
