import type { SourceHealth, SourceProblem, StreamError } from '@ldes-live/rdf-stream';

/** How many names of errors, and of findings, are told apart; what comes up beyond is counted as `other`. */
export const LIMIT_HEALTH_NAMES = 64;

type Counts = Readonly<Record<string, number>>;

/** Keeps the health of one source, in bounded memory. */
export interface HealthLedger {
  /** Data was found unchanged, or taken: then with what was noticed of it, which replaces what was before. */
  good(atMs: number, findings?: Counts): void;
  /** A poll brought nothing that counts. */
  bad(atMs: number, error: StreamError): void;
  /** Something went wrong beside the polls themselves. */
  problem(atMs: number, error: StreamError): void;
  /** The next poll is planned, or, with `undefined`, no poll is. */
  planned(atMs: number | undefined): void;
  /** How the source fares now. */
  health(): SourceHealth;
}

/** Opens the ledger of a source: `starting`, with nothing planned. */
export function createHealthLedger(origin: string): HealthLedger {
  let state: SourceHealth['state'] = 'starting';
  let lastGoodAt: string | undefined;
  let nextPollAt: string | undefined;
  let lastError: SourceProblem | undefined;
  let polls: SourceHealth['polls'] = { good: 0, bad: 0 };
  let errors: Counts = {};
  let findings: Counts = {};

  const problem = (atMs: number, { code, message }: StreamError): void => {
    lastError = { code, message, at: isoTime(atMs) };
    errors = added(errors, code, 1);
  };

  return {
    good(atMs, noticed) {
      state = 'ok';
      polls = { ...polls, good: polls.good + 1 };
      lastGoodAt = isoTime(atMs);
      if (noticed) findings = Object.entries(noticed).reduce((sum, [name, count]) => added(sum, name, count), {});
    },
    bad(atMs, error) {
      if (state === 'ok') state = 'failing';
      polls = { ...polls, bad: polls.bad + 1 };
      problem(atMs, error);
    },
    problem,
    planned(atMs) {
      nextPollAt = atMs === undefined ? undefined : isoTime(atMs);
    },
    health: () => ({
      origin,
      state,
      ...(lastGoodAt === undefined ? {} : { lastGoodAt }),
      ...(nextPollAt === undefined ? {} : { nextPollAt }),
      ...(lastError === undefined ? {} : { lastError }),
      polls,
      errors,
      findings,
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
