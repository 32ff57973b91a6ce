import type { StreamError } from '@ldes-live/rdf-stream';
import { MAX_PROBLEMS } from '../mapping/map-document.ts';
import { named } from '../options.ts';
import type { HealthLedger } from '../polling/health.ts';
import type { PollListeners, SourceEvent } from '../source.ts';
import { addCounts } from './add-counts.ts';
import type { MqttEdge } from './mqtt-edge.ts';
import type { StoredMessages } from './store-messages.ts';

/** Tells how a broker fares: the ledger, and whoever watches. */
export interface MqttReporter {
  /** The broker granted the subscriptions, or those of them that are not among the problems. */
  connected(startedAtMs: number, problems: readonly StreamError[]): void;
  /** Messages were stored, the first of which came at that time. */
  stored(firstAtMs: number, outcome: StoredMessages): void;
  /** There is no connection, or no more; the next attempt is planned. */
  failed(startedAtMs: number, error: StreamError, nextAtMs: number): void;
  /** When the next attempt is planned; `undefined`: none. */
  planned(atMs: number | undefined): void;
}

const NO_MESSAGES: StoredMessages = { bytes: 0, entities: 0, upserts: 0, deletes: 0, problems: [], findings: {} };

/**
 * Makes what tells how a broker fares. Findings are summed up since the start.
 *
 * @see specs/mqtt.md MQTT-20
 */
export function createMqttReporter(
  origin: string,
  ledger: HealthLedger,
  { clock, report }: Pick<MqttEdge, 'clock'> & Pick<PollListeners, 'report'>,
): MqttReporter {
  let findings: Readonly<Record<string, number>> = {};
  let dataMs: number | undefined;

  const tell = (event: SourceEvent): void => {
    try {
      report(event);
    } catch (thrown) {
      // Whoever watches must not stop what is watched.
      ledger.problem(clock(), named(thrown));
    }
  };

  const taken = (startedAtMs: number, outcome: StoredMessages, isVisible: boolean): void => {
    const nowMs = clock();
    const { newestMs, notice, ...counts } = outcome;
    if (newestMs !== undefined) dataMs = Math.max(newestMs, dataMs ?? newestMs);
    const durationMs = Math.max(0, nowMs - startedAtMs);
    findings = addCounts(findings, outcome.findings);
    ledger.good(nowMs, findings, dataMs);
    for (const problem of outcome.problems) ledger.problem(nowMs, problem);
    const visible = isVisible ? { visibleMs: durationMs } : {};
    // All are counted, and a few are told: a thousand messages may have the same mistake.
    const problems = [...(notice ? [notice] : []), ...outcome.problems].slice(0, MAX_PROBLEMS);
    tell({ kind: 'accepted', origin, startedAtMs, durationMs, ...counts, problems, ...visible });
  };

  return {
    connected: (startedAtMs, problems) => taken(startedAtMs, { ...NO_MESSAGES, problems }, false),
    stored: (firstAtMs, outcome) => taken(firstAtMs, outcome, outcome.upserts + outcome.deletes > 0),
    failed: (startedAtMs, error, nextAtMs) => {
      const nowMs = clock();
      ledger.bad(nowMs, error);
      ledger.planned(nextAtMs);
      tell({ kind: 'failed', origin, startedAtMs, durationMs: Math.max(0, nowMs - startedAtMs), error });
    },
    planned: (atMs) => ledger.planned(atMs),
  };
}
