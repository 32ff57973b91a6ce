import type { Commit, Member } from '@ldes-live/rdf-stream';

/**
 * Puts members read from the log back into their commits: those of one publication time are one commit,
 * since the time increases from commit to commit.
 *
 * @param members - at least one, consecutive
 * @see specs/documents.md DOC-4
 */
export function commitsOf(members: readonly Member[], epoch: string): Commit[] {
  const commits: Commit[] = [];
  let start = 0;
  for (let index = 1; index <= members.length; index += 1) {
    const time = (members[start] as Member).time;
    if (members[index]?.time === time) continue;
    const own = members.slice(start, index);
    commits.push({ cursor: { epoch, sequence: (own.at(-1) as Member).sequence }, time, members: own });
    start = index;
  }
  return commits;
}
