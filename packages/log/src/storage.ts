import { type Commit, type Member, parseNQuads, writeQuads } from '@ldes-live/rdf-stream';
import type { LatestChange } from './log-state.ts';
import type { RunsChange } from './removals.ts';

/** Where an ordered log keeps its commits. It is written by one commit or removal at a time. */
export interface LogStorage {
  /**
   * Stores a commit and what it changes of the latest state: all or nothing, durably once the promise resolves.
   *
   * @param freed - sequence numbers of members on erased pages that the commit replaces: they are taken out with it
   */
  write(commit: Commit, change: LatestChange, freed: readonly number[]): Promise<void>;
  /** Which of these are IRIs of stored versions that have IRIs of their own. */
  hasVersions(versionIris: readonly string[]): ReadonlySet<string>;
  /** The members of these sequence numbers, all of them stored, in the order asked for. */
  read(sequences: readonly number[]): Member[];
  /**
   * Stores what is removed from now on and takes members out: all or nothing, durably once the promise resolves.
   *
   * @param sequences - of the members to take out
   */
  remove(sequences: readonly number[], change: RunsChange): Promise<void>;
}

/** A member as it is stored under its sequence number. */
export interface MemberRecord extends Omit<Member, 'sequence' | 'quads'> {
  /** The quads as N-Quads, in their order and with their blank node labels. */
  readonly nquads: string;
}

/**
 * The same commit with the text of each member, which is made here once for the store and for documents.
 *
 * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - a member says what N-Quads cannot
 */
export function withText(commit: Commit): Commit {
  return { ...commit, members: commit.members.map((member) => ({ ...member, nquads: textOf(member) })) };
}

/** What is stored of a member. */
export function toRecord(member: Member): MemberRecord {
  const { sequence: _, quads: __, ...rest } = member;
  return { ...rest, nquads: textOf(member) };
}

// In a datatype such a line is one that earlier releases took and no parser does; an object may well be so.
const DOUBTFUL = 'angString> .\n';

/**
 * The member that was stored. Its quads are read from the text when they are first asked for.
 *
 * @param onUnreadable - called with each line that nobody could read, which the member is given without
 */
export function fromRecord(
  record: MemberRecord,
  sequence: number,
  onUnreadable: (line: string) => void = () => undefined,
): Member {
  if (!record.nquads.includes(DOUBTFUL)) return new StoredMember(record, sequence);
  return new StoredMember({ ...record, nquads: readableLines(record.nquads, onUnreadable) }, sequence);
}

function readableLines(nquads: string, onUnreadable: (line: string) => void): string {
  const lines = nquads.split('\n').slice(0, -1);
  const readable = lines.filter((line) => {
    try {
      return parseNQuads(line).length > 0;
    } catch {
      onUnreadable(line);
      return false;
    }
  });
  return readable.map((line) => `${line}\n`).join('');
}

/** A class, since every object literal with a getter gets a hidden class of its own, which outlives many members. */
class StoredMember implements Member {
  readonly id: string;
  readonly entity: string;
  readonly kind: Member['kind'];
  readonly sequence: number;
  readonly time: string;
  declare readonly versionTime?: string;
  readonly nquads: string;
  #quads: Member['quads'] | undefined;

  constructor(record: MemberRecord, sequence: number) {
    this.id = record.id;
    this.entity = record.entity;
    this.kind = record.kind;
    this.sequence = sequence;
    this.time = record.time;
    if (record.versionTime !== undefined) this.versionTime = record.versionTime;
    this.nquads = record.nquads;
  }

  get quads(): Member['quads'] {
    this.#quads ??= parseNQuads(this.nquads);
    return this.#quads;
  }
}

function textOf({ quads, nquads }: Member): string {
  return nquads ?? writeQuads(quads, 'nquads', {});
}
