/* A commit as push needs it: JSON texts that can be joined for any choice of members, made once for all readers.
 * log -> CommitEncoder -> EncodedCommit -> CommitMemory (by bytes) -> whoever is live, or comes back and lacks it
 * { "after": 41, "last": 43, "id": "k3x9a-43",
 *   "subjects": [{ "entity": "http://…/vehicles/101", "kind": "upsert", "types": ["…#VehiclePosition"],
 *                  "position": { "longitude": 3.72, "latitude": 51.05 } }, …],     // one for each member: what filters look at
 *   "pieces": { "context": "{…}", "stream": "\"…#stream\"", "link": "\"tree:member\"", "members": [{ "node": "{…}" }, …] } }
 * A commit that is large is encoded in slices, between which others have their turn: until it is done, the head waits. */
import { setImmediate } from 'node:timers/promises';
import { type ReadableLog, WorkSlice } from '@ldes-live/log';
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
import { atHand, MemberTexts, type MemberTextsOptions } from '../documents/member-texts.ts';

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

interface CommitEncoderOptions extends MemberTextsOptions {
  /** The texts that documents are made of too. @defaultValue its own */
  readonly texts?: MemberTexts | undefined;
}

/** Encodes members. */
export class CommitEncoder {
  readonly #texts: MemberTexts;

  constructor(log: Pick<ReadableLog, 'head' | 'latest'>, options: CommitEncoderOptions) {
    this.#texts = options.texts ?? new MemberTexts(log, options);
  }

  /** Encodes a commit that takes no longer than others can wait; else `undefined`. */
  atOnce(members: readonly Member[], cursor: Cursor): EncodedCommit | undefined {
    if (!this.#texts.isQuick(members)) return undefined;
    return encoded(members, members.map(filterSubject), cursor, this.#texts.joined(members));
  }

  /**
   * Encodes any members; others have their turn meanwhile.
   *
   * @param members - at least one, in sequence
   * @param cursor - after it; absent for a part of a snapshot that others follow
   */
  async inSlices(members: readonly Member[], cursor: Cursor | undefined): Promise<EncodedCommit> {
    const pieces = await this.#texts.join(...atHand(members));
    const slice = new WorkSlice();
    const subjects: FilterSubject[] = [];
    for (const member of members) {
      subjects.push(filterSubject(member));
      await slice.take(member.quads.length);
    }
    return encoded(members, subjects, cursor, pieces);
  }
}

function encoded(
  members: readonly Member[],
  subjects: readonly FilterSubject[],
  cursor: Cursor | undefined,
  pieces: Joined,
): EncodedCommit {
  const after = (members[0] as Member).sequence - 1;
  const last = (members.at(-1) as Member).sequence;
  return {
    after,
    last,
    ...(last - after !== members.length && { sequences: members.map(({ sequence }) => sequence) }),
    id: cursor ? formatCursor(cursor) : '',
    subjects,
    pieces,
  };
}

/** The commits that were published or asked for last: each is encoded once, however many are pushed it or come back for it. */
class CommitMemory {
  readonly #limitBytes: number;
  readonly #kept = new Map<number, { readonly commit: EncodedCommit; readonly bytes: number }>();
  // Bytes of all commits that were appended before one, by its first member. Not with the commits: what is read from the
  // log for some takes the place of these, and must not make others seem to be further behind than they are.
  readonly #before = new Map<number, number>();
  readonly #reading = new Map<number, Promise<readonly EncodedCommit[]>>();
  #turn: Promise<unknown> = Promise.resolve();
  #bytes = 0;
  #appendedBytes = 0;
  #newest: number | undefined;

  /** @param limitBytes - how much text to keep; one commit is kept however large it is */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  append(commit: EncodedCommit): void {
    const first = commit.after + 1;
    const bytes = textBytes(commit);
    this.#before.set(first, this.#appendedBytes);
    this.#appendedBytes += bytes;
    this.#newest = commit.last;
    for (const [oldest, before] of this.#before) {
      if (this.#appendedBytes - before <= this.#limitBytes || oldest === first) break;
      this.#before.delete(oldest);
    }
    this.#put(commit, bytes);
  }

  /** What is remembered after a position, else what is read: those who ask for the same at the same time share one read. */
  after(
    position: number,
    read: (after: number) => Promise<readonly EncodedCommit[]>,
  ): readonly EncodedCommit[] | Promise<readonly EncodedCommit[]> {
    const remembered: EncodedCommit[] = [];
    let next = this.#kept.get(position + 1)?.commit;
    for (; next && remembered.length < MAX_REMEMBERED; next = this.#kept.get(next.last + 1)?.commit) {
      remembered.push(next);
    }
    if (remembered.length > 0) return remembered;
    let reading = this.#reading.get(position);
    if (!reading) {
      // One at a time, each in slices: however many readers come back, others wait for no more than one slice.
      const turn = this.#turn.then(() => read(position));
      // After its readers hold it.
      this.#turn = turn.catch(() => undefined).then(() => setImmediate());
      reading = turn
        .then((commits) => commits.map((commit) => this.#keep(commit)))
        .finally(() => this.#reading.delete(position));
      this.#reading.set(position, reading);
    }
    return reading;
  }

  bytesAfter(position: number): number | undefined {
    if (position === this.#newest) return 0;
    const before = this.#before.get(position + 1);
    return before === undefined ? undefined : this.#appendedBytes - before;
  }

  /** The one that is remembered already where there is one. */
  #keep(commit: EncodedCommit): EncodedCommit {
    const known = this.#kept.get(commit.after + 1)?.commit;
    if (!known) this.#put(commit, textBytes(commit));
    return known ?? commit;
  }

  #put(commit: EncodedCommit, bytes: number): void {
    const first = commit.after + 1;
    this.#forget(first);
    this.#kept.set(first, { commit, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#limitBytes || oldest === first) break;
      this.#forget(oldest);
    }
  }

  #forget(first: number): void {
    this.#bytes -= this.#kept.get(first)?.bytes ?? 0;
    this.#kept.delete(first);
  }
}

interface Listener {
  readonly take: (commit: EncodedCommit) => void;
  readonly onFault: ((error: unknown) => void) | undefined;
}

/** The commits of a log, encoded. */
export class EncodedCommits {
  readonly #log: ReadableLog;
  readonly #encoder: CommitEncoder;
  readonly #memory: CommitMemory;
  // Objects, so that a function that subscribes twice is called twice.
  readonly #listeners = new Set<Listener>();
  readonly #unsubscribe: () => void;
  /** How far a large commit, and what came since it began to be encoded, were sent. */
  #sent: Cursor | undefined;
  /** Those who wait for a commit to be sent. */
  readonly #waiting = new Set<{ readonly sequence: number; readonly resolve: () => void }>();

  /** @param limitBytes - how much text of commits to remember, bytes */
  constructor(log: ReadableLog, encoder: CommitEncoder, limitBytes: number) {
    this.#log = log;
    this.#encoder = encoder;
    this.#memory = new CommitMemory(limitBytes);
    this.#unsubscribe = log.subscribe((commit) => {
      // Nobody to push to: who comes later reads it from the log.
      if (this.#listeners.size === 0 || this.#sent) return;
      const quick = encoder.atOnce(commit.members, commit.cursor);
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
   * Commits after a position, in order, from `after + 1` on without gaps, at least one. Equal commits are the same object
   * as long as they are remembered, so that what is made of them is made once.
   *
   * @param after - sequence number of the last member that is not wanted, below the head
   * @param replays - what is waited for before the log is read
   * @throws {@link StreamError} `ERR_MEMBERS_REMOVED` - retention erased some of it
   */
  read(after: number, replays?: ReplayMemory): readonly EncodedCommit[] | Promise<readonly EncodedCommit[]> {
    return this.#memory.after(after, async (position) => {
      await replays?.room();
      return this.#readLog(position);
    });
  }

  /** Bytes of events from a position to the head; `undefined` where that is not known. */
  bytesAfter(position: number): number | undefined {
    return this.#memory.bytesAfter(position);
  }

  /** Resolves once its head is what the log had when it was asked: who has read a document may know of a later commit. */
  async caughtUp(): Promise<void> {
    await this.#log.caughtUp();
    const { sequence } = this.#log.head.cursor;
    if (this.head.sequence >= sequence) return;
    await new Promise<void>((resolve) => this.#waiting.add({ sequence, resolve }));
  }

  close(): void {
    this.#unsubscribe();
    this.#listeners.clear();
  }

  #send(commit: EncodedCommit): void {
    this.#memory.append(commit);
    for (const { take } of this.#listeners) take(commit);
  }

  /** Sends a commit that takes long to encode, and those that come meanwhile: of these nothing waits in memory. */
  async #sendInSlices(large: Commit): Promise<void> {
    const { epoch, sequence } = large.cursor;
    this.#sent = { epoch, sequence: sequence - large.members.length };
    try {
      let commits: readonly EncodedCommit[] = [await this.#encoder.inSlices(large.members, large.cursor)];
      for (;;) {
        for (const commit of commits) {
          this.#sent = { epoch, sequence: commit.last };
          this.#send(commit);
          this.#resolveWaiting();
        }
        const { sequence: sent } = this.#sent;
        if (this.#listeners.size === 0 || sent >= this.#log.head.cursor.sequence) break;
        commits = await this.#readLog(sent);
      }
    } catch (error) {
      // On a server that stops there is nobody left.
      if (isStreamError(error, 'ERR_LOG_CLOSED')) return;
      this.#sent = undefined;
      for (const { onFault } of this.#listeners) onFault?.(error);
    } finally {
      this.#sent = undefined;
      this.#resolveWaiting();
    }
  }

  #resolveWaiting(): void {
    const { sequence } = this.head;
    for (const waiting of this.#waiting) {
      if (waiting.sequence > sequence) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
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
      const commits = commitsOf(members, this.head.epoch);
      // The read may have cut the last commit; at the head it cannot have.
      const isWhole = (members.at(-1) as Member).sequence >= this.#log.head.cursor.sequence;
      const whole = isWhole ? commits : commits.slice(0, -1);
      if (whole.length === 0) continue;
      const all: EncodedCommit[] = [];
      for (const { members: own, cursor } of whole) all.push(await this.#encoder.inSlices(own, cursor));
      return all;
    }
  }
}

/** Those of one publication time are one commit: it increases from commit to commit (DOC-4). */
function commitsOf(members: readonly Member[], epoch: string): Pick<Commit, 'cursor' | 'members'>[] {
  const commits: Pick<Commit, 'cursor' | 'members'>[] = [];
  let start = 0;
  for (let index = 1; index <= members.length; index += 1) {
    if (members[index]?.time === (members[start] as Member).time) continue;
    const own = members.slice(start, index);
    commits.push({ cursor: { epoch, sequence: (own.at(-1) as Member).sequence }, members: own });
    start = index;
  }
  return commits;
}

/**
 * What readers who catch up hold of what was read for them, over all streams of a server: what many of them hold counts
 * once. While it is as much as it may be, nothing more is read for anyone.
 *
 * @see specs/push.md PUSH-66
 */
export class ReplayMemory {
  /** Past it only what was being read is added. */
  readonly limitBytes: number;
  readonly #holders = new Map<EncodedCommit, number>();
  #waiting: (() => void)[] = [];
  #bytes = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get isFull(): boolean {
    return this.#bytes >= this.limitBytes;
  }

  /** Resolves when there is room. */
  async room(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Counts one more holder of each while something is done. */
  async holding(commits: readonly EncodedCommit[], act: () => Promise<void>): Promise<void> {
    for (const commit of commits) {
      const holders = this.#holders.get(commit) ?? 0;
      this.#holders.set(commit, holders + 1);
      if (holders === 0) this.#bytes += textBytes(commit);
    }
    await act().finally(() => this.#release(commits));
  }

  #release(commits: readonly EncodedCommit[]): void {
    for (const commit of commits) {
      const holders = (this.#holders.get(commit) ?? 1) - 1;
      if (holders > 0) this.#holders.set(commit, holders);
      else if (this.#holders.delete(commit)) this.#bytes -= textBytes(commit);
    }
    if (this.isFull) return;
    for (const goOn of this.#waiting) goOn();
    this.#waiting = [];
  }
}
