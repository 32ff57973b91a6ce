// Forms of texts that configurations and options of commands share. It imports nothing: every command loads it.

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

export function isUrl(text: string, schemes: readonly string[] = ['http', 'https']): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1));
}

/** A text with its URLs as messages may show them: without user and password, also where these are not written as they should be. */
export function withoutUsers(text: string): string {
  return text.replaceAll(/:\/\/[^\s"'/?#]*(?::[^\s"']*)?@/g, '://***@');
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
