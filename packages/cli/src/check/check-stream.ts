// Checks a stream for a program: survey -> evidence -> rules -> report. Only the survey asks the server.
//
//   { url: 'http://a/s', root: 'http://a/s', stream: 'http://a/s#stream', errors: 0, warnings: 1, advice: 0,
//     findings: [{ id: 'CHK-51', severity: 'warning', title: 'A mutable document has an ETag', source: 'LDES Server ...',
//       observations: [{ url: 'http://a/s', saw: 'no ETag' }] }],
//     polling: { documents: 2, scheduledRequests: 2, intervalSeconds: 20, ... },
//     extent: { pagesRead: 4, pagesKnown: 4, requests: 33, bytes: 20480, seconds: 7.2 } }

import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { type ContactHosts, hostsOf } from '../hosts.ts';
import { type CheckedNode, type Evidence, mutableNodes } from './evidence.ts';
import { type CheckLimits, createSendRequest, DEFAULT_CHECK_LIMITS, politeClient } from './http.ts';
import { type Observation, type Rule, rulesOf, type Severity } from './rule.ts';
import { httpRules } from './rules-http.ts';
import { treeRules } from './rules-tree.ts';
import { survey } from './survey.ts';

export type { CheckLimits, Observation, Severity };

/** All that is checked, by number. @see specs/check.md */
export const rules: readonly Rule[] = rulesOf({ ...treeRules, ...httpRules });

/** What a check of a program works with. */
export interface CheckStreamOptions {
  /** The present, epoch milliseconds. */
  readonly clock: () => number;
  /** Ends the check; it reports what it has. @defaultValue none */
  readonly interrupted?: AbortSignal | undefined;
  /** Which hosts may be asked. @defaultValue `public` where the URL is one of a public host, else `any` */
  readonly hosts?: ContactHosts | undefined;
  /** Header fields for requests to the origin of the URL alone. @defaultValue none */
  readonly ofOrigin?: Readonly<Record<string, string>>;
  /** Where they differ from the defaults: see {@link CheckLimits}. */
  readonly limits?: Partial<CheckLimits> | undefined;
  /** Called before a document is read, with what is being done, for people. */
  readonly onProgress?: ((doing: string) => void) | undefined;
}

/** A rule that is broken. */
export interface Finding extends Omit<Rule, 'check'> {
  /** Where, and what was seen there; one at least. */
  readonly observations: readonly Observation[];
}

/** What it costs to poll a stream, with its schedule and without. */
export interface PollingCost {
  /** Documents that may change: what a poller asks for each time. */
  readonly documents: number;
  /** Requests an update of who comes back when the next is due. */
  readonly scheduledRequests: number;
  /** Time between updates, and what tells it; absent when nothing does. */
  readonly intervalSeconds?: number | undefined;
  readonly intervalFrom?: 'ldes:pollingInterval' | 'Next-Update' | 'the times of members' | undefined;
  /** Requests an update of who asks every second. */
  readonly unscheduledRequests?: number | undefined;
  /** What tells a poller when to come back, the best of what is there; absent when nothing does. */
  readonly scheduleFrom?: 'Next-Update' | 'max-age' | 'Expires' | 'ldes:pollingInterval' | undefined;
  /** How old a copy may be that a cache hands out; absent when a document does not limit it. */
  readonly stalenessSeconds?: number | undefined;
}

/** All that a check has to tell, as `--format json` prints it. What is not known is `undefined`. */
export interface CheckReport {
  /** What was given. */
  readonly url: string;
  /** Absent where none was found, as is its stream. */
  readonly root?: string | undefined;
  readonly stream?: string | undefined;
  /** How many rules of each severity are broken. */
  readonly errors: number;
  readonly warnings: number;
  readonly advice: number;
  /** By number of the rule. */
  readonly findings: readonly Finding[];
  /** Absent where nothing changes. */
  readonly polling?: PollingCost | undefined;
  /** How far the check went. */
  readonly extent: {
    readonly pagesRead: number;
    /** Of which it has heard, read or not. */
    readonly pagesKnown: number;
    readonly requests: number;
    /** Of content, as sent. */
    readonly bytes: number;
    readonly seconds: number;
    /** Why it ended before its time; absent where it did not. */
    readonly stopped?: string | undefined;
  };
}

/**
 * Checks a stream by every rule of `specs/check.md`. It never fails for what servers do: what cannot be read is a finding,
 * and a report without `root` is one where no stream was found. It sends one request at a time.
 *
 * ```ts
 * const { errors, findings } = await checkStream('https://a.example/s', { clock: Date.now, limits: { pages: 5 } });
 * ```
 *
 * @param url - of HTTP: of the stream, the root, or an overview
 * @throws TypeError `ERR_INVALID_URL` - it is not a URL
 */
export async function checkStream(url: string, options: CheckStreamOptions): Promise<CheckReport> {
  const { clock, interrupted: signal = new AbortController().signal, onProgress = () => undefined } = options;
  const { ofOrigin = {} } = options;
  const { origin } = new URL(url);
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
  const { send, close } = createSendRequest(clock, options.hosts ?? (await hostsOf(url)));
  const client = politeClient({
    send,
    limits: { ...DEFAULT_CHECK_LIMITS, ...options.limits },
    clock,
    sleep: (ms) => delay(ms, undefined, { signal }),
    signal,
    userAgent: `ldes-live/${version} (check)`,
    ofOrigin: (asked) => (new URL(asked).origin === origin ? ofOrigin : {}),
  });
  try {
    const evidence = await survey(url, { client, onProgress });
    const findings = findBrokenRules(evidence);
    const countOf = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
    return {
      url,
      root: evidence.nodes[0]?.url,
      stream: evidence.stream?.iri,
      errors: countOf('error'),
      warnings: countOf('warning'),
      advice: countOf('advice'),
      findings,
      polling: pollingCost(evidence),
      extent: { pagesRead: evidence.nodes.length, pagesKnown: evidence.knownNodes, ...client.used() },
    };
  } finally {
    close();
  }
}

function findBrokenRules(evidence: Evidence): Finding[] {
  const judged = rules.map(({ check, ...heading }) => ({ ...heading, observations: check(evidence) }));
  return judged.filter(({ observations }) => observations.length > 0);
}

function pollingCost(evidence: Evidence): PollingCost | undefined {
  const changing = mutableNodes(evidence);
  const documents = changing.length;
  if (documents === 0) return undefined;
  const stated = evidence.stream?.pollingIntervalSeconds;
  const byMembers = intervalOfMembers(evidence);
  // The members of one update may have times of their own: the wait that is announced is more than their gaps.
  const announced = Math.max(0, ...changing.map((node) => ((node.nextUpdateMs ?? 0) - node.answeredMs) / 1000));
  const intervals = [
    ['ldes:pollingInterval', stated],
    ['Next-Update', announced > (byMembers ?? 0) ? announced : undefined],
    ['the times of members', byMembers],
  ] as const;
  const [intervalFrom, intervalSeconds] = intervals.find(([, seconds]) => seconds !== undefined) ?? [];
  const schedules = [
    ['Next-Update', changing.some(({ nextUpdateMs }) => nextUpdateMs !== undefined)],
    ['max-age', changing.some(({ maxAgeSeconds = 0 }) => maxAgeSeconds > 0)],
    ['Expires', changing.some(({ expiresMs }) => expiresMs !== undefined)],
    ['ldes:pollingInterval', stated !== undefined],
  ] as const;
  const stalenesses = changing.map(stalenessSeconds);
  return {
    documents,
    scheduledRequests: documents,
    intervalSeconds,
    intervalFrom,
    unscheduledRequests:
      intervalSeconds === undefined ? undefined : Math.max(1, Math.round(intervalSeconds)) * documents,
    scheduleFrom: schedules.find(([, isThere]) => isThere)?.[0],
    stalenessSeconds: stalenesses.includes(undefined) ? undefined : Math.max(...stalenesses.map(Number)),
  };
}

function stalenessSeconds({ caching, maxAgeSeconds, expiresMs, answeredMs }: CheckedNode): number | undefined {
  if (caching.has('no-store', 'no-cache')) return 0;
  const kept = maxAgeSeconds ?? (expiresMs && Math.max(0, (expiresMs - answeredMs) / 1000));
  return kept === undefined ? undefined : kept + (caching.secondsOf('stale-while-revalidate') ?? 0);
}

// The median gap between the times of publication, of the newest hundred.
function intervalOfMembers({ nodes }: Evidence): number | undefined {
  const instants = new Set(nodes.flatMap(({ members }) => members.flatMap((member) => member.instants)));
  const seconds = [...instants].map((instant) => Number(instant / 1_000_000n) / 1000);
  const newest = seconds.sort((left, right) => left - right).slice(-101);
  const gaps = newest.slice(1).map((time, index) => time - (newest[index] as number));
  return gaps.sort((left, right) => left - right)[Math.floor(gaps.length / 2)];
}
