/* How one source fares, in bounded memory: what `/health` tells of it, and the fields that no mapping names.
 *
 *   { origin: 'feed', state: 'failing', failingSince: '2026-11-22T10:00:05.000Z', polls: { good: 70, bad: 2 },
 *     errors: { ERR_FEED_STATUS: 2 }, findings: { versionTimesBack: 1 }, lastError: { code, message, at }, ... } */

import type { FindingMeaning, SourceHealth, StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';

/** How many names of errors, and of findings, are told apart; what comes up beyond is counted as `other`. */
export const LIMIT_HEALTH_NAMES = 64;

/** How long fields are gathered until they are told together, after some were told, milliseconds. */
export const TELL_UNMAPPED_MS = 120_000;

/** How many fields a source tells; those beyond are counted. */
export const LIMIT_UNMAPPED_TOLD = 1000;

type Counts = Readonly<Record<string, number>>;

/** What findings mean, by their names, as they are before a colon. */
const FINDINGS: Readonly<Record<string, FindingMeaning>> = {
  'unknown-field': { title: 'a field that the specification does not have', severity: 'warning' },
  'skipped-entity': {
    title: 'an entity lacks a required field or is too large, and was ignored',
    severity: 'error',
  },
  'entity-without-content': { title: 'an entity has an id and nothing else', severity: 'error' },
  'entity-without-key': { title: 'an entity has no key, and was ignored', severity: 'error' },
  'key-fallback': { title: 'an entity has an incomplete key', severity: 'warning' },
  'key-collision': { title: 'two entities have the same key', severity: 'error' },
  'deleted-by-id-only': { title: 'a deleted entity has only an entity id', severity: 'warning' },
  'unusable-time': { title: 'an invalid time was ignored', severity: 'error' },
  'unusable-number': { title: 'an invalid number was ignored', severity: 'error' },
  'unusable-language': { title: 'an invalid language tag was ignored', severity: 'error' },
  'unusable-url': { title: 'an invalid link was ignored: it is not a web address', severity: 'error' },
  'unusable-color': { title: 'an invalid colour was ignored: it is not 6 hexadecimal digits', severity: 'error' },
  'unreadable-row': { title: 'a row of the timetable cannot be read, and was ignored', severity: 'error' },
  'repeated-id': { title: 'two rows of the timetable have the same id: the last one counts', severity: 'error' },
  versionTimesBack: { title: 'an entity is older than its newest version', severity: 'warning' },
};

/** Keeps the health of one source: `starting`, with nothing planned, at first. */
export class HealthTracker {
  #health: SourceHealth;

  constructor(origin: string) {
    this.#health = { origin, state: 'starting', polls: { good: 0, bad: 0 }, errors: {}, findings: {} };
  }

  /** How the source fares now. */
  readonly health = (): SourceHealth => this.#health;

  /**
   * Data was accepted, or found unchanged.
   *
   * @param findings - what was noticed of it, which replaces what was before
   * @param dataMs - the newest time that it states of itself, epoch milliseconds
   */
  good(atMs: number, findings?: Counts, dataMs?: number): void {
    const { polls, dataAt } = this.#health;
    this.#health = {
      ...this.#health,
      state: 'ok',
      failingSince: undefined,
      lastGoodAt: isoTime(atMs),
      dataAt: isoTime(dataMs) ?? dataAt,
      polls: { ...polls, good: polls.good + 1 },
    };
    this.#notice(atMs, findings);
  }

  /** A poll brought nothing that counts; where it could be read, with what was noticed of it. */
  bad(atMs: number, error: StreamError, findings?: Counts): void {
    const { state, failingSince = isoTime(atMs), polls } = this.#health;
    this.#health = {
      ...this.#health,
      state: state === 'ok' ? 'failing' : state,
      failingSince,
      polls: { ...polls, bad: polls.bad + 1 },
    };
    this.problem(atMs, error);
    this.#notice(atMs, findings);
  }

  /** Something went wrong beside the polls themselves. */
  problem(atMs: number, { code, message }: StreamError): void {
    const lastError = { code, message, at: isoTime(atMs) };
    this.#health = { ...this.#health, lastError, errors: added(this.#health.errors, code, 1) };
  }

  /**
   * The next poll is planned, or, with `undefined`, no poll is.
   *
   * @param updateMs - when what it may bring is expected to be visible, epoch milliseconds
   */
  planned(atMs: number | undefined, updateMs?: number): void {
    this.#health = { ...this.#health, nextPollAt: isoTime(atMs), nextUpdateAt: isoTime(updateMs) };
  }

  #notice(atMs: number, noticed: Counts | undefined): void {
    if (!noticed) return;
    const findings = Object.entries(noticed).reduce((sum, [name, count]) => added(sum, name, count), {});
    const known = Object.keys(findings).flatMap((finding) => {
      const [name = ''] = finding.split(':', 1);
      return Object.hasOwn(FINDINGS, name) ? [[finding, FINDINGS[name] as FindingMeaning] as const] : [];
    });
    const meanings = known.length > 0 ? Object.fromEntries(known) : undefined;
    this.#health = { ...this.#health, findings, noticedAt: isoTime(atMs), meanings };
  }
}

function added(counts: Counts, name: string, count: number): Counts {
  const isNew = !Object.hasOwn(counts, name);
  const key = isNew && Object.keys(counts).length >= LIMIT_HEALTH_NAMES ? 'other' : name;
  return { ...counts, [key]: (Object.hasOwn(counts, key) ? (counts[key] as number) : 0) + count };
}

function isoTime(timeMs: number): string;
function isoTime(timeMs: number | undefined): string | undefined;
function isoTime(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString();
}

/** How often documents are looked at: to look costs about as much as to map. */
interface LookPace {
  /** How many, in each span of time. */
  readonly looks: number;
  /** The span, milliseconds. */
  readonly everyMs: number;
}

/**
 * Remembers the fields of a source that no mapping names, so that each is told once.
 *
 * @see specs/mappings.md MAP-23
 */
export class UnmappedWatch {
  readonly #pace: LookPace;
  readonly #known = new Set<string>();
  #untold: string[] = [];
  #span = { sinceMs: Number.NEGATIVE_INFINITY, looks: 0 };
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(pace: LookPace) {
    this.#pace = pace;
  }

  /** Whether a document is to be looked at; counts it if so. */
  mayLook(nowMs: number): boolean {
    if (hasPassed(this.#span.sinceMs, this.#pace.everyMs, nowMs)) this.#span = { sinceMs: nowMs, looks: 0 };
    this.#span.looks += 1;
    return this.#span.looks <= this.#pace.looks;
  }

  /** Takes the fields of a document. @returns how many of them are new */
  note(paths: readonly string[]): number {
    const room = LIMIT_UNMAPPED_TOLD - this.#known.size;
    const found = paths.filter((path) => !this.#known.has(path)).slice(0, room);
    for (const path of found) this.#known.add(path);
    this.#untold.push(...found);
    return found.length;
  }

  /** What is to be told now: `ERR_MAPPING_UNMAPPED` with the fields that have not been. */
  tell(nowMs: number): StreamError | undefined {
    if (this.#untold.length === 0 || !hasPassed(this.#toldMs, TELL_UNMAPPED_MS, nowMs)) return undefined;
    const paths = this.#untold;
    this.#untold = [];
    this.#toldMs = nowMs;
    return errors.ERR_MAPPING_UNMAPPED({ paths });
  }
}

// A clock that was set back must not silence a source.
function hasPassed(sinceMs: number, spanMs: number, nowMs: number): boolean {
  return nowMs < sinceMs || nowMs - sinceMs >= spanMs;
}
