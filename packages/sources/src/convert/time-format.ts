import { ConversionProblem } from './conversion-problem.ts';

type Part = 'year' | 'month' | 'day' | 'hour' | 'hourOfHalf' | 'half' | 'minute' | 'second' | 'fraction';

/** What each run of letters stands for; two of a kind are two digits, one is one or two. */
const PARTS: Readonly<Record<string, readonly [part: Part, pattern: string]>> = {
  yyyy: ['year', '\\d{4}'],
  MM: ['month', '\\d\\d'],
  M: ['month', '\\d\\d?'],
  dd: ['day', '\\d\\d'],
  d: ['day', '\\d\\d?'],
  HH: ['hour', '\\d\\d'],
  H: ['hour', '\\d\\d?'],
  hh: ['hourOfHalf', '(?:0[1-9]|1[0-2])'],
  h: ['hourOfHalf', '(?:0?[1-9]|1[0-2])'],
  a: ['half', '[AaPp]\\.?[Mm]\\.?'],
  mm: ['minute', '\\d\\d'],
  m: ['minute', '\\d\\d?'],
  ss: ['second', '\\d\\d'],
  s: ['second', '\\d\\d?'],
};

/** A run of one letter, text between apostrophes, or a sign that stands for itself. */
const TOKENS = /([A-Za-z])\1*|'([^']*)'|[^A-Za-z]/gu;

/** Reads what is written in a format. */
export interface TimeFormat {
  /**
   * The same as ISO 8601 has it: `2026-11-21`, or with `T18:40:00` where the format has hours. Whether a calendar has the
   * day is not looked at.
   *
   * @throws ConversionProblem - it is not written so
   */
  readonly read: (text: string) => string;
  /** Whether it has hours. */
  readonly hasTime: boolean;
}

/**
 * Reads a format such as `dd/MM/yyyy HH:mm`: a year, a month and a day, and parts of a time of day.
 *
 * @throws ConversionProblem - it is none
 * @see specs/mapping-values.md MAP-93
 */
export function timeFormat(format: unknown): TimeFormat {
  if (typeof format !== 'string')
    throw new ConversionProblem('a text such as "dd/MM/yyyy HH:mm" was expected as format');
  const parts = new Set<Part>();
  const pattern = [...format.matchAll(TOKENS)].map(([token, letter, quoted]) => {
    if (letter === undefined) return literalPattern(quoted ?? token);
    const [part, digits] = partOf(token);
    if (parts.has(part)) throw new ConversionProblem(`${token} says again what the format has before`);
    parts.add(part);
    return `(?<${part}>${digits})`;
  });
  checkParts(parts);
  const expression = new RegExp(`^${pattern.join('')}$`, 'u');
  const hasTime = parts.has('hour') || parts.has('hourOfHalf');
  return {
    hasTime,
    read: (text) => {
      const found = expression.exec(text.trim())?.groups;
      if (!found) throw new ConversionProblem(`what is written as ${format} was expected`);
      const date = `${found.year}-${two(found.month)}-${two(found.day)}`;
      return hasTime ? `${date}T${timeOf(found)}` : date;
    },
  };
}

function partOf(token: string): readonly [Part, string] {
  if (/^S{1,9}$/.test(token)) return ['fraction', `\\d{${token.length}}`];
  const part = Object.hasOwn(PARTS, token) ? PARTS[token] : undefined;
  if (part) return part;
  throw new ConversionProblem(
    `"${token}" stands for nothing in a format, which has yyyy, MM or M, dd or d, HH or H, hh or h with a, mm, ss, S, and other text between apostrophes`,
  );
}

function checkParts(parts: ReadonlySet<Part>): void {
  const need = (holds: boolean, what: string) => {
    if (!holds) throw new ConversionProblem(`${what} was expected in the format`);
  };
  need(parts.has('year') && parts.has('month') && parts.has('day'), 'a year (yyyy), a month (MM) and a day (dd)');
  need(parts.has('half') === parts.has('hourOfHalf'), 'hh or h together with a, for AM and PM,');
  need(!(parts.has('hour') && parts.has('hourOfHalf')), 'either HH or hh');
  need(!parts.has('minute') || parts.has('hour') || parts.has('hourOfHalf'), 'an hour (HH) with the minutes');
  need(!parts.has('second') || parts.has('minute'), 'a minute (mm) with the seconds');
  need(!parts.has('fraction') || parts.has('second'), 'a second (ss) with its fraction');
}

function timeOf(found: Readonly<Record<string, string | undefined>>): string {
  const { hour, hourOfHalf, half, minute, second, fraction } = found;
  const isLater = half?.toLowerCase().startsWith('p') === true;
  const hours = hour ?? String((Number(hourOfHalf) % 12) + (isLater ? 12 : 0));
  return `${two(hours)}:${two(minute)}:${two(second)}${fraction === undefined ? '' : `.${fraction}`}`;
}

function two(digits: string | undefined): string {
  return (digits ?? '').padStart(2, '0');
}

function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}
