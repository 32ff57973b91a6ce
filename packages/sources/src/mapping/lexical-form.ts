import { prefixes, xsd } from '@ldes-live/rdf-stream';
import { decimalText } from '../gtfs/decimal-text.ts';
import type { Scalar } from './compile-value.ts';

const DATE = '-?(?:[1-9]\\d{3,}|0\\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const TIME = '(?:(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?|24:00:00(?:\\.0+)?)';
const ZONE = '(?:Z|[+-](?:(?:0\\d|1[0-3]):[0-5]\\d|14:00))';

/** What the texts of a datatype look like, and what to call them. @see https://www.w3.org/TR/xmlschema11-2/ */
const forms: Readonly<Record<string, readonly [form: RegExp, name: string]>> = {
  [xsd.boolean]: [/^(?:true|false|1|0)$/, 'true or false'],
  [xsd.integer]: [/^[+-]?\d+$/, 'an integer'],
  [xsd.decimal]: [/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/, 'a decimal number'],
  [xsd.double]: [/^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[Ee][+-]?\d+)?|[+-]?INF|NaN)$/, 'a number'],
  [`${prefixes.xsd}float`]: [/^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[Ee][+-]?\d+)?|[+-]?INF|NaN)$/, 'a number'],
  [`${prefixes.xsd}nonNegativeInteger`]: [/^(?:\+?\d+|-0+)$/, 'an integer that is not negative'],
  [xsd.dateTime]: [new RegExp(`^${DATE}T${TIME}${ZONE}?$`), 'a time such as 2026-11-21T09:00:00Z'],
  [`${prefixes.xsd}date`]: [new RegExp(`^${DATE}${ZONE}?$`), 'a date such as 2026-11-21'],
  [`${prefixes.xsd}time`]: [new RegExp(`^${TIME}${ZONE}?$`), 'a time of day such as 09:00:00'],
  [`${prefixes.xsd}gYear`]: [/^-?(?:[1-9]\d{3,}|0\d{3})(?:Z|[+-]\d\d:\d\d)?$/, 'a year'],
  [xsd.duration]: [
    /^-?P(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/,
    'a duration such as PT5M',
  ],
};

/**
 * What stands after a whole number, by hundredths. Most of what is measured has no more decimals, and to find the
 * shortest text of any number takes twice as long.
 */
const hundredths = Array.from({ length: 100 }, (_, count) => String(count / 100).slice(1));
/** Of numbers below, one text alone has so few decimals. */
const MOST_BY_HUNDREDTHS = 1e7;

/** An instant: a time with its zone. */
const INSTANT = new RegExp(`^${DATE}T${TIME}${ZONE}$`);

/**
 * The text of a value; of a number its shortest decimal.
 *
 * @returns `undefined` for a number that no decimal says
 */
export function textOf(value: Scalar): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  const count = Math.round(value * 100);
  if (count / 100 === value && value > 0 && value < MOST_BY_HUNDREDTHS) {
    const whole = Math.trunc(value);
    return `${whole}${hundredths[count - whole * 100]}`;
  }
  const size = Math.abs(value);
  // Such numbers are written without an exponent as they are.
  return (size >= 1e-6 && size < 1e21) || size === 0 ? String(value) : decimalText(value, 'double');
}

/** What texts of a datatype look like: `undefined` for one whose texts are not checked. */
export function lexicalForm(datatype: string): { readonly form: RegExp; readonly expected: string } | undefined {
  const found = Object.hasOwn(forms, datatype) ? forms[datatype] : undefined;
  return found && { form: found[0], expected: found[1] };
}

/** The epoch milliseconds of an xsd:dateTime that has a zone; `undefined` for anything else. */
export function instantOf(text: string): number | undefined {
  const timeMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
