import { type Change, createLiveClient, type Follower } from '@ldes-live/client';
import type { CommandEdge } from '../cli-process.ts';
import type { FollowCommand } from '../command-line.ts';
import { batches } from './batches.ts';
import { printMembers } from './print-members.ts';
import { readState, writeState } from './state-file.ts';
import { formatSpan, Summary } from './summary.ts';
import { TextOutput } from './text-output.ts';

/** How often it is looked whether mode and reason are still what was told, milliseconds. */
const LOOK_MS = 500;

/**
 * Follows a stream and prints what changes, until the count is reached, it is interrupted, or nobody reads.
 *
 * @throws {@link StreamError} `ERR_STATE_FILE` - the state file cannot be used
 * @throws {@link StreamError} `ERR_OUTPUT` - the output cannot be written
 * @throws {@link StreamError} those of the client that mean that the URL leads to no stream
 */
export async function follow(command: FollowCommand, edge: CommandEdge): Promise<void> {
  const { stateFile, format, count = Number.POSITIVE_INFINITY } = command;
  const output = new TextOutput(edge.stdout);
  const signal = AbortSignal.any([edge.interrupted, output.ended]);
  const follower = await startFollower(command, signal);
  const summary = new Summary(edge.clock());
  // What is for people must not come between what is for programs.
  const notices = format === 'summary' ? edge.stdout : edge.stderr;
  const look = () => {
    if (!signal.aborted) notices.write(summary.modeLine(follower.status, edge.clock()));
  };
  const looking = setInterval(look, LOOK_MS);
  let [changes, cursor]: [number, string | undefined] = [0, undefined];
  try {
    for await (const batch of batches(follower)) {
      look();
      const taken = batch.slice(0, count - changes);
      await output.write(rendered(taken, format, summary, follower, edge.clock()));
      if (output.ended.aborted) break;
      changes += taken.length;
      cursor = (taken.at(-1) as Change).cursor;
      if (stateFile !== undefined) await writeState(stateFile, { url: command.url, cursor });
      if (changes >= count) break;
    }
  } catch (error) {
    // The end that was asked for is no failure, however it comes back.
    if (!signal.aborted || error !== signal.reason) throw error;
  } finally {
    clearInterval(looking);
    output.close();
  }
  if (!output.ended.aborted) edge.stderr.write(`${lastLine(follower, changes, cursor)}\n`);
}

async function startFollower({ url, mal, from, stateFile }: FollowCommand, signal: AbortSignal): Promise<Follower> {
  const state = stateFile === undefined ? undefined : await readState(stateFile);
  return createLiveClient({ mal }).follow(url, {
    signal,
    ...(state !== undefined && { state }),
    ...(from !== undefined && { from }),
  });
}

function rendered(
  changes: readonly Change[],
  format: FollowCommand['format'],
  summary: Summary,
  { status }: Follower,
  nowMs: number,
): string {
  return format === 'summary' ? summary.changeLines(changes, status, nowMs) : printMembers(changes, format);
}

function lastLine({ status }: Follower, changes: number, cursor: string | undefined): string {
  const { mode, requests, bytes, malMisses, lagBoundMs } = status;
  const bound = Number.isFinite(lagBoundMs) ? `, at most ${formatSpan(lagBoundMs)} behind at the end` : '';
  const position = cursor === undefined ? '' : `; go on by --from ${cursor}`;
  return `${changes} changes, last by ${mode}: ${requests} requests, ${bytes} bytes, ${malMisses} over the MAL${bound}${position}`;
}
