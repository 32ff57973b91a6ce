import { decimalText } from '../gtfs/decimal-text.ts';
import { ConversionProblem } from './conversion-problem.ts';

/** The most characters of a number in a string. */
export const LIMIT_NUMERAL_CHARACTERS = 400;
/** The largest exponent of a number in a string, either way: what a double can have fits. */
export const LIMIT_NUMERAL_EXPONENT = 400;

const NUMERAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/**
 * A number, or one in a string, as an xsd:decimal. The digits of a string stay as they are, trailing zeros too; an
 * exponent is written out. A number becomes the shortest decimal that reads back as it.
 *
 * @param mark - what stands before the fraction in a string
 * @throws ConversionProblem - no finite number, or one beyond the limits above
 * @see specs/mapping-values.md MAP-52
 */
export function numeral(value: unknown, mark: '.' | ',' = '.'): string {
  if (typeof value === 'number') {
    const text = decimalText(value, 'double');
    if (text !== undefined) return text;
  }
  if (typeof value !== 'string') throw expected();
  const text = value.trim();
  if (text.length > LIMIT_NUMERAL_CHARACTERS) throw expected();
  const match = NUMERAL.exec(mark === '.' ? text : text.replace(/[.,]/g, (point) => (point === mark ? '.' : mark)));
  if (!match) throw expected();
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') throw expected();
  return (sign === '-' ? '-' : '') + shifted(whole, fraction, Number(exponent));
}

/** Digits with their point moved to the right by `places`. */
function shifted(whole: string, fraction: string, places: number): string {
  if (Math.abs(places) > LIMIT_NUMERAL_EXPONENT) throw expected();
  const point = whole.length + places;
  const digits = whole + fraction;
  const before = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const after = point >= 0 ? digits.slice(point) : '0'.repeat(-point) + digits;
  // What an exponent has put in front says nothing; what the source wrote itself stays.
  const left = places === 0 ? before : before.replace(/^0+(?=\d)/, '');
  return after === '' ? left : `${left || '0'}.${after}`;
}

function expected(): ConversionProblem {
  return new ConversionProblem('a number was expected');
}
