// From a draft to a member. A source yields drafts; the log gives them a place and a time; the members of one commit
// come out.
//
//   Draft   { kind: 'upsert', entity: 'http://h/S/entities/1', origin: 'feed', fingerprint: 'a1', quads: [...] }
//     | CommitBuilder.add(draft)
//   Commit  { cursor: { epoch: 'k3x9a', sequence: 42 }, time: '2026-11-22T10:00:00.000Z', members: [
//             { id: 'http://h/S/entities/1#2026-11-22T10:00:00.000Z', entity, kind: 'upsert', sequence: 42, time, quads } ] }

import type { NamedNode, Quad } from '@rdfjs/types';
import type { Cursor } from './cursor.ts';
import { errors } from './errors.ts';
import { literal, namedNode, quad, relabelBlankNodes } from './terms.ts';
import { as, dct, prov, rdf, xsd } from './vocabulary.ts';

/** What a source wants published of one entity, before the log gives it its place and time. */
export type Draft = UpsertDraft | DeleteDraft;

interface DraftBase {
  /** IRI of the entity. */
  readonly entity: string;
  /** Which feed of the stream it came from; absence is judged within one origin. */
  readonly origin: string;
  /** IRI of this version, where the source has one of its own, such as an observation's: a log holds it once. */
  readonly id?: string | undefined;
}

/** A new state of an entity. */
export interface UpsertDraft extends DraftBase {
  readonly kind: 'upsert';
  /** The state, said of the entity's IRI itself, or of `id` where there is one; blank nodes for what is nested. */
  readonly quads: readonly Quad[];
  /** Equal for equal content: a source compares it to tell whether anything changed. */
  readonly fingerprint: string;
  /** The source's own time of this state, as xsd:dateTime; said in the quads too. */
  readonly versionTime?: string | undefined;
}

/** The end of an entity. */
export interface DeleteDraft extends DraftBase {
  readonly kind: 'delete';
}

/**
 * One immutable version of an entity, as published: a member of an LDES.
 *
 * @see specs/documents.md DOC-3
 */
export interface Member {
  /** IRI of this version. */
  readonly id: string;
  /** IRI of the entity that this is a version of. */
  readonly entity: string;
  /** Whether the entity has this state from now on, or has ended. */
  readonly kind: 'upsert' | 'delete';
  /** Position in the log: 1 for the first member, one more for each next. */
  readonly sequence: number;
  /** Publication time (`ldes:timestampPath`): xsd:dateTime in UTC with milliseconds. Never goes back. */
  readonly time: string;
  /**
   * The source's own time (`ldes:versionTimestampPath`), in any order; absent when the source has none. Where two versions of
   * an entity have one, it tells which is newer: {@link isNewestState}.
   */
  readonly versionTime?: string | undefined;
  /**
   * Of a log: that it was older than the newest version of its entity when it was published, so that it never was the newest
   * state. Documents do not say it: who reads them finds out by {@link isNewestState}.
   */
  readonly isOlder?: true | undefined;
  /** Everything said of this version, its own type and times included. Blank node labels are unique in the stream. */
  readonly quads: readonly Quad[];
  /** The same quads as N-Quads, in their order, where that text exists already: it spares writing them again. */
  readonly nquads?: string | undefined;
}

/** One or more members published at one instant; a reader gets all of them or none. */
export interface Commit {
  /** The cursor after this commit: its last member's sequence. */
  readonly cursor: Cursor;
  /** Publication time of all its members: xsd:dateTime in UTC with milliseconds. */
  readonly time: string;
  /** At least one, in sequence, each of another entity. */
  readonly members: readonly Member[];
}

/** The end of a log: what the next commit follows. */
export interface LogHead {
  /** The cursor of the last commit; sequence 0 when there is none. */
  readonly cursor: Cursor;
  /** Publication time of the last commit, epoch milliseconds; 0 when there is none. */
  readonly timeMs: number;
}

/**
 * What the log remembers of an entity's newest version, for whoever must tell what changed.
 *
 * @see {@link isNewestState}
 */
export interface LatestEntry {
  readonly entity: string;
  /** Sequence of the newest version. */
  readonly sequence: number;
  /** The feed it came from. */
  readonly origin: string;
  /** As its draft had it. */
  readonly fingerprint: string;
  readonly versionTime?: string | undefined;
  /** Of the version that was published last, where that is older than the newest: a feed may repeat it at every poll. */
  readonly lastFingerprint?: string | undefined;
}

/** A read-only view of the latest state: the living entities of a stream. */
export interface LatestView {
  /** How many entities live. */
  readonly size: number;
  /** The newest version of an entity; `undefined` when it does not live. */
  get(entity: string): LatestEntry | undefined;
  /** The living entities that came from one feed; do not append while iterating. */
  ofOrigin(origin: string): Iterable<LatestEntry>;
  /** Sequence numbers of the newest versions, ascending: what a document of the latest state is made of. */
  sequences(): number[];
  /**
   * Which of these IRIs are of versions that the log holds under IRIs of their own, of living entities or not: what it
   * holds is not published again. Those that it made itself are not asked for.
   */
  hasVersions(versionIris: readonly string[]): Promise<ReadonlySet<string>>;
}

/**
 * The commit that drafts become at the end of a log, made one draft after the other. Pure: nothing is stored.
 *
 * Its time is `nowMs`, or one millisecond after the last commit where the clock has not advanced, so that publication
 * times strictly increase and version IRIs are never used twice. A version's IRI is its draft's, or else
 * {@link versionIri}: what the draft says of the entity is then said of the version. Labels of blank nodes follow from the
 * sequence alone, so that every server over the same log writes the same bytes.
 *
 * @see specs/documents.md DOC-3, DOC-4
 */
export class CommitBuilder {
  /** Publication time, as of {@link Commit}. */
  readonly time: string;
  readonly #sequencePath: NamedNode;
  readonly #entities = new Set<string>();
  readonly #versions = new Set<string>();
  #cursor: Cursor;

  /** `sequencePath`: IRI of the property for the sequence number. */
  constructor(head: LogHead, nowMs: number, sequencePath: string) {
    this.time = new Date(Math.max(nowMs, head.timeMs + 1)).toISOString();
    this.#cursor = head.cursor;
    this.#sequencePath = namedNode(sequencePath);
  }

  /** The cursor after the members so far. */
  get cursor(): Cursor {
    return this.#cursor;
  }

  /**
   * The member that the next draft becomes.
   *
   * @throws {@link StreamError} `ERR_DRAFT` - a draft that is none, as plain JavaScript may give it
   * @throws {@link StreamError} `ERR_DRAFT_REPEATED` - a second draft of one entity
   * @throws {@link StreamError} `ERR_VERSION_REPEATED` - a second draft of one version
   */
  add(draft: Draft): Member {
    const problem = draftProblem(draft);
    if (problem !== undefined) throw errors.ERR_DRAFT({ entity: String(draft?.entity), problem });
    const { entity, id } = draft;
    if (this.#entities.has(entity)) throw errors.ERR_DRAFT_REPEATED({ entity });
    this.#entities.add(entity);
    if (id !== undefined) {
      if (this.#versions.has(id)) throw errors.ERR_VERSION_REPEATED({ version: id });
      this.#versions.add(id);
    }
    const { epoch, sequence } = this.#cursor;
    this.#cursor = { epoch, sequence: sequence + 1 };
    try {
      return memberOf(draft, sequence + 1, this.time, this.#sequencePath);
    } catch (cause) {
      throw errors.ERR_DRAFT({ entity, problem: 'its quads are not those of RDF/JS' }, cause);
    }
  }
}

// A member of another kind would be stored without what it says.
function draftProblem(draft: unknown): string | undefined {
  if (typeof draft !== 'object' || draft === null) return 'it is not an object';
  const { entity, origin, kind, quads, fingerprint, id, versionTime } = draft as Readonly<Record<string, unknown>>;
  if (typeof entity !== 'string' || entity === '') return 'its entity is not an IRI';
  if (typeof origin !== 'string') return 'its origin is not a text';
  if (kind !== 'upsert' && kind !== 'delete') return `its kind is ${JSON.stringify(kind)}`;
  if (kind === 'upsert' && !Array.isArray(quads)) return 'its quads are not an array';
  if (kind === 'upsert' && typeof fingerprint !== 'string') return 'its fingerprint is not a text';
  if (id !== undefined && typeof id !== 'string') return 'its id is not an IRI';
  return versionTime === undefined || typeof versionTime === 'string' ? undefined : 'its versionTime is not a text';
}

/** The whole commit of a {@link CommitBuilder}; `drafts`: at least one, each of another entity. */
export function commitDrafts(drafts: readonly Draft[], head: LogHead, nowMs: number, sequencePath: string): Commit {
  const builder = new CommitBuilder(head, nowMs, sequencePath);
  const members = drafts.map((draft) => builder.add(draft));
  return { cursor: builder.cursor, time: builder.time, members };
}

/** IRI of a version that has none of its own: the entity's with the publication time as its fragment. */
export function versionIri(entity: string, time: string): string {
  // An entity IRI may have a fragment already, and an IRI has only one.
  return `${entity}${entity.includes('#') ? '/' : '#'}${time}`;
}

/**
 * Whether a version is the newest state of its entity from now on: unless both it and the newest state so far have a
 * version time, and its own is earlier. To be asked of versions in order of publication.
 *
 * @param known - the newest state so far; `undefined` where the entity does not live
 * @see specs/documents.md DOC-76
 */
export function isNewestState(
  version: Pick<Member, 'kind' | 'versionTime'>,
  known: Pick<Member, 'versionTime'> | undefined,
): boolean {
  // An end has its place by its publication alone.
  if (version.kind === 'delete' || version.versionTime === undefined || known?.versionTime === undefined) return true;
  // What cannot be read is earlier than nothing.
  return !(dateTimeMs(version.versionTime) < dateTimeMs(known.versionTime));
}

/** Whether a state is the newest one, or was published last: it is not to be published again. */
export function isPublishedState({ fingerprint }: Pick<UpsertDraft, 'fingerprint'>, entry: LatestEntry | undefined) {
  return entry !== undefined && (fingerprint === entry.fingerprint || fingerprint === entry.lastFingerprint);
}

const TIME = /^\d{4}-\d\d-\d\d(?:(T)\d\d:\d\d:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * The instant of an xsd:dateTime or xsd:date of the years 0000 to 9999, epoch milliseconds; `NaN` where it cannot be read.
 * One without a zone is of UTC: what the machine's own zone is must not matter.
 */
export function dateTimeMs(text: string): number {
  const match = TIME.exec(text);
  if (!match) return Number.NaN;
  return Date.parse(match[1] && !match[2] ? `${text}Z` : text);
}

const TYPE = namedNode(rdf.type);
const DELETE = namedNode(as.Delete);
const IS_VERSION_OF = namedNode(dct.isVersionOf);
const GENERATED_AT_TIME = namedNode(prov.generatedAtTime);

function memberOf(draft: Draft, sequence: number, time: string, sequencePath: NamedNode): Member {
  const { entity, kind } = draft;
  const id = draft.id ?? versionIri(entity, time);
  const version = namedNode(id);
  const types = kind === 'delete' ? [quad(version, TYPE, DELETE)] : [];
  const others = [
    quad(version, IS_VERSION_OF, namedNode(entity)),
    quad(version, GENERATED_AT_TIME, literal(time, xsd.dateTime)),
    quad(version, sequencePath, literal(String(sequence), xsd.integer)),
  ];
  // What has an IRI of its own is said of that: the entity may be named beside it.
  const spokenOf = draft.id ?? entity;
  for (const said of kind === 'upsert' ? relabelBlankNodes(draft.quads, sequence) : []) {
    const { subject, predicate, object, graph } = said;
    const isOfVersion = subject.termType === 'NamedNode' && (subject.value === spokenOf || subject.value === id);
    const stated = isOfVersion && subject.value !== id ? quad(version, predicate as NamedNode, object, graph) : said;
    (isOfVersion && predicate.value === rdf.type ? types : others).push(stated);
  }
  const versionTime = kind === 'upsert' ? draft.versionTime : undefined;
  return { id, entity, kind, sequence, time, versionTime, quads: [...types, ...others] };
}
