import type { StreamLog } from '@ldes-live/log';
import type { Commit, Member } from '@ldes-live/rdf-stream';
import { commitsOf } from './commits-of.ts';
import type { SharedReads } from './shared-reads.ts';

/** Members read from the log at a time while replaying. */
const REPLAY_BATCH_MEMBERS = 1000;

/**
 * The commits after a position, up to the head as it is when the last one has been taken.
 *
 * A commit is given whole even where it is larger than a batch; memory holds one batch and one commit.
 *
 * @param reads - reads of that log
 * @param after - sequence number of the last member the reader has
 * @see specs/push.md PUSH-4
 */
export async function* replay(
  log: StreamLog,
  reads: SharedReads,
  after: number,
): AsyncGenerator<Commit, void, undefined> {
  const { epoch } = log.head.cursor;
  let position = after;
  let pending: readonly Member[] = [];
  while (position + pending.length < log.head.cursor.sequence) {
    const read = await reads.members(position + pending.length, REPLAY_BATCH_MEMBERS);
    // Never, by what a log promises; but to go on asking would be a loop without an end or a wait.
    if (read.length === 0) throw new RangeError('the log gives no members before its head');
    const commits = commitsOf([...pending, ...read], epoch);
    const last = commits.at(-1) as Commit;
    // The batch may have cut the last commit; at the head it cannot have.
    const isWhole = last.cursor.sequence >= log.head.cursor.sequence;
    for (const commit of isWhole ? commits : commits.slice(0, -1)) {
      yield commit;
      position = commit.cursor.sequence;
    }
    pending = isWhole ? [] : last.members;
  }
}
