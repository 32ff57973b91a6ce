/*
 * Where a live query reads: what a source is, what it hands out, and the check of that.
 *
 *   { cursor: { epoch: 'a', sequence: 1 }, time: '2026-11-21T20:53:53.175Z', members: [{ id, entity, kind, quads, ... }] }
 *   { kind: 'upsert', ... } -> ERR_QUERY_SOURCE: it is a change of a follower. Wrap the follower in followCommits()
 */
import { type Commit, formatCursor, type Member } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import { isObject } from './options.ts';

/** What a source of a live query hands out, one after the other. Each is applied whole or not at all. */
export type SourceEvent = Commit | StateEvent;

/** The whole state at once: whatever was known of this source before is forgotten. A reader starts so, and goes on so after a gap. */
export interface StateEvent {
  readonly kind: 'state';
  /** `<epoch>-<sequence>`: where it stands. */
  readonly cursor: string;
  /** The newest version of every living entity. */
  readonly members: readonly Member[];
}

/**
 * Where a live query reads: any async iterable of commits.
 *
 * @example
 * ```ts
 * const source: CommitSource = {
 *   url: 'https://example.org/trams',
 *   async *[Symbol.asyncIterator]() {
 *     const [time, id] = [new Date().toISOString(), 'https://example.org/trams/1#1'];
 *     const quads = [quad(namedNode(id), namedNode('https://example.org/speed'), literal('30'))];
 *     const member = { id, entity: 'https://example.org/trams/1', kind: 'upsert', sequence: 1, time, quads } as const;
 *     yield { cursor: { epoch: 'a', sequence: 1 }, time, members: [member] };
 *   },
 * };
 * ```
 */
export interface CommitSource extends AsyncIterable<SourceEvent> {
  /** The stream's IRI, by which `FROM NAMED WINDOW ... ON <IRI>` means it. */
  readonly url?: string;
  /**
   * The instant up to which nothing published is missing in what was handed out, epoch milliseconds; `undefined` while that is
   * not known. Where there is no such method, the publication time of the last commit is all that is claimed.
   */
  completeToMs?(): number | undefined;
  /** What keeps it from bringing anything, in words for people, as long as that lasts: it is expected to pass. */
  trouble?(): string | undefined;
  /** How old its data are, and whether what brings them to the stream works, as far as it tells. */
  data?(): DataStatus;
}

/** How the data of a stream fare, by what its publisher says. */
export interface DataStatus {
  /** Whether the sources that the publisher reads work; `since` is an xsd:dateTime. Absent where nothing is said of them. */
  readonly source?: { readonly state: 'ok' } | { readonly state: 'failing'; readonly since: string };
  /** How old the newest data are, milliseconds: it grows while a source fails, and while nothing changes. Absent before the first. */
  readonly dataAgeMs?: number;
}

/**
 * Checks what a source brought, without reading every quad: programs without types yield anything.
 *
 * @throws {@link StreamError} `ERR_QUERY_SOURCE` - it is neither a commit nor a state
 * @see specs/query.md
 */
export function checkEvent(event: unknown, url: string | undefined): void {
  const problem = problemOf(event);
  if (problem !== undefined) throw errors.ERR_QUERY_SOURCE({ ...(url !== undefined && { url }), problem });
}

const FOLLOWED: readonly unknown[] = ['upsert', 'delete', 'gap'];

function problemOf(event: unknown): string | undefined {
  if (!isObject(event)) return `it is ${event === null ? 'null' : typeof event}`;
  if ('kind' in event) {
    if (FOLLOWED.includes(event.kind)) return 'it is a change of a follower. Wrap the follower in followCommits()';
    if (event.kind !== 'state') return 'its kind is not state, and commits do not have a kind';
    if (typeof event.cursor !== 'string') return 'the cursor of a state is not a string';
  } else {
    if (!isCursor(event.cursor)) return 'its cursor is not { epoch, sequence } with a string and a number';
    if (!isInstant(event.time)) return 'its time is not a time such as 2026-11-21T20:53:53.175Z';
  }
  if (!Array.isArray(event.members)) return 'its members are not an array';
  for (const [index, member] of event.members.entries()) {
    const wrong = problemOfMember(member);
    if (wrong !== undefined) return `in member ${index}, ${wrong}`;
  }
  return undefined;
}

function problemOfMember(member: unknown): string | undefined {
  if (!isObject(member)) return 'it is not an object';
  for (const name of ['id', 'entity']) if (typeof member[name] !== 'string') return `${name} is not an IRI as a string`;
  if (member.kind !== 'upsert' && member.kind !== 'delete') return 'kind is neither upsert nor delete';
  if (!Number.isSafeInteger(member.sequence)) return 'sequence is not a whole number';
  if (typeof member.time !== 'string') return 'time is not a string';
  if (!Array.isArray(member.quads)) return 'quads are not an array';
  if (member.quads.length > 0 && !isQuad(member.quads[0])) return 'quads are not RDF/JS quads';
  return undefined;
}

/** Whether a value is a quad as RDF/JS has it. */
export function isQuad(value: unknown): boolean {
  return isObject(value) && [value.subject, value.predicate, value.object, value.graph].every(isTerm);
}

function isTerm(value: unknown): boolean {
  return isObject(value) && typeof value.termType === 'string';
}

function isCursor(value: unknown): boolean {
  return isObject(value) && typeof value.epoch === 'string' && Number.isSafeInteger(value.sequence);
}

function isInstant(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

export function isState(event: SourceEvent): event is StateEvent {
  return 'kind' in event;
}

/** The cursor of a commit or a state as results name it. */
export function cursorOf({ cursor }: SourceEvent): string {
  return typeof cursor === 'string' ? cursor : formatCursor(cursor);
}
