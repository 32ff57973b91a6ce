/* Forms of texts that configurations and options of commands share, and the values of options: a function of these reads a text,
 * or says what to give. Every command loads it. */
import { createHash } from 'node:crypto';
import { InvalidArgumentError, Option } from 'commander';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
export const DURATION = /^([0-9]{1,9})(?:(\.[0-9]{1,3})?(s|m|h|d)|(ms))$/;

/**
 * Reads a duration: a number and its unit, such as `500ms`, `20s`, `1.5m`, `1h` or `7d`. A day has 24 hours.
 *
 * @returns whole milliseconds; `undefined` when the text is not a duration
 */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (!match) return undefined;
  const [, whole, fraction = '', longUnit, unit = longUnit] = match;
  // Thousandths of a second or more are whole milliseconds, but for what binary fractions leave over.
  return Math.round(Number(whole + fraction) * (UNIT_MS[unit as string] as number));
}

/** The kinds of sources that `init` knows, in the order of its question. */
export const SOURCE_KINDS = [
  'gtfsrt',
  'gbfs',
  'json',
  'ndjson',
  'geojson',
  'csv',
  'xml',
  'sensorthings',
  'mqtt',
  'post',
] as const;
/** What a publisher has. */
export type SourceKind = (typeof SOURCE_KINDS)[number];

export const NODE_NAME = /^[A-Za-z0-9.-]{1,64}$/;
export const NATS_STREAM = /^[A-Za-z0-9_-]{1,32}$/;
/** The address of a NATS server; a name and password in it would be in every message. */
export const NATS_URL = /^(?:nats|tls):\/\/(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::[0-9]{1,5})?$/;

/** Of URLs at which data can be. */
export const SOURCE_SCHEMES: readonly string[] = ['http', 'https', 'mqtt', 'mqtts'];

export function isUrl(text: string, schemes: readonly string[] = ['http', 'https']): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1));
}

/** A text with its URLs as messages may show them: without what may be a user or password, however it is written. */
export function withoutUsers(text: string): string {
  return text.replaceAll(/\S+/g, (word) => {
    const [from, to] = [word.indexOf('://'), word.lastIndexOf('@')];
    return from >= 0 && to > from ? `${word.slice(0, from)}://***${word.slice(to)}` : word;
  });
}

/** The name of a session at a broker, the same from start to start: as MQTT 3.1.1 may want it, 23 letters and digits. */
export function sessionName(streamUrl: string): string {
  return `ldes${createHash('sha256').update(streamUrl).digest('hex').slice(0, 19)}`;
}

/** Whether a URL is one of this machine alone, by its name. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** Values that are there, of those that may be absent. */
export function given<Values extends object>(values: Values) {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Values]?: Exclude<Values[Key], undefined> };
}

export function choices(flags: string, about: string, values: readonly string[], preset?: string): Option {
  const option = new Option(flags, about).choices(values);
  return preset === undefined ? option : option.default(preset);
}

export function repeated(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text];
}

export function integer(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give an integer from ${min} to ${max}.`);
  };
}

function decimal(text: string): number {
  return /^(?:[0-9]+|[0-9]*\.[0-9]+)$/.test(text) ? Number(text) : Number.NaN;
}

export function seconds(text: string): number {
  const value = decimal(text);
  if (value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new InvalidArgumentError('Give seconds, a number above 0 such as 10 or 0.5.');
}

/** Seconds, or a duration with its unit. */
export function span(text: string): number {
  const durationMs = parseDuration(text);
  const value = durationMs === undefined ? decimal(text) : durationMs / 1000;
  if (value >= 0.001 && value <= 31_536_000) return value;
  throw new InvalidArgumentError('Give seconds from 0.001 to 31536000, such as 0.5, or a duration such as 2s or 1m.');
}

export function windowMs(text: string): number {
  const value = parseDuration(text);
  if (value !== undefined && value > 0) return value;
  throw new InvalidArgumentError('Give a length of time above 0, such as 60s, 5m or 1h.');
}

export function kibibytes(text: string): number {
  const value = decimal(text);
  if (value >= 0.1 && value <= 1_000_000) return value;
  throw new InvalidArgumentError('Give KiB from 0.1 to 1000000, such as 12.');
}

export function httpUrl(text: string): string {
  // The URL is shown in what is found, and fetch takes none with a user.
  if (isUrl(text) && new URL(text).username === '' && new URL(text).password === '') return text;
  throw new InvalidArgumentError(
    'Give an http or https URL without user and password, such as http://localhost:3000/vehicles.',
  );
}

/** Where data can be: at a URL of HTTP, or at a broker. */
export function sourceUrl(text: string): string {
  if (isUrl(text, SOURCE_SCHEMES)) return text;
  throw new InvalidArgumentError('Give a URL of http, https, mqtt or mqtts.');
}

/** How often to poll, as configurations say it. */
export function interval(text: string): string {
  const durationMs = parseDuration(text);
  if (durationMs !== undefined && durationMs >= 100 && durationMs <= 86_400_000) return text;
  throw new InvalidArgumentError('Give a duration with its unit from 100ms to 24h, such as 60s.');
}
