import { createLiveClient, type Follower } from '@ldes-live/client';
import type { CommandEdge } from '../cli-process.ts';
import type { FollowCommand } from '../command-line/follow-command.ts';
import { TextOutput } from '../terminal/text-output.ts';
import { batches } from './batches.ts';
import { presentationFor } from './presentation.ts';
import { readState, writeState } from './state-file.ts';
import { formatSpan } from './summary.ts';

/** How often it is looked whether what was told of the reading still holds, milliseconds. */
const LOOK_MS = 250;

/**
 * Follows a stream and prints what changes, until the count is reached, it is interrupted, or nobody reads.
 *
 * @throws {@link StreamError} `ERR_STATE_FILE` - the state file cannot be used
 * @throws {@link StreamError} `ERR_OUTPUT` - the output cannot be written
 * @throws {@link StreamError} those of the client that mean that the URL leads to no stream
 */
export async function follow(command: FollowCommand, edge: CommandEdge): Promise<void> {
  const { stateFile, count = Number.POSITIVE_INFINITY } = command;
  const output = new TextOutput(edge.stdout);
  const signal = AbortSignal.any([edge.interrupted, output.ended]);
  const follower = await startFollower(command, signal);
  const presentation = presentationFor(command, edge, output);
  const look = async () => {
    if (!signal.aborted) await presentation.look(follower.status);
  };
  const looking = setInterval(look, LOOK_MS);
  let [changes, cursor]: [number, string | undefined] = [0, undefined];
  try {
    for await (const { items, mark } of batches(firstOf(follower, count), () => follower.state)) {
      await look();
      await presentation.tell(items, follower.status);
      if (output.ended.aborted) break;
      changes += items.length;
      // Elsewhere than in a log of ours a cursor says nothing to whoever begins anew.
      cursor = mark.tree ? undefined : mark.cursor;
      if (stateFile !== undefined) await writeState(stateFile, mark);
    }
    await look();
  } catch (error) {
    // The end that was asked for is no failure, however it comes back.
    if (!signal.aborted || error !== signal.reason) throw error;
  } finally {
    clearInterval(looking);
    output.close();
  }
  if (!output.ended.aborted) edge.stderr.write(`${lastLine(follower, changes, cursor)}\n`);
}

async function* firstOf<Item>(items: AsyncIterable<Item>, count: number): AsyncGenerator<Item> {
  let taken = 0;
  for await (const item of items) {
    yield item;
    taken += 1;
    if (taken >= count) return;
  }
}

async function startFollower({ url, mal, from, stateFile }: FollowCommand, signal: AbortSignal): Promise<Follower> {
  const state = stateFile === undefined ? undefined : await readState(stateFile);
  return createLiveClient({ mal }).follow(url, {
    signal,
    ...(state !== undefined && { state }),
    ...(from !== undefined && { from }),
  });
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function lastLine({ status }: Follower, changes: number, cursor: string | undefined): string {
  const { mode, requests, bytes, malMisses, lagBoundMs } = status;
  const bound = Number.isFinite(lagBoundMs) ? `, at most ${formatSpan(lagBoundMs)} behind at the end` : '';
  const position = cursor === undefined ? '' : `; go on by --from ${cursor}`;
  const told = `${counted(changes, 'change')}, last by ${mode}: ${counted(requests, 'request')}, ${counted(bytes, 'byte')}`;
  return `${told}, ${malMisses} over the MAL${bound}${position}`;
}
