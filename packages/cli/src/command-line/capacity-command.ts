import { parseArgs } from 'node:util';
import { DEFAULT_CDN_POPS } from '@ldes-live/latency';
import { isLoopback } from '../capacity/is-loopback.ts';
import { parseDuration } from '../config/duration.ts';
import { HELP, integer, isHttpUrl, oneOf, parsed, TEXT, usage } from './option-values.ts';

/** What `capacity` was asked for. */
export interface CapacityCommand {
  readonly kind: 'capacity';
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

const FORMATS = ['text', 'json'] as const;
const MOST_USERS = 1e12;
const MOST_PER_SECOND = 1e9;
/** A millisecond to 365 days. */
const SECONDS = { least: 0.001, most: 31_536_000 } as const;
const KIBIBYTES = { least: 0.1, most: 1_000_000 } as const;

/**
 * Reads the arguments of `ldes-live capacity`.
 *
 * @returns `help` where that was asked for
 * @throws {@link StreamError} `ERR_USAGE` - they make no command, or ask to measure another machine without saying so
 */
export function parseCapacity(args: string[]): CapacityCommand | 'help' {
  const command = 'ldes-live capacity';
  const { values } = parsed(command, () =>
    parseArgs({
      args: withNegatives(withCdnPops(args)),
      options: {
        ...HELP,
        users: TEXT,
        mal: TEXT,
        every: TEXT,
        payload: TEXT,
        'requests-per-second': TEXT,
        'deliveries-per-second': TEXT,
        'connection-kib': TEXT,
        'poll-connection-kib': TEXT,
        measure: TEXT,
        'allow-remote': { type: 'boolean' },
        cdn: TEXT,
        format: TEXT,
      },
    }),
  );
  if (values.help) return 'help';
  const { users, mal, every, payload, measure, cdn } = values;
  if (users === undefined) throw usage(command, 'Give --users: how many readers there are at a time.');
  if (mal === undefined) throw usage(command, 'Give --mal: how late an update may be, in seconds.');
  const rate = (option: 'requests-per-second' | 'deliveries-per-second') =>
    values[option] === undefined ? undefined : integer(command, `--${option}`, values[option], 1, MOST_PER_SECOND);
  const kibibytes = (option: 'connection-kib' | 'poll-connection-kib') =>
    values[option] === undefined ? undefined : kib(command, `--${option}`, values[option]);
  const connectionKib = kibibytes('connection-kib');
  const pollConnectionKib = kibibytes('poll-connection-kib');
  const requestsPerSecond = rate('requests-per-second');
  const deliveriesPerSecond = rate('deliveries-per-second');
  checkMeasure(command, measure, values['allow-remote'] ?? false, requestsPerSecond);
  return {
    kind: 'capacity',
    users: integer(command, '--users', users, 1, MOST_USERS),
    mal: time(command, '--mal', mal),
    ...(every !== undefined && { every: time(command, '--every', every) }),
    ...(payload !== undefined && { payload: integer(command, '--payload', payload, 0, Number.MAX_SAFE_INTEGER) }),
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
    ...(deliveriesPerSecond !== undefined && { deliveriesPerSecond }),
    ...(connectionKib !== undefined && { connectionKib }),
    ...(pollConnectionKib !== undefined && { pollConnectionKib }),
    ...(measure !== undefined && { measure }),
    ...(cdn !== undefined && { cdnPops: integer(command, '--cdn', cdn, 1, 1_000_000) }),
    format: oneOf(command, values.format ?? 'text', FORMATS),
  };
}

/** A time in seconds, or a duration with its unit. */
function time(command: string, option: string, text: string): number {
  const durationMs = parseDuration(text);
  const value = durationMs === undefined ? decimal(text) : durationMs / 1000;
  if (value >= SECONDS.least && value <= SECONDS.most) return value;
  throw usage(
    command,
    `${option} is "${text}": give seconds from ${SECONDS.least} to ${SECONDS.most}, such as 10 or 0.5, or a duration such as 2s or 1m.`,
  );
}

function kib(command: string, option: string, text: string): number {
  const value = decimal(text);
  if (value >= KIBIBYTES.least && value <= KIBIBYTES.most) return value;
  throw usage(command, `${option} is "${text}": give KiB from ${KIBIBYTES.least} to ${KIBIBYTES.most}, such as 12.`);
}

function decimal(text: string): number {
  return /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
}

/** A negative number belongs to the option before it, whose range says what is wrong with it. */
function withNegatives(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const last = joined.at(-1);
    if (/^-\.?[0-9]/.test(arg) && last?.startsWith('--') && !last.includes('='))
      joined[joined.length - 1] = `${last}=${arg}`;
    else joined.push(arg);
  }
  return joined;
}

/** The number of places may be left out. */
function withCdnPops(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const next = args[index + 1];
    return arg === '--cdn' && (next === undefined || next.startsWith('-')) ? [`--cdn=${DEFAULT_CDN_POPS}`] : [arg];
  });
}

function checkMeasure(
  command: string,
  url: string | undefined,
  isRemoteAllowed: boolean,
  requestsPerSecond: number | undefined,
): void {
  if (url === undefined) {
    if (isRemoteAllowed) throw usage(command, '--allow-remote belongs to --measure URL, which was not given.');
    return;
  }
  if (requestsPerSecond !== undefined) {
    throw usage(command, 'Both --requests-per-second and --measure were given: choose one.');
  }
  if (!isHttpUrl(url)) {
    throw usage(command, `--measure is "${url}": give a URL of HTTP, such as http://localhost:3000/vehicles/latest.`);
  }
  if (!isLoopback(url) && !isRemoteAllowed) {
    throw usage(
      command,
      `--measure is "${url}", on another machine: measure a server on this one, or say --allow-remote if its owner agrees.`,
    );
  }
}
