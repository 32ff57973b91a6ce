import type { FindingMeaning, SourceHealth, SourceProblem, StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';

/** How many names of errors, and of findings, are told apart; what comes up beyond is counted as `other`. */
export const LIMIT_HEALTH_NAMES = 64;

type Counts = Readonly<Record<string, number>>;

/** Keeps the health of one source, in bounded memory. */
export interface HealthLedger {
  /**
   * Data was taken, or found unchanged.
   *
   * @param findings - what was noticed of it, which replaces what was before
   * @param dataMs - the newest time that it states of itself, epoch milliseconds
   */
  good(atMs: number, findings?: Counts, dataMs?: number): void;
  /** A poll brought nothing that counts; where it could be read, with what was noticed of it. */
  bad(atMs: number, error: StreamError, findings?: Counts): void;
  /** Something went wrong beside the polls themselves. */
  problem(atMs: number, error: StreamError): void;
  /**
   * The next poll is planned, or, with `undefined`, no poll is.
   *
   * @param updateMs - when what it may bring is expected to be visible, epoch milliseconds
   */
  planned(atMs: number | undefined, updateMs?: number): void;
  /** How the source fares now. */
  health(): SourceHealth;
}

/**
 * Opens the ledger of a source: `starting`, with nothing planned.
 *
 * @param meaningOf - what a finding means, where that is known
 */
export function createHealthLedger(
  origin: string,
  meaningOf: (finding: string) => FindingMeaning | undefined = () => undefined,
): HealthLedger {
  let state: SourceHealth['state'] = 'starting';
  let failingSince: string | undefined;
  let lastGoodAt: string | undefined;
  let dataAt: string | undefined;
  let nextPollAt: string | undefined;
  let nextUpdateAt: string | undefined;
  let lastError: SourceProblem | undefined;
  let polls: SourceHealth['polls'] = { good: 0, bad: 0 };
  let errors: Counts = {};
  let findings: Counts = {};
  let noticedAt: string | undefined;
  let meanings: Readonly<Record<string, FindingMeaning>> | undefined;

  const problem = (atMs: number, { code, message }: StreamError): void => {
    lastError = { code, message, at: isoTime(atMs) };
    errors = added(errors, code, 1);
  };

  const notice = (atMs: number, noticed: Counts | undefined): void => {
    if (!noticed) return;
    findings = Object.entries(noticed).reduce((sum, [name, count]) => added(sum, name, count), {});
    noticedAt = isoTime(atMs);
    const known = Object.keys(findings).flatMap((name) => {
      const meaning = meaningOf(name);
      return meaning ? [[name, meaning] as const] : [];
    });
    meanings = known.length > 0 ? Object.fromEntries(known) : undefined;
  };

  return {
    good(atMs, noticed, dataMs) {
      state = 'ok';
      failingSince = undefined;
      polls = { ...polls, good: polls.good + 1 };
      lastGoodAt = isoTime(atMs);
      if (dataMs !== undefined) dataAt = isoTime(dataMs);
      notice(atMs, noticed);
    },
    bad(atMs, error, noticed) {
      if (state === 'ok') state = 'failing';
      failingSince ??= isoTime(atMs);
      polls = { ...polls, bad: polls.bad + 1 };
      problem(atMs, error);
      notice(atMs, noticed);
    },
    problem,
    planned(atMs, updateMs) {
      nextPollAt = atMs === undefined ? undefined : isoTime(atMs);
      nextUpdateAt = updateMs === undefined ? undefined : isoTime(updateMs);
    },
    health: () => ({
      origin,
      state,
      ...(failingSince === undefined ? {} : { failingSince }),
      ...(lastGoodAt === undefined ? {} : { lastGoodAt }),
      ...(dataAt === undefined ? {} : { dataAt }),
      ...(nextPollAt === undefined ? {} : { nextPollAt }),
      ...(nextUpdateAt === undefined ? {} : { nextUpdateAt }),
      ...(lastError === undefined ? {} : { lastError }),
      polls,
      errors,
      findings,
      ...(noticedAt === undefined ? {} : { noticedAt }),
      ...(meanings === undefined ? {} : { meanings }),
    }),
  };
}

function added(counts: Counts, name: string, count: number): Counts {
  const isNew = !Object.hasOwn(counts, name);
  const key = isNew && Object.keys(counts).length >= LIMIT_HEALTH_NAMES ? 'other' : name;
  return { ...counts, [key]: (Object.hasOwn(counts, key) ? (counts[key] as number) : 0) + count };
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** How long fields are gathered until they are told together, after some were told, milliseconds. */
export const TELL_UNMAPPED_MS = 120_000;

/** How many fields a source tells; those beyond are counted. */
export const LIMIT_UNMAPPED_TOLD = 1000;

/** How often documents are looked at: to look costs about as much as to map. */
export interface LookPace {
  /** How many, in each span of time. */
  readonly looks: number;
  /** The span, milliseconds. */
  readonly everyMs: number;
}

/** Remembers the fields of a source that no mapping names, so that each is told once. */
export interface UnmappedWatch {
  /** Whether a document is to be looked at; counts it if so. */
  mayLook(nowMs: number): boolean;
  /** Takes the fields of a document. @returns how many of them are new */
  note(paths: readonly string[]): number;
  /** What is to be told now: `ERR_MAPPING_UNMAPPED` with the fields that have not been. */
  tell(nowMs: number): StreamError | undefined;
}

/**
 * Makes the watch of a source. Pure but for what it remembers, which is bounded.
 *
 * @see specs/sources.md SRC-27
 */
export function createUnmappedWatch({ looks, everyMs }: LookPace): UnmappedWatch {
  const known = new Set<string>();
  let untold: string[] = [];
  let span = { sinceMs: Number.NEGATIVE_INFINITY, looks: 0 };
  let toldMs = Number.NEGATIVE_INFINITY;
  return {
    mayLook(nowMs) {
      if (hasPassed(span.sinceMs, everyMs, nowMs)) span = { sinceMs: nowMs, looks: 0 };
      span.looks += 1;
      return span.looks <= looks;
    },
    note(paths) {
      const room = LIMIT_UNMAPPED_TOLD - known.size;
      const found = paths.filter((path) => !known.has(path)).slice(0, room);
      for (const path of found) known.add(path);
      untold.push(...found);
      return found.length;
    },
    tell(nowMs) {
      if (untold.length === 0 || !hasPassed(toldMs, TELL_UNMAPPED_MS, nowMs)) return undefined;
      const paths = untold;
      untold = [];
      toldMs = nowMs;
      return errors.ERR_MAPPING_UNMAPPED({ paths });
    },
  };
}

// A clock that was set back must not silence a source.
function hasPassed(sinceMs: number, spanMs: number, nowMs: number): boolean {
  return nowMs < sinceMs || nowMs - sinceMs >= spanMs;
}
