/*
 * What it takes to serve so many readers within their MAL: by push and by polling, with a CDN and without.
 *
 *   { users: 10000, mal: 2, every: 20 } + defaults, or what a server answers -> CapacityReport -> text or JSON
 *
 *   Push serves them: 10,000 users at MAL 2 s need 1 core, 256 MiB and 2.6 MB/s.
 *   Break-even: MAL 80 s. Push takes less processor time below it, polling above.
 *   Clients are pushed to: a server advertises a break-even of 10 s unless told otherwise.
 *
 * The formulas are those of specs/capacity.md, in the package latency.
 */
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
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
  modeByBreakEven,
} from '@ldes-live/latency';
import { formatBytes, formatCount, plural } from '../amounts.ts';
import type { Environment } from '../environment.ts';
import { TextOutput, wrapText } from '../terminal.ts';
import { type Measured, measureUrl } from './capacity-measure.ts';

/** What `capacity` is asked for. */
export interface CapacityOptions {
  /** Readers at a time. */
  readonly users: number;
  /** The maximum acceptable latency of them all, seconds. */
  readonly mal: number;
  /** From one update to the next, seconds. */
  readonly every?: number;
  /** Size of the state, bytes. */
  readonly payload?: number;
  /** Polls that a core answers. */
  readonly requestsPerSecond?: number;
  /** Events that a core delivers. */
  readonly deliveriesPerSecond?: number;
  /** Memory of a push connection, KiB. */
  readonly connectionKib?: number;
  /** Memory of a connection that a polling client keeps open, KiB. */
  readonly pollConnectionKib?: number;
  /** URL to measure. */
  readonly measure?: string;
  /** Places of the CDN to answer for; absent to answer for none. */
  readonly cdnPops?: number;
  readonly format: 'text' | 'json';
}

/** What `capacity` found, as its JSON has it: what it was computed with, and what comes of it. */
type CapacityReport = ReturnType<typeof capacityReport>;

type Needs = Readonly<Record<Mode, CapacityNeed>>;

/**
 * Computes what it takes to serve so many readers, and prints it.
 *
 * @returns the exit code, 0
 * @throws {@link StreamError} `ERR_MEASURE` - the URL to measure does not answer as it has to
 * @throws {@link StreamError} `ERR_OUTPUT` - the output cannot be written
 * @see specs/capacity.md
 */
export async function capacity(options: CapacityOptions, environment: Environment): Promise<number> {
  const { measure, format } = options;
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
  const measured =
    measure === undefined
      ? undefined
      : await measureUrl(measure, {
          ...environment,
          fetch,
          sleep: (ms, signal) => delay(ms, undefined, { signal }),
          userAgent: `ldes-live/${version} (capacity)`,
          machine: machineLoad,
        });
  const report = capacityReport(options, measured);
  const output = new TextOutput(environment.stdout);
  await output.write(format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : capacityText(report));
  output.close();
  return 0;
}

function machineLoad() {
  const all = cpus();
  const busyMs = all.reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
  return { busySeconds: busyMs / 1000, cores: all.length };
}

/** Computes what is asked for; what is not given is measured, or a default. */
export function capacityReport(options: CapacityOptions, measured?: Measured) {
  const { users, mal: malSeconds, connectionKib, pollConnectionKib, cdnPops = DEFAULT_CDN_POPS } = options;
  const interval = firstKnown(options.every, measured?.intervalSeconds);
  const payload = firstKnown(options.payload, measured?.payloadBytes, DEFAULT_PAYLOAD_BYTES);
  const { requests, deliveries } = ratesOf(options, measured);
  const costs = {
    ...DEFAULT_CAPACITY_COSTS,
    requestsPerSecond: requests.value,
    deliveriesPerSecond: deliveries.value,
    ...(connectionKib !== undefined && { bytesPerStream: connectionKib * 1024 }),
    ...(pollConnectionKib !== undefined && { bytesPerPoller: pollConnectionKib * 1024 }),
    ...(measured?.compressedBytes !== undefined && {
      pollCompression: Math.max(1, measured.payloadBytes / measured.compressedBytes),
    }),
  };
  const question: CapacityQuestion = {
    users,
    malSeconds,
    ...(interval.value !== undefined && { intervalSeconds: interval.value }),
    payloadBytes: payload.value,
    costs,
  };
  const withCdn = options.cdnPops !== undefined;
  const [straight, cdn] = [needsOf(question), needsOf({ ...question, cdnPops })];
  const advertisedSeconds = measured?.breakEvenSeconds ?? DEFAULT_BREAK_EVEN_SECONDS;
  const choice = capacityMode(withCdn ? { ...question, cdnPops } : question, advertisedSeconds);
  const { mode, reason, breakEvenSeconds, isComputed, isClose } = choice;
  const measuredRate = requests.origin === 'measured' ? measured : undefined;
  return {
    mode,
    isEitherEnough: isClose,
    reason,
    breakEvenSeconds,
    isBreakEvenReckoned: isComputed,
    clients: clientsBy(choice, malSeconds, measured?.breakEvenSeconds),
    warnings: warningsOf(question, withCdn ? cdn : straight, measuredRate),
    withCdn,
    cdnPops,
    users,
    malSeconds,
    intervalSeconds: question.intervalSeconds,
    payloadBytes: payload.value,
    costs,
    origins: {
      interval: interval.origin,
      payload: payload.origin,
      requests: requests.origin,
      deliveries: deliveries.origin,
    },
    straight,
    cdn,
    measured,
  };
}

function needsOf(question: CapacityQuestion): Needs {
  return { push: capacityNeed('push', question), pull: capacityNeed('pull', question) };
}

/** A rate that nobody knows is in the default ratio to one that is known: a machine that is slower is slower at both. */
function ratesOf({ requestsPerSecond, deliveriesPerSecond }: CapacityOptions, measured: Measured | undefined) {
  const defaults = DEFAULT_CAPACITY_COSTS;
  const ratio = defaults.deliveriesPerSecond / defaults.requestsPerSecond;
  const requests = firstKnown(requestsPerSecond, measured?.requestsPerSecond, defaults.requestsPerSecond);
  const isKnown = requests.origin !== 'default';
  if (deliveriesPerSecond === undefined) {
    return {
      requests,
      deliveries: { value: requests.value * ratio, origin: isKnown ? 'derived' : 'default' },
    } as const;
  }
  const derived = { value: deliveriesPerSecond / ratio, origin: 'derived' } as const;
  return {
    requests: isKnown ? requests : derived,
    deliveries: { value: deliveriesPerSecond, origin: 'given' },
  } as const;
}

/** Where a figure comes from; `derived` follows from another one, by their ratio by default. */
type Origin = 'given' | 'measured' | 'derived' | 'default';

function firstKnown<Value extends number | undefined>(
  given: number | undefined,
  measured: number | undefined,
  otherwise?: Value,
): { readonly value: number | Value; readonly origin: Origin } {
  if (given !== undefined) return { value: given, origin: 'given' };
  if (measured !== undefined) return { value: measured, origin: 'measured' };
  return { value: otherwise as Value, origin: 'default' };
}

/** The longest break-even that a configuration takes, 366 days. */
const MAX_BREAK_EVEN_SECONDS = 31_622_400;

/** What clients do, and the line of the configuration by which they choose the better mode, where they do not (CAP-15). */
function clientsBy(
  { mode, breakEvenSeconds, isClose }: CapacityMode,
  malSeconds: number,
  measuredSeconds: number | undefined,
) {
  const advertisedSeconds = measuredSeconds ?? DEFAULT_BREAK_EVEN_SECONDS;
  const chosen = modeByBreakEven(malSeconds, advertisedSeconds).mode;
  const isLed = chosen === mode || isClose;
  // With few digits, as long as it leads clients to the mode.
  const exact = Math.min(breakEvenSeconds, MAX_BREAK_EVEN_SECONDS);
  const short = exact < 9.95 ? Number(exact.toPrecision(2)) : Math.round(exact);
  const stated = modeByBreakEven(malSeconds, short).mode === mode ? short : exact;
  return {
    advertisedSeconds,
    isMeasured: measuredSeconds !== undefined,
    mode: chosen,
    configLine: isLed ? undefined : `breakEven: ${Number(stated.toFixed(3))}s`,
  };
}

/** A state that is so many times larger or smaller than the one of the measurement takes a core other work. */
const OTHER_SIZE = 2;
/** 10 Gbit/s. */
const MAX_CORE_BYTES_PER_SECOND = 1.25e9;

/** Where the figures do not hold (CAP-16, CAP-18). */
function warningsOf(
  { payloadBytes }: CapacityQuestion,
  needs: Needs,
  measured: Measured | undefined,
): readonly string[] {
  const withBytes = measured?.payloadBytes ?? DEFAULT_PAYLOAD_BYTES;
  const isLarger = payloadBytes > withBytes * OTHER_SIZE;
  const isSmaller = payloadBytes < withBytes / OTHER_SIZE;
  const found = `the rates are ${measured ? 'measured with' : 'those of a state of'} ${formatBytes(withBytes)}`;
  const change = `of ${formatBytes(payloadBytes)} a core does ${isLarger ? 'fewer' : 'more'}: measure your own.`;
  const floods = (['push', 'pull'] as const).flatMap((mode) => {
    const eachBytes = needs[mode].peakBytesPerSecond / needs[mode].cores;
    const speed = `${formatBytes(eachBytes)}/s at its peak, not compressed: more than 10 Gbit/s.`;
    return eachBytes > MAX_CORE_BYTES_PER_SECOND ? [`by ${NAMES[mode]} a core would send ${speed}`] : [];
  });
  const { busyCores, cores } = measured?.otherLoad ?? {};
  const load = `other programs took ${busyCores?.toFixed(1)} of ${plural(cores ?? 0, 'core')}`;
  return [
    ...(busyCores === undefined ? [] : [`${load}: the measured rate is likely too low, measure again without them.`]),
    ...(isLarger || isSmaller ? [`${found}; ${change}`] : []),
    ...floods,
  ];
}

const NAMES: Readonly<Record<Mode, string>> = { push: 'push', pull: 'polling' };
const TEXT_COLUMNS = 100;
const WORK: Readonly<Record<Mode, string>> = { push: 'events', pull: 'requests' };

function capacityText(report: CapacityReport): string {
  const { mode, isEitherEnough, users, malSeconds, withCdn, warnings } = report;
  const needs = withCdn ? report.cdn : report.straight;
  const other = mode === 'push' ? 'pull' : 'push';
  const who = `${amount(users, 'user')} at MAL ${formatCount(malSeconds)} s${withCdn ? ', with a CDN,' : ''}`;
  const need = `${who} ${users === 1 ? 'needs' : 'need'} ${needText(needs[mode])}`;
  const choice = isEitherEnough
    ? `Either serves them: ${need} by ${NAMES[mode]}, ${needText(needs[other])} by ${NAMES[other]}.`
    : `${mode === 'push' ? 'Push' : 'Polling'} serves them: ${need}.`;
  const lines = [
    ...wrapText(choice, TEXT_COLUMNS, ''),
    breakEvenLine(report),
    ...clientLines(report),
    ...warnings.map((warning) => `Warning: ${warning}`),
    '',
    ...tableLines(report),
    '',
    ...wrapText(computedWith(report), TEXT_COLUMNS, ''),
    'specs/capacity.md has the formulas, the defaults, what is not counted, and how to measure your own.',
  ];
  return `${lines.join('\n')}\n`;
}

function breakEvenLine({ withCdn, clients, breakEvenSeconds, isBreakEvenReckoned }: CapacityReport): string {
  const seconds = formatFigure(breakEvenSeconds);
  if (!isBreakEvenReckoned) {
    const who = clients.isMeasured ? 'this server advertises' : 'servers advertise';
    return `Break-even: MAL ${seconds} s, which ${who}; nothing tells when updates come (--every SECONDS).`;
  }
  return breakEvenSeconds === 0
    ? `Break-even: none, as polling takes less processor time whatever the MAL${withCdn ? ' with a CDN' : ''}.`
    : `Break-even: MAL ${seconds} s. Push takes less processor time below it, polling above.`;
}

function clientLines({ clients, mode, isBreakEvenReckoned }: CapacityReport): string[] {
  if (!isBreakEvenReckoned) return [];
  const { advertisedSeconds, isMeasured, configLine } = clients;
  const does = clients.mode === 'push' ? 'are pushed to' : 'poll';
  const [who, unless] = isMeasured ? ['this server', ''] : ['a server', ' unless told otherwise'];
  const line = `Clients ${does}: ${who} advertises a break-even of ${formatFigure(advertisedSeconds)} s${unless}.`;
  if (configLine === undefined) return [line];
  return [line, `For ${NAMES[mode]}, put this below the stream in config.yml:  ${configLine}`];
}

function needText({ cores, memoryBytes, bytesPerSecond, peakBytesPerSecond }: CapacityNeed): string {
  const sent = `${bytesPerSecond === undefined ? 'up to ' : ''}${formatBytes(bytesPerSecond ?? peakBytesPerSecond)}/s`;
  return `${amount(cores, 'core')}, ${formatMemory(memoryBytes)} and ${sent}`;
}

function tableLines({ straight, cdn }: CapacityReport): string[] {
  const rows = [
    ['', 'cores', 'busy', 'a second', 'a second, peak', 'memory', 'sent', 'sent, peak', 'gzip', 'gzip, peak'],
    tableRow('push', 'push', straight),
    tableRow('push, CDN', 'push', cdn),
    tableRow('polling', 'pull', straight),
    tableRow('polling, CDN', 'pull', cdn),
  ];
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(width(0)) : cell.padStart(width(column)))).join('  '),
  );
}

function tableRow(name: string, mode: Mode, { [mode]: need }: Needs): string[] {
  const sent = (bytes: number | undefined) => (bytes === undefined ? '-' : `${formatBytes(bytes)}/s`);
  return [
    name,
    formatCount(need.cores),
    formatShare(need.busyCores / need.cores),
    need.meanPerSecond === undefined ? '-' : formatFigure(need.meanPerSecond),
    `${formatFigure(need.peakPerSecond)} ${WORK[mode]}`,
    formatMemory(need.memoryBytes),
    sent(need.bytesPerSecond),
    sent(need.peakBytesPerSecond),
    sent(need.compressedBytesPerSecond),
    sent(need.compressedPeakBytesPerSecond),
  ];
}

function computedWith({ intervalSeconds, payloadBytes, costs, origins }: CapacityReport): string {
  const { requestsPerSecond, deliveriesPerSecond } = costs;
  const interval = intervalSeconds === undefined ? 'no interval' : `${formatCount(intervalSeconds)} s between updates`;
  const figures = [
    `${interval} (${origins.interval})`,
    `a state of ${formatBytes(payloadBytes)} (${origins.payload})`,
    `${formatFigure(requestsPerSecond)} requests/s (${origins.requests})`,
    `${formatFigure(deliveriesPerSecond)} deliveries/s (${origins.deliveries}) a core`,
  ];
  return `Computed with ${figures.join(', ')}.`;
}

function amount(count: number, one: string): string {
  return plural(count, one).replace(/\d+/, formatCount(count));
}

/** A number with two digits that count below 10, and none behind the point above. */
function formatFigure(value: number): string {
  return value === 0 || value >= 9.95 ? formatCount(Math.round(value)) : String(Number(value.toPrecision(2)));
}

/** Memory, in powers of 1,024. */
function formatMemory(bytes: number): string {
  const mebibytes = bytes / 1024 ** 2;
  return mebibytes < 10_000 ? `${formatFigure(mebibytes)} MiB` : `${formatFigure(mebibytes / 1024)} GiB`;
}

/** A share of 1 in percent. */
function formatShare(share: number): string {
  return share > 0 && share < 0.0001 ? '<0.01 %' : `${formatFigure(share * 100)} %`;
}
