/* Drafts of posted members -> commits of the log, with only what is new.
 *
 *   BodyAppender     one body: fills a batch while the batch before it is stored
 *   StreamAppender   all bodies of a stream: one commit at a time, compared with the log as it is then
 *
 * What became of the members of a body, as its answer says it:
 *   { "stored": 2, "unchanged": 1, "held": 0, "cursor": "k3x9a-43" } */

import type { Log } from '@ldes-live/log';
import {
  type Cursor,
  type Draft,
  formatCursor,
  isPublishedState,
  isStreamError,
  type SourceHealth,
  StreamError,
} from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { isAnswerable, statusOf } from '../http/problem.ts';
import type { IngestLimits } from '../options.ts';
import { POST_ORIGIN } from './drafts.ts';

/** What became of the members of a body so far. */
export interface PostResult {
  /** New in the log. */
  readonly stored: number;
  /** States that equal the newest of their entities, and ends, without IRIs of their own, of what does not live. */
  readonly unchanged: number;
  /** Versions that the log has already. */
  readonly held: number;
  /** The commit before the first that was stored, and the last one; absent before there is one. */
  readonly before?: Cursor;
  readonly cursor?: Cursor;
}

/** The result of a body of which nothing was taken yet. */
export const EMPTY_RESULT: PostResult = { stored: 0, unchanged: 0, held: 0 };

/** A result as answers have it. */
export function resultJson({ stored, unchanged, held, cursor }: PostResult) {
  return { stored, unchanged, held, ...(cursor && { cursor: formatCursor(cursor) }) };
}

/** An error of a post that says what is stored of its body. @see specs/ingest.md ING-27 */
export function withResult({ code, message, details, cause }: StreamError, result: PostResult): StreamError {
  const said = result.stored === 0 ? 'No member of the body was' : `${result.stored} members of the body were`;
  return new StreamError(code, `${message} ${said} stored.`, { ...details, ...resultJson(result) }, cause);
}

/** How soon another server may stand in the place of one that stops, or a store take members again, seconds. */
export const RETRY_FAULT_SECONDS = 5;

/** That the server stops, or that another node writes, is not a fault. */
const NO_FAULTS: ReadonlySet<string> = new Set(['ERR_POST_STOPPING', 'ERR_WRITER_UNKNOWN']);

/** Whether the server could not do what it should. */
export function isFault(error: StreamError): boolean {
  return statusOf(error) >= 500 && !NO_FAULTS.has(error.code);
}

/** What an error of rdf-stream or of the log is to who posts. What has no answer of its own is a fault of the server. */
export function postError(error: unknown, path: string): StreamError {
  if (!isStreamError(error)) return errors.ERR_INTERNAL({ path }, error);
  const { details, message } = error;
  switch (error.code) {
    case 'ERR_RDF_MALFORMED':
      return errors.ERR_POST_MALFORMED(details as Parameters<typeof errors.ERR_POST_MALFORMED>[0], error);
    case 'ERR_TERM_UNSUPPORTED':
      return termError(details.term as string, error);
    case 'ERR_LOG_FENCED':
      return errors.ERR_WRITER_UNKNOWN(
        { problem: 'another node became the writer meanwhile', retryAfterSeconds: RETRY_FAULT_SECONDS },
        error,
      );
    case 'ERR_STORE_WRITE':
    case 'ERR_LOG_BUSY':
    case 'ERR_APPEND_UNRESOLVED':
    case 'ERR_NATS_STORAGE':
    case 'ERR_NATS_REFUSED':
      return errors.ERR_POST_NOT_STORED({ reason: message, retryAfterSeconds: RETRY_FAULT_SECONDS }, error);
    default:
      return isAnswerable(error) ? error : errors.ERR_INTERNAL({ path }, error);
  }
}

function termError(term: string, cause: StreamError): StreamError {
  const [, pointed, quoted] = /^(?:<(.*)>|"(.*)")$/s.exec(term) ?? [];
  const iri = pointed ?? quoted;
  const isRelative = iri !== undefined && !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(iri);
  return isRelative ? errors.ERR_POST_RELATIVE_IRI({ iri: `<${iri}>` }, cause) : errors.ERR_POST_TERM({ term }, cause);
}

/** What posts to a stream have come to since the start. @see specs/ingest.md */
export class PostStats {
  readonly #clock: () => number;
  readonly #members = { stored: 0, unchanged: 0, held: 0 };
  // Nothing need be posted for it to be well.
  #health: SourceHealth = { origin: POST_ORIGIN, state: 'ok', polls: { good: 0, bad: 0 }, errors: {}, findings: {} };

  /** @param clock - epoch milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  succeeded(result: PostResult): void {
    this.#count(result);
    const { failingSince: _, polls, ...others } = this.#health;
    this.#health = { ...others, state: 'ok', lastGoodAt: this.#now(), polls: { ...polls, good: polls.good + 1 } };
  }

  failed(error: StreamError, result: PostResult): void {
    const { code, message } = error;
    const { errors: refused, polls, failingSince } = this.#health;
    this.#health = { ...this.#health, errors: { ...refused, [code]: (refused[code] ?? 0) + 1 } };
    // Who may not post says nothing of the source.
    if (code.startsWith('ERR_TOKEN_')) return;
    this.#count(result);
    const at = this.#now();
    const lastError = { code, message, at };
    this.#health = { ...this.#health, lastError, polls: { ...polls, bad: polls.bad + 1 } };
    // A mistake of who posts makes it neither fail nor well.
    if (isFault(error)) this.#health = { ...this.#health, state: 'failing', failingSince: failingSince ?? at };
  }

  health(): SourceHealth {
    return this.#health;
  }

  counts() {
    return { members: { ...this.#members }, refused: this.#health.errors };
  }

  #count(result: PostResult): void {
    for (const kind of ['stored', 'unchanged', 'held'] as const) this.#members[kind] += result[kind];
  }

  #now(): string {
    return new Date(this.#clock()).toISOString();
  }
}

/** What a statement takes in memory besides its terms, as characters. */
const STATEMENT_CHARACTERS = 64;

/** Takes the drafts of one body, and has them stored in commits of bounded size. */
export class BodyAppender {
  readonly #stream: StreamAppender;
  readonly #limits: IngestLimits;
  // Of the next commit: each of another entity, and of another version.
  #drafts: Draft[] = [];
  /** IRIs of these entities and versions. */
  readonly #taken = new Set<string>();
  #characters = 0;
  #members = 0;
  #result: PostResult = EMPTY_RESULT;
  #committing: Promise<void> = Promise.resolve();

  constructor(stream: StreamAppender, limits: IngestLimits) {
    this.#stream = stream;
    this.#limits = limits;
  }

  /** What became of the members that are in the log. */
  get result(): PostResult {
    return this.#result;
  }

  /**
   * Takes the draft of a member.
   *
   * @param ofMember - characters of its terms
   * @returns resolves when the next may be taken; `undefined` when it may at once
   * @throws {@link StreamError} `ERR_POST_TOO_LARGE` - the body has too many
   * @throws {@link StreamError} those of {@link Log.append}, of a batch before
   */
  put(draft: Draft, ofMember: number): Promise<void> | undefined {
    const characters = ofMember + STATEMENT_CHARACTERS * (draft.kind === 'upsert' ? draft.quads.length : 0);
    this.#members += 1;
    const { limitBodyMembers: value } = this.#limits;
    if (this.#members > value) throw errors.ERR_POST_TOO_LARGE({ limit: 'limitBodyMembers', value });
    const flushed = this.#fits(draft, characters) ? undefined : this.#flush();
    if (draft.id !== undefined) this.#taken.add(draft.id);
    this.#taken.add(draft.entity);
    this.#drafts.push(draft);
    this.#characters += characters;
    return flushed;
  }

  /** Has the last ones stored; resolves once all are. @throws {@link StreamError} `ERR_POST_EMPTY` */
  async end(): Promise<void> {
    if (this.#members === 0) throw errors.ERR_POST_EMPTY(undefined);
    await this.#flush();
    await this.#committing;
  }

  /** Resolves once what is being stored is, or is not. The rest is dropped. */
  async abandon(): Promise<void> {
    await this.#committing.catch(() => undefined);
  }

  #fits(draft: Draft, characters: number): boolean {
    const { limitBatchMembers, limitBatchCharacters } = this.#limits;
    // One by itself always fits.
    if (this.#drafts.length === 0) return true;
    if (this.#drafts.length >= limitBatchMembers || this.#characters + characters > limitBatchCharacters) return false;
    return !this.#taken.has(draft.entity) && !this.#taken.has(draft.id ?? draft.entity);
  }

  // While one commit is stored the next is put together, and no more than one.
  #flush(): Promise<void> {
    const drafts = this.#drafts;
    this.#drafts = [];
    this.#taken.clear();
    this.#characters = 0;
    const before = this.#committing;
    this.#committing = before.then(async () => {
      const added = await this.#stream.append(drafts);
      this.#result = sum(this.#result, added);
    });
    // The wait for it throws it.
    this.#committing.catch(() => undefined);
    return before;
  }
}

function sum(one: PostResult, other: PostResult): PostResult {
  return {
    ...one,
    ...other,
    stored: one.stored + other.stored,
    unchanged: one.unchanged + other.unchanged,
    held: one.held + other.held,
    ...(one.before && { before: one.before }),
  };
}

/** How often a commit is put together anew, since others append in between. */
const ATTEMPTS = 3;

/** Appends what is posted to a stream, one commit at a time, and leaves out what the log has. */
export class StreamAppender {
  readonly #log: Log;
  #last: Promise<unknown> = Promise.resolve();

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Appends drafts as one commit, as far as they are new: at least one, each of another entity and version.
   *
   * @throws {@link StreamError} those of {@link Log.append}
   * @see specs/ingest.md ING-20, ING-21
   */
  append(drafts: readonly Draft[]): Promise<PostResult> {
    // What is new depends on the log as it is then: another post may bring the same in between.
    const appended = this.#last.then(() => this.#append(drafts, ATTEMPTS));
    this.#last = appended.catch(() => undefined);
    return appended;
  }

  async #append(drafts: readonly Draft[], attempts: number): Promise<PostResult> {
    const { latest } = this.#log;
    const versions = drafts.flatMap(({ id }) => (id === undefined ? [] : [id]));
    const known = versions.length === 0 ? new Set<string>() : await latest.hasVersions(versions);
    const isHeld = ({ id }: Draft) => id !== undefined && known.has(id);
    const isNew = (draft: Draft) => {
      // What lives may have begun anew after an end that is sent again.
      if (isHeld(draft)) return false;
      // An end too, which would end what lives by then if it was not held.
      if (draft.id !== undefined) return true;
      const entry = latest.get(draft.entity);
      return draft.kind === 'delete' ? entry !== undefined : !isPublishedState(draft, entry);
    };
    const fresh = drafts.filter(isNew);
    const held = drafts.filter(isHeld).length;
    const result = { held, stored: fresh.length, unchanged: drafts.length - held - fresh.length };
    if (fresh.length === 0) return result;
    try {
      const { cursor } = await this.#log.append(fresh);
      return { ...result, before: { ...cursor, sequence: cursor.sequence - fresh.length }, cursor };
    } catch (error) {
      const isOvertaken = isStreamError(error, 'ERR_VERSION_HELD') || isStreamError(error, 'ERR_ENTITY_UNKNOWN');
      if (!isOvertaken || attempts === 1) throw error;
      return this.#append(drafts, attempts - 1);
    }
  }
}
