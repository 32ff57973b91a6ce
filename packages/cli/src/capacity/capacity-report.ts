import {
  type CapacityMode,
  type CapacityNeed,
  type CapacityQuestion,
  capacityMode,
  capacityNeed,
  DEFAULT_BREAK_EVEN_SECONDS,
  DEFAULT_CAPACITY_COSTS,
  DEFAULT_CDN_POPS,
  DEFAULT_PAYLOAD_BYTES,
  type Mode,
} from '@ldes-live/latency';
import type { CapacityCommand } from '../command-line/capacity-command.ts';
import { type Advice, adviceFor } from './advice.ts';
import { capacityWarnings } from './capacity-warnings.ts';
import type { Measured } from './measure-url.ts';

/** Where a figure comes from; `derived` follows from another one, by their ratio by default. */
export type Origin = 'given' | 'measured' | 'derived' | 'default';

/** What `capacity` found: what it was reckoned with, and what comes of it. */
export interface CapacityReport {
  readonly question: CapacityQuestion;
  readonly origins: Readonly<Record<'interval' | 'payload' | 'requests' | 'deliveries', Origin>>;
  /** Whether the answer is that with a CDN. */
  readonly withCdn: boolean;
  readonly straight: Ways;
  readonly cdn: Ways & { readonly pops: number };
  /** What clients do by what the server advertises, and what to tell it if that is not the better mode. */
  readonly advice: Advice;
  /** Where the figures do not hold, in words for a person. */
  readonly warnings: readonly string[];
  readonly measured?: Measured;
}

/** What both modes need, and the one to take. */
export interface Ways extends CapacityMode {
  readonly needs: Readonly<Record<Mode, CapacityNeed>>;
}

/** Reckons what a command asks for; what it does not give is measured, or a default. Pure. */
export function capacityReport(command: CapacityCommand, measured?: Measured): CapacityReport {
  const interval = either(command.every, measured?.intervalSeconds);
  const payload = either(command.payload, measured?.payloadBytes, DEFAULT_PAYLOAD_BYTES);
  const { requests, deliveries } = ratesOf(command, measured);
  const { compressedBytes } = measured ?? {};
  const { connectionKib, pollConnectionKib } = command;
  const cdnPops = command.cdnPops ?? DEFAULT_CDN_POPS;
  const question: CapacityQuestion = {
    users: command.users,
    malSeconds: command.mal,
    ...(interval.value !== undefined && { intervalSeconds: interval.value }),
    payloadBytes: payload.value,
    costs: {
      ...DEFAULT_CAPACITY_COSTS,
      requestsPerSecond: requests.value,
      deliveriesPerSecond: deliveries.value,
      ...(connectionKib !== undefined && { bytesPerStream: connectionKib * 1024 }),
      ...(pollConnectionKib !== undefined && { bytesPerPoller: pollConnectionKib * 1024 }),
      ...(measured &&
        compressedBytes !== undefined && { pollCompression: Math.max(1, measured.payloadBytes / compressedBytes) }),
    },
  };
  const advertisedSeconds = measured?.breakEvenSeconds ?? DEFAULT_BREAK_EVEN_SECONDS;
  const straight = waysOf(question, advertisedSeconds);
  const cdn = { ...waysOf({ ...question, cdnPops }, advertisedSeconds), pops: cdnPops };
  const withCdn = command.cdnPops !== undefined;
  const ways = withCdn ? cdn : straight;
  return {
    question,
    origins: {
      interval: interval.origin,
      payload: payload.origin,
      requests: requests.origin,
      deliveries: deliveries.origin,
    },
    withCdn,
    straight,
    cdn,
    advice: adviceFor(ways, command.mal, measured?.breakEvenSeconds),
    warnings: capacityWarnings(question, ways.needs, requests.origin === 'measured' ? measured : undefined),
    ...(measured && { measured }),
  };
}

/** A rate that nobody knows is in the default ratio to one that is known: a machine that is slower is slower at both. */
function ratesOf({ requestsPerSecond, deliveriesPerSecond }: CapacityCommand, measured: Measured | undefined) {
  const defaults = DEFAULT_CAPACITY_COSTS;
  const ratio = defaults.deliveriesPerSecond / defaults.requestsPerSecond;
  const requests = either(requestsPerSecond, measured?.requestsPerSecond, defaults.requestsPerSecond);
  if (deliveriesPerSecond === undefined) {
    const isKnown = requests.origin !== 'default';
    return {
      requests,
      deliveries: { value: requests.value * ratio, origin: isKnown ? 'derived' : 'default' },
    } as const;
  }
  const deliveries = { value: deliveriesPerSecond, origin: 'given' } as const;
  if (requests.origin !== 'default') return { requests, deliveries };
  return { requests: { value: deliveriesPerSecond / ratio, origin: 'derived' }, deliveries } as const;
}

function waysOf(question: CapacityQuestion, advertisedSeconds: number): Ways {
  const needs = { push: capacityNeed('push', question), pull: capacityNeed('pull', question) };
  return { ...capacityMode(question, advertisedSeconds), needs };
}

function either<Value extends number | undefined>(
  given: number | undefined,
  measured: number | undefined,
  otherwise?: Value,
): { readonly value: number | Value; readonly origin: Origin } {
  if (given !== undefined) return { value: given, origin: 'given' };
  if (measured !== undefined) return { value: measured, origin: 'measured' };
  return { value: otherwise as Value, origin: 'default' };
}

/** A report as JSON. */
export function capacityJson(report: CapacityReport): string {
  const { question, origins, withCdn, straight, cdn, advice, warnings, measured } = report;
  const { mode, reason, breakEvenSeconds, isComputed, isClose } = withCdn ? cdn : straight;
  const { users, malSeconds, intervalSeconds, payloadBytes, costs } = question;
  const printed = {
    mode,
    isEitherEnough: isClose,
    reason,
    breakEvenSeconds,
    isBreakEvenReckoned: isComputed,
    clients: advice,
    warnings,
    withCdn,
    cdnPops: cdn.pops,
    users,
    malSeconds,
    intervalSeconds,
    payloadBytes,
    costs,
    origins,
    straight: straight.needs,
    cdn: cdn.needs,
    measured,
  };
  return `${JSON.stringify(printed, null, 2)}\n`;
}
