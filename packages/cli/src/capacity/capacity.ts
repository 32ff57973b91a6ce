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
import type { Environment } from '../environment.ts';
import { formatBytes, formatCount, plural, TextOutput, wrapText } from '../terminal.ts';
import { type Measured, measureUrl } from './capacity-measure.ts';

/** What `capacity` is asked for: times in seconds, sizes in bytes where the name does not say KiB, rates of a core. */
export interface CapacityOptions {
  readonly users: number;
  /** The maximum acceptable latency of them all. */
  readonly mal: number;
  /** From one update to the next. */
  readonly every?: number;
  /** Size of the state. */
  readonly payload?: number;
  readonly requestsPerSecond?: number;
  readonly deliveriesPerSecond?: number;
  readonly connectionKib?: number;
  /** Of a connection that a polling client keeps open. */
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
  const sleep = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal });
  const userAgent = `ldes-live/${version} (capacity)`;
  const measuring = { ...environment, fetch, sleep, userAgent, machine: machineLoad };
  const measured = measure === undefined ? undefined : await measureUrl(measure, measuring);
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
  const every = interval.value !== undefined && { intervalSeconds: interval.value };
  const question: CapacityQuestion = { users, malSeconds, ...every, payloadBytes: payload.value, costs };
  const withCdn = options.cdnPops !== undefined;
  const [straight, cdn] = [needsOf(question), needsOf({ ...question, cdnPops })];
  const advertisedSeconds = measured?.breakEvenSeconds ?? DEFAULT_BREAK_EVEN_SECONDS;
  const choice = capacityMode(withCdn ? { ...question, cdnPops } : question, advertisedSeconds);
  const { mode, reason, breakEvenSeconds, isComputed, isClose } = choice;
  const clientMode = modeByBreakEven(malSeconds, advertisedSeconds).mode;
  return {
    mode,
    isEitherEnough: isClose,
    reason,
    breakEvenSeconds,
    isBreakEvenReckoned: isComputed,
    clients: {
      advertisedSeconds,
      isMeasured: measured?.breakEvenSeconds !== undefined,
      mode: clientMode,
      configLine: clientMode === mode || isClose ? undefined : breakEvenLine(choice, malSeconds),
    },
    warnings: warningsOf(
      payload.value,
      withCdn ? cdn : straight,
      requests.origin === 'measured' ? measured : undefined,
    ),
    withCdn,
    cdnPops,
    users,
    malSeconds,
    intervalSeconds: interval.value,
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

/** Where a figure comes from; `derived` follows from another one, by their ratio by default. */
type Origin = 'given' | 'measured' | 'derived' | 'default';
interface Figure<Value = number> {
  readonly value: Value;
  readonly origin: Origin;
}

/** A rate that nobody knows is in the default ratio to one that is known: a machine that is slower is slower at both. */
function ratesOf({ requestsPerSecond, deliveriesPerSecond: given }: CapacityOptions, measured: Measured | undefined) {
  const usual = DEFAULT_CAPACITY_COSTS;
  const ratio = usual.deliveriesPerSecond / usual.requestsPerSecond;
  const requests = firstKnown(requestsPerSecond, measured?.requestsPerSecond, usual.requestsPerSecond);
  const isKnown = requests.origin !== 'default';
  const deliveries = firstKnown(given, undefined, requests.value * ratio);
  if (given !== undefined) return { requests: isKnown ? requests : derived(given / ratio), deliveries };
  return { requests, deliveries: isKnown ? derived(deliveries.value) : deliveries };
}

function derived(value: number): Figure {
  return { value, origin: 'derived' };
}

function firstKnown<Value extends number | undefined>(
  given: number | undefined,
  measured: number | undefined,
  otherwise?: Value,
): Figure<number | Value> {
  if (given !== undefined) return { value: given, origin: 'given' };
  if (measured !== undefined) return { value: measured, origin: 'measured' };
  return { value: otherwise as Value, origin: 'default' };
}

/** The longest break-even that a configuration takes, 366 days. */
const MAX_BREAK_EVEN_SECONDS = 31_622_400;

/** The line of the configuration by which clients choose the better mode. */
function breakEvenLine({ mode, breakEvenSeconds }: CapacityMode, malSeconds: number): string {
  // With few digits, as long as it leads clients to the mode.
  const exact = Math.min(breakEvenSeconds, MAX_BREAK_EVEN_SECONDS);
  const short = exact < 9.95 ? Number(exact.toPrecision(2)) : Math.round(exact);
  const stated = modeByBreakEven(malSeconds, short).mode === mode ? short : exact;
  return `breakEven: ${Number(stated.toFixed(3))}s`;
}

/** A state that is so many times larger or smaller than the one of the measurement takes a core other work. */
const OTHER_SIZE = 2;
/** 10 Gbit/s. */
const MAX_CORE_BYTES_PER_SECOND = 1.25e9;

/** Where the figures do not hold. */
function warningsOf(payloadBytes: number, needs: Needs, measured: Measured | undefined): readonly string[] {
  const warnings: string[] = [];
  if (measured?.otherLoad) {
    const { busyCores, cores } = measured.otherLoad;
    const load = `other programs took ${busyCores.toFixed(1)} of ${plural(cores, 'core')}`;
    warnings.push(`${load}: the measured rate is likely too low, measure again without them.`);
  }
  const withBytes = measured?.payloadBytes ?? DEFAULT_PAYLOAD_BYTES;
  const isLarger = payloadBytes > withBytes * OTHER_SIZE;
  if (isLarger || payloadBytes < withBytes / OTHER_SIZE) {
    const found = `the rates are ${measured ? 'measured with' : 'those of a state of'} ${formatBytes(withBytes)}`;
    const change = `of ${formatBytes(payloadBytes)} a core does ${isLarger ? 'fewer' : 'more'}: measure your own.`;
    warnings.push(`${found}; ${change}`);
  }
  for (const mode of ['push', 'pull'] as const) {
    const eachBytes = needs[mode].peakBytesPerSecond / needs[mode].cores;
    const speed = `${formatBytes(eachBytes)}/s at its peak, not compressed: more than 10 Gbit/s.`;
    if (eachBytes > MAX_CORE_BYTES_PER_SECOND) warnings.push(`by ${NAMES[mode]} a core would send ${speed}`);
  }
  return warnings;
}

const NAMES: Readonly<Record<Mode, string>> = { push: 'push', pull: 'polling' };
const WORK: Readonly<Record<Mode, string>> = { push: 'events', pull: 'requests' };
const TEXT_COLUMNS = 100;

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
    ...breakEvenText(report),
    ...warnings.map((warning) => `Warning: ${warning}`),
    '',
    ...tableLines(report),
    '',
    ...wrapText(computedWith(report), TEXT_COLUMNS, ''),
    'specs/capacity.md has the formulas, the defaults and the limits, and says how to measure your own.',
  ];
  return `${lines.join('\n')}\n`;
}

function breakEvenText({ mode, withCdn, clients, breakEvenSeconds, isBreakEvenReckoned }: CapacityReport): string[] {
  const { advertisedSeconds, isMeasured, configLine } = clients;
  const seconds = formatFigure(breakEvenSeconds);
  if (!isBreakEvenReckoned) {
    const who = isMeasured ? 'this server advertises' : 'servers advertise';
    return [`Break-even: MAL ${seconds} s, which ${who}. The update interval is unknown (give --every SECONDS).`];
  }
  const does = clients.mode === 'push' ? 'are pushed to' : 'poll';
  const [who, unless] = isMeasured ? ['this server', ''] : ['a server', ' by default'];
  return [
    breakEvenSeconds === 0
      ? `Break-even: none. Polling takes less processor time with any MAL${withCdn ? ' with a CDN' : ''}.`
      : `Break-even: MAL ${seconds} s. Push takes less processor time below it, polling above.`,
    `Clients ${does}: ${who} advertises a break-even of ${formatFigure(advertisedSeconds)} s${unless}.`,
    ...(configLine ? [`For ${NAMES[mode]}, add this to the stream in config.yml:  ${configLine}`] : []),
  ];
}

function needText({ cores, memoryBytes, bytesPerSecond, peakBytesPerSecond }: CapacityNeed): string {
  const sent = `${bytesPerSecond === undefined ? 'up to ' : ''}${formatRate(bytesPerSecond ?? peakBytesPerSecond)}`;
  return `${amount(cores, 'core')}, ${formatMemory(memoryBytes)} and ${sent}`;
}

const COLUMNS: readonly (readonly [title: string, cell: (need: CapacityNeed, mode: Mode) => string])[] = [
  ['cores', ({ cores }) => formatCount(cores)],
  ['busy', ({ busyCores, cores }) => formatShare(busyCores / cores)],
  ['a second', ({ meanPerSecond }) => (meanPerSecond === undefined ? '-' : formatFigure(meanPerSecond))],
  ['a second, peak', ({ peakPerSecond }, mode) => `${formatFigure(peakPerSecond)} ${WORK[mode]}`],
  ['memory', ({ memoryBytes }) => formatMemory(memoryBytes)],
  ['sent', ({ bytesPerSecond }) => formatRate(bytesPerSecond)],
  ['sent, peak', ({ peakBytesPerSecond }) => formatRate(peakBytesPerSecond)],
  ['gzip', ({ compressedBytesPerSecond }) => formatRate(compressedBytesPerSecond)],
  ['gzip, peak', ({ compressedPeakBytesPerSecond }) => formatRate(compressedPeakBytesPerSecond)],
];

function tableLines({ straight, cdn }: CapacityReport): string[] {
  const rows = (['push', 'pull'] as const).flatMap((mode) => [
    [NAMES[mode], ...COLUMNS.map(([, cell]) => cell(straight[mode], mode))],
    [`${NAMES[mode]}, CDN`, ...COLUMNS.map(([, cell]) => cell(cdn[mode], mode))],
  ]);
  const all = [['', ...COLUMNS.map(([title]) => title)], ...rows];
  const widths = all.reduce<number[]>((wide, row) => row.map((cell, at) => Math.max(wide[at] ?? 0, cell.length)), []);
  const padded = (cell: string, at: number) =>
    at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
  return all.map((row) => row.map(padded).join('  '));
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

function formatRate(bytesPerSecond: number | undefined): string {
  return bytesPerSecond === undefined ? '-' : `${formatBytes(bytesPerSecond)}/s`;
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
