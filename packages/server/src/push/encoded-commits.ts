/* A commit as push needs it: JSON texts that can be joined for any choice of members, made once for all readers.
 * log -> members -> EncodedCommit -> remembered by bytes -> whoever is live, or comes back and lacks it
 * { "after": 41, "last": 43, "id": "k3x9a-43",
 *   "subjects": [{ "entity": "http://…/vehicles/101", "kind": "upsert", "types": ["…/Vehicle"],
 *                  "position": { "longitude": 3.72, "latitude": 51.05 } }, …],     // one for each member: what filters look at
 *   "pieces": { "context": "{…}", "stream": "\"…#stream\"", "link": "\"tree:member\"", "members": [{ "node": "{…}" }, …] } }
 * A commit that is large is encoded in slices, between which others have their turn: until it is done, the head waits. */
import { setImmediate } from 'node:timers/promises';
import { commitStart, type ReadableLog, WorkSlice } from '@ldes-live/log';
import {
  type Commit,
  type Cursor,
  type FilterSubject,
  filterSubject,
  formatCursor,
  isStreamError,
  type Joined,
  type Member,
} from '@ldes-live/rdf-stream';
import { LRUCache } from 'lru-cache';
import { atHand, type MemberTexts } from '../documents/member-texts.ts';
import type { ReplayMemory } from './replay-memory.ts';

/** Members read from the log at a time. */
const READ_MEMBERS = 1000;

/** Commits given at a time of what is remembered. */
const MAX_REMEMBERED = 100;

/** A commit, or the rest of one, or a part of a snapshot: text whose parts can be left out, and no quads. */
export interface EncodedCommit {
  /** Sequence number of the member before its first. */
  readonly after: number;
  /** Sequence number of its last member. */
  readonly last: number;
  /** Sequence numbers of its members where some between them are left out, as in a part of a snapshot. */
  readonly sequences?: readonly number[];
  /** `id:` of its event; empty for a part of a snapshot that others follow. */
  readonly id: string;
  /** What each member is about, in the order of the pieces; as many as there are pieces. */
  readonly subjects: readonly FilterSubject[];
  readonly pieces: Joined;
}

/** About what a commit takes as an event: its text is nearly all ASCII. */
export function textBytes({ pieces }: EncodedCommit): number {
  let bytes = pieces.context.length + pieces.stream.length;
  for (const { node, others } of pieces.members) bytes += node.length + others.length;
  return bytes;
}

const COMMIT_BYTES = 3072;
const MEMBER_BYTES = 256;

/** About what a commit takes where it is remembered: beside its text the objects that have it, which are most of a small one. */
export function heldBytes(commit: EncodedCommit): number {
  return COMMIT_BYTES + textBytes(commit) + MEMBER_BYTES * commit.subjects.length;
}

/** Of each commit what was asked for last: those who ask for the same one after the other get the same array. */
const lastAsked = new WeakMap<EncodedCommit, { readonly position: number; readonly members: readonly number[] }>();

/** The indices of its members that come after a position; `undefined` where all of them do. */
export function membersAfter(commit: EncodedCommit, position: number): readonly number[] | undefined {
  if (commit.after >= position) return undefined;
  const known = lastAsked.get(commit);
  if (known?.position === position) return known.members;
  const { after, subjects, sequences } = commit;
  const members = [...subjects.keys()].filter((index) => (sequences?.[index] ?? after + 1 + index) > position);
  lastAsked.set(commit, { position, members });
  return members;
}

/** Encodes a commit that takes no longer than others can wait; else `undefined`. */
function encodeAtOnce(texts: MemberTexts, { members, cursor }: Commit): EncodedCommit | undefined {
  return texts.isQuick(members)
    ? encoded(members, members.map(filterSubject), cursor, texts.joined(members))
    : undefined;
}

/**
 * Encodes any members; others have their turn meanwhile.
 *
 * @param members - at least one, in sequence
 * @param cursor - after it; absent for a part of a snapshot that others follow
 */
export async function encodeInSlices(
  texts: MemberTexts,
  members: readonly Member[],
  cursor: Cursor | undefined,
): Promise<EncodedCommit> {
  const pieces = await texts.join(...atHand(members));
  const slice = new WorkSlice();
  const subjects: FilterSubject[] = [];
  for (const member of members) {
    subjects.push(filterSubject(member));
    await slice.take(member.quads.length);
  }
  return encoded(members, subjects, cursor, pieces);
}

function encoded(
  members: readonly Member[],
  subjects: readonly FilterSubject[],
  cursor: Cursor | undefined,
  pieces: Joined,
): EncodedCommit {
  const after = (members[0] as Member).sequence - 1;
  const last = lastOf(members);
  return {
    after,
    last,
    ...(last - after !== members.length && { sequences: members.map(({ sequence }) => sequence) }),
    id: cursor ? formatCursor(cursor) : '',
    subjects,
    pieces,
  };
}

/** Reads one after the other: however many readers come back, others wait for no more than one slice. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<Result>(act: () => Promise<Result>): Promise<Result> {
    const own = this.#last.then(act);
    // The next begins after those who waited for this one hold it.
    this.#last = own.catch(() => undefined).then(() => setImmediate());
    return own;
  }
}

interface Listener {
  readonly take: (commit: EncodedCommit) => void;
  readonly onFault: ((error: unknown) => void) | undefined;
}

/**
 * The commits of a log, encoded. Those that were published or asked for last are remembered: each is encoded once, however
 * many are pushed it or come back for it.
 */
export class EncodedCommits {
  readonly #log: ReadableLog;
  readonly #texts: MemberTexts;
  readonly #limitBytes: number;
  // Objects, so that a function that subscribes twice is called twice.
  readonly #listeners = new Set<Listener>();
  readonly #unsubscribe: () => void;
  /** How far a large commit, and what came since it began to be encoded, were sent. */
  #sent: Cursor | undefined;
  /** By first member, in the order in which they came here; one is kept however large it is. */
  readonly #remembered: LRUCache<number, EncodedCommit>;
  // What all commits that were sent before one have, by its first member. Not with the commits: what is read from the log
  // for some takes the place of these, and must not make others seem to be further behind than they are.
  readonly #sentBefore = new Map<number, { readonly textBytes: number; readonly heldBytes: number }>();
  #counted = { textBytes: 0, heldBytes: 0 };
  #newest: number | undefined;
  readonly #reading = new Map<number, Promise<readonly EncodedCommit[]>>();
  readonly #turns = new Turns();

  /** @param limitBytes - what the commits that are remembered may take, bytes */
  constructor(log: ReadableLog, texts: MemberTexts, limitBytes: number) {
    this.#log = log;
    this.#texts = texts;
    this.#limitBytes = limitBytes;
    this.#remembered = new LRUCache({
      maxSize: limitBytes,
      sizeCalculation: (commit) => Math.min(heldBytes(commit), limitBytes),
    });
    this.#unsubscribe = log.subscribe((commit) => {
      // Nobody to push to: who comes later reads it from the log.
      if (this.#listeners.size === 0 || this.#sent) return;
      const quick = encodeAtOnce(texts, commit);
      if (quick) this.#send(quick);
      else void this.#sendInSlices(commit);
    });
  }

  /** The end of the stream, as of now; while a large commit is encoded, the end of the one before it. */
  get head(): Cursor {
    return this.#sent ?? this.#log.head.cursor;
  }

  /** The end of the log, from which commits may be on their way here: who has them waits for none. */
  get published(): Cursor {
    return this.#log.head.cursor;
  }

  /** Every member from this sequence number on can be read. */
  get heldFrom(): number {
    return this.#log.heldFrom;
  }

  /**
   * Calls a listener with each commit from now on, in order and without gaps, in the tick in which the head moves.
   *
   * @param onFault - called where commits are lost on the way here
   */
  subscribe(take: (commit: EncodedCommit) => void, onFault?: (error: unknown) => void): () => void {
    const listener = { take, onFault };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Commits from the one that has the member after a position, in order and without gaps, at least one. Each is whole, so that
   * readers at any place of a large one share it. Equal commits are the same object
   * as long as they are remembered, so that what is made of them is made once. Those who ask for the same at the same time
   * share one read.
   *
   * @param after - sequence number of the last member that is not wanted, below the head
   * @param replays - what is waited for before the log is read
   * @throws {@link StreamError} `ERR_MEMBERS_REMOVED` - retention erased some of it
   */
  read(after: number, replays?: ReplayMemory): readonly EncodedCommit[] | Promise<readonly EncodedCommit[]> {
    const remembered = this.#rememberedAfter(after);
    if (remembered.length > 0) return remembered;
    let reading = this.#reading.get(after);
    if (!reading) {
      reading = this.#turns.take(() => this.#readWhole(after, replays)).finally(() => this.#reading.delete(after));
      this.#reading.set(after, reading);
    }
    return reading;
  }

  #rememberedAfter(after: number): readonly EncodedCommit[] {
    const remembered: EncodedCommit[] = [];
    let next = this.remembered(after);
    for (; next && remembered.length < MAX_REMEMBERED; next = this.remembered(next.last)) remembered.push(next);
    return remembered;
  }

  async #readWhole(after: number, replays: ReplayMemory | undefined): Promise<readonly EncodedCommit[]> {
    const from = after === 0 ? 0 : await this.#startOf(after + 1);
    const remembered = this.#rememberedAfter(from);
    if (remembered.length > 0) return remembered;
    await replays?.room();
    const commits = await this.#readLog(from).catch((error) => {
      // What was erased meanwhile, or is damaged, may be of the commit, and not wanted.
      if (from === after || !isGap(error)) throw error;
      return this.#readLog(after);
    });
    return commits.map((commit) => this.#remember(commit));
  }

  async #startOf(sequence: number): Promise<number> {
    try {
      return await commitStart(this.#log, sequence);
    } catch (error) {
      if (!isGap(error)) throw error;
      return sequence - 1;
    }
  }

  /** The commit after a position, where that is remembered. */
  remembered(after: number): EncodedCommit | undefined {
    return this.#remembered.peek(after + 1);
  }

  /** Bytes of events from a position to the head; `undefined` where that is not known. */
  bytesAfter(position: number): number | undefined {
    if (position === this.#newest) return 0;
    const before = this.#sentBefore.get(position + 1);
    return before === undefined ? undefined : this.#counted.textBytes - before.textBytes;
  }

  /** Resolves once its head is what the log had when it was asked: who has read a document may know of a later commit. */
  async caughtUp(): Promise<void> {
    await this.#log.caughtUp();
    const { sequence } = this.#log.head.cursor;
    while (this.head.sequence < sequence) {
      await new Promise<void>((resolve) => {
        const unsubscribe = this.subscribe(goOn, goOn);
        function goOn(): void {
          unsubscribe();
          resolve();
        }
      });
    }
  }

  close(): void {
    this.#unsubscribe();
    this.#listeners.clear();
  }

  #send(commit: EncodedCommit): void {
    const first = commit.after + 1;
    const before = this.#counted;
    this.#sentBefore.set(first, before);
    this.#counted = {
      textBytes: before.textBytes + textBytes(commit),
      heldBytes: before.heldBytes + heldBytes(commit),
    };
    this.#newest = commit.last;
    for (const [oldest, sent] of this.#sentBefore) {
      if (this.#counted.heldBytes - sent.heldBytes <= this.#limitBytes || oldest === first) break;
      this.#sentBefore.delete(oldest);
    }
    this.#remembered.set(first, commit);
    for (const { take } of this.#listeners) take(commit);
  }

  /** The one that is remembered already where there is one. */
  #remember(commit: EncodedCommit): EncodedCommit {
    const known = this.remembered(commit.after);
    if (!known) this.#remembered.set(commit.after + 1, commit);
    return known ?? commit;
  }

  /** Sends a commit that takes long to encode, and those that come meanwhile: of these nothing waits in memory. */
  async #sendInSlices({ members, cursor }: Commit): Promise<void> {
    const { epoch, sequence } = cursor;
    this.#sent = { epoch, sequence: sequence - members.length };
    try {
      let commits: readonly EncodedCommit[] = [await encodeInSlices(this.#texts, members, cursor)];
      for (;;) {
        for (const commit of commits) {
          this.#sent = { epoch, sequence: commit.last };
          this.#send(commit);
        }
        const { sequence: sent } = this.#sent;
        if (this.#listeners.size === 0 || sent >= this.#log.head.cursor.sequence) break;
        commits = await this.#readLog(sent);
      }
      this.#sent = undefined;
    } catch (error) {
      this.#sent = undefined;
      // On a server that stops there is nobody left.
      if (isStreamError(error, 'ERR_LOG_CLOSED')) return;
      for (const { onFault } of this.#listeners) onFault?.(error);
    }
  }

  /** A commit is given whole even where it is larger than one read; memory holds one read and one commit. */
  async #readLog(after: number): Promise<readonly EncodedCommit[]> {
    let members: readonly Member[] = [];
    for (;;) {
      const read = await this.#log.read(after + members.length, READ_MEMBERS);
      // Never, by what a log promises; but to go on asking would be a loop without an end or a wait.
      if (read.length === 0) throw new RangeError('the log gives no members before its head');
      members = [...members, ...read];
      const commits = commitsOf(members);
      const { epoch } = this.head;
      // The read may have cut the last commit; at the head it cannot have.
      if (lastOf(members) < this.#log.head.cursor.sequence) commits.pop();
      if (commits.length === 0) continue;
      const all: EncodedCommit[] = [];
      for (const own of commits) {
        all.push(await encodeInSlices(this.#texts, own, { epoch, sequence: lastOf(own) }));
      }
      return all;
    }
  }
}

/** Whether members cannot be read that a log once had: what comes after them does not depend on them. */
export function isGap(error: unknown): boolean {
  return isStreamError(error, 'ERR_MEMBERS_REMOVED') || isStreamError(error, 'ERR_STORE_DAMAGED');
}

/** Those of one publication time are one commit: it increases from commit to commit (DOC-4). */
function commitsOf(members: readonly Member[]): (readonly Member[])[] {
  const starts = [...members.keys()].filter((index) => members[index]?.time !== members[index - 1]?.time);
  return starts.map((start, commit) => members.slice(start, starts[commit + 1]));
}

function lastOf(members: readonly Member[]): number {
  return (members.at(-1) as Member).sequence;
}
