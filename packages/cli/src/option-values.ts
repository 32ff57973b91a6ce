/* The values of options: each function reads a text, or says what to give. */
import { InvalidArgumentError, Option } from 'commander';
import { isUrl, parseDuration } from './config/forms.ts';

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
  return /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
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
  if (isUrl(text)) return text;
  throw new InvalidArgumentError('Give an http or https URL, such as http://localhost:3000/vehicles.');
}

/** Where data can be: at a URL of HTTP, or at a broker. */
export function sourceUrl(text: string): string {
  if (isUrl(text, ['http', 'https', 'mqtt', 'mqtts'])) return text;
  throw new InvalidArgumentError('Give a URL of http, https, mqtt or mqtts.');
}

/** How often to poll, as configurations say it. */
export function interval(text: string): string {
  const durationMs = parseDuration(text);
  if (durationMs !== undefined && durationMs >= 100 && durationMs <= 86_400_000) return text;
  throw new InvalidArgumentError('Give a duration with its unit from 100ms to 24h, such as 60s.');
}
