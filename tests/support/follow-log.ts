import { type Change, createLiveClient, type Follower } from '@ldes-live/client';
import type { Member } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import type { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect } from 'vitest';

/** A client that reads a stream in the background and keeps everything that it was given. */
export interface BackgroundReader {
  readonly follower: Follower;
  readonly changes: readonly Change[];
  /** Every request that it made, with the time by its clock. */
  readonly requests: readonly { readonly url: string; readonly atMs: number }[];
  /** Waits until it stands at the cursor. */
  reach(cursor: string): Promise<void>;
  close(): Promise<void>;
}

/** Follows a stream from its start by a real client, in virtual time where it is given. */
export function readInBackground(
  url: string,
  mal: number,
  time?: VirtualTime,
  random: () => number = Math.random,
): BackgroundReader {
  const stop = new AbortController();
  const changes: Change[] = [];
  const requests: { url: string; atMs: number }[] = [];
  const client = createLiveClient({
    mal,
    random,
    // Heartbeats of the real server come by the clock of the machine, and so hardly ever.
    ...(time && { clock: time.clock, sleep: time.sleep, limits: { silenceMs: 3_600_000 } }),
    fetch: (input, init) => {
      requests.push({ url: String(input), atMs: time?.clock() ?? Date.now() });
      if (!time) return fetch(input, init);
      // Names and gzip are the work of other threads, which virtual time would not wait for.
      const headers = new Headers(init?.headers);
      headers.set('accept-encoding', 'identity');
      return time.during(fetch(input, { ...init, headers }));
    },
  });
  const follower = client.follow(url, { from: 'start', signal: stop.signal });
  const read = async () => {
    for await (const change of follower) changes.push(change);
  };
  const reading = read().catch((error) => {
    if (!stop.signal.aborted) throw error;
  });
  return {
    follower,
    changes,
    requests,
    reach: async (cursor) => {
      if (!time) await eventually(() => expect(follower.state.cursor).toBe(cursor), { forMs: 50_000 });
      while (time && follower.state.cursor !== cursor) await time.next();
    },
    close: async () => {
      stop.abort();
      await reading;
    },
  };
}

/** What tells one version from another, blank node labels apart. */
export function versionOf({ id, entity, kind, sequence, time, quads }: Member): unknown {
  const said = quads.map(({ subject, predicate, object }) =>
    [subject, predicate, object]
      .map((term) => (term.termType === 'BlankNode' ? '_' : `${term.termType} ${term.value}`))
      .join(' '),
  );
  return { id, entity, kind, sequence, time, said: said.sort() };
}

/** What a version says, apart from when it was published. */
export function contentOf(member: Member): string {
  const { said } = versionOf(member) as { said: string[] };
  const lines = said.map((line) => line.replaceAll(member.id, 'this'));
  return lines.filter((line) => !/generatedAtTime|#sequence/.test(line)).join('\n');
}

/** Asserts that changes are the members given, each once and in order, and nothing else. */
export function expectMembers(changes: readonly Change[], members: readonly Member[]): void {
  expect(changes.map(({ kind, member }) => (kind === 'gap' ? 'gap' : member.sequence))).toEqual(
    members.map(({ sequence }) => sequence),
  );
  for (const [index, { member }] of changes.entries()) {
    expect(versionOf(member as Member)).toEqual(versionOf(members[index] as Member));
  }
}
