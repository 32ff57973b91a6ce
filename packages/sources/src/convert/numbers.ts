/*
 * Numbers as their sources write them, exactly: texts are decimals as they stand, and sums are those of whole numbers.
 * `numeral` reads `"8.810"` as `"8.810"`, `1e-7` as `"0.0000001"`; with marks of its own, `"1.234,5"` as `"1234.5"`.
 */
import { xsd } from '@ldes-live/rdf-stream';
import { ConversionProblem, type Converter, integerArgument, optionsOf, plainConverter, textOf } from './converter.ts';

/** The most characters of a number in a string. */
const LIMIT_NUMERAL_CHARACTERS = 400;
/** The largest exponent of a number in a string, either way: what a double can have fits. */
const LIMIT_NUMERAL_EXPONENT = 400;
/** The most places that `round` leaves. */
const LIMIT_ROUND_PLACES = 30;

/** What may stand between thousands, as characters of a regular expression: a space may be one that does not break. */
const THOUSANDS = new Map<unknown, string>([...'.,'].map((mark) => [mark, mark]));
THOUSANDS.set(' ', ' \\u{a0}\\u{202f}').set("'", "'\\u{2019}");

const NUMERAL = numeralForm('\\d*', '.');

/** How a number is written: its sign, whole digits, fraction and exponent. */
function numeralForm(whole: string, mark: string): RegExp {
  return new RegExp(`^([+-]?)(${whole})(?:[${mark}](\\d*))?(?:[eE]([+-]?\\d+))?$`, 'u');
}

/**
 * The form of numbers by an argument `{ mark, thousands }`. Whole digits stand in threes between marks of thousands, or
 * without any.
 *
 * @throws ConversionProblem - other marks, or twice the same
 */
function formOf(argument: unknown): RegExp {
  const { mark = '.', thousands } = optionsOf(argument, 'mark', 'thousands');
  if (mark !== '.' && mark !== ',') throw new ConversionProblem('"." or "," was expected as mark');
  if (thousands === undefined) return numeralForm('\\d*', mark);
  const between = THOUSANDS.get(thousands);
  if (between === undefined || thousands === mark) {
    throw new ConversionProblem(`a sign other than mark was expected as thousands: ".", ",", " " or "'"`);
  }
  return numeralForm(`\\d{1,3}(?:[${between}]\\d{3})+|\\d*`, mark);
}

/**
 * A number, or one in a string, as an xsd:decimal. The digits of a string stay as they are, trailing zeros too; an
 * exponent is written out. A number becomes the shortest decimal that reads back as it.
 *
 * @throws ConversionProblem - no finite number, or one beyond the limits above
 * @see specs/mapping-values.md MAP-52
 */
export function numeral(value: unknown, form = NUMERAL): string {
  if (typeof value === 'number') {
    const text = textOf(value);
    if (text !== undefined) return text;
  }
  if (typeof value !== 'string') throw expected();
  const text = value.trim();
  const match = text.length > LIMIT_NUMERAL_CHARACTERS ? null : form.exec(text);
  if (!match) throw expected();
  const [, sign = '', grouped = '', fraction = '', exponent = '0'] = match;
  const whole = form === NUMERAL ? grouped : grouped.replace(/\D/gu, '');
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

/** A decimal number: `units` divided by 10 to the power of `scale`, which is not negative. */
interface ExactDecimal {
  readonly units: bigint;
  readonly scale: number;
}

function exactDecimal(value: unknown): ExactDecimal {
  const [whole = '', fraction = ''] = numeral(value).split('.');
  return { units: BigInt(whole + fraction), scale: fraction.length };
}

/** Writes a decimal in the fewest digits. */
function exactText({ units, scale }: ExactDecimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/(?<!0)0+$/, '');
  return (units < 0n ? '-' : '') + (fraction === '' ? whole : `${whole}.${fraction}`);
}

/** A number in the fewest digits, which is the same for equal numbers. */
export function shortestNumeral(value: unknown): string {
  return exactText(exactDecimal(value));
}

function multiplied(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

function added(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  const scale = Math.max(a.scale, b.scale);
  const unitsOf = (one: ExactDecimal) => one.units * 10n ** BigInt(scale - one.scale);
  return { units: unitsOf(a) + unitsOf(b), scale };
}

/** The nearest decimal of at most `places` places; halves go away from zero. */
function rounded(a: ExactDecimal, places: number): ExactDecimal {
  if (a.scale <= places) return a;
  const divisor = 10n ** BigInt(a.scale - places);
  const magnitude = a.units < 0n ? -a.units : a.units;
  const nearest = (magnitude + divisor / 2n) / divisor;
  return { units: a.units < 0n ? -nearest : nearest, scale: places };
}

/** A number in a string, or a number, as a number; its datatype goes by the value. @see specs/mapping-values.md MAP-52 */
const number: Converter = {
  make(argument) {
    const form = formOf(argument);
    return (value) => {
      const read = Number(numeral(value, form));
      if (!Number.isFinite(read)) throw new ConversionProblem('a number that a double can hold was expected');
      return read;
    };
  },
};

/** The text of a number as it stands, as a decimal. @see specs/mapping-values.md MAP-52 */
const decimal: Converter = {
  datatype: xsd.decimal,
  make(argument) {
    const form = formOf(argument);
    return (value) => numeral(value, form);
  },
};

/** A whole number, of any size. @see specs/mapping-values.md MAP-52 */
const integer: Converter = {
  datatype: xsd.integer,
  make(argument) {
    const form = formOf(argument);
    return (value) => {
      const whole = /^(-?\d+)(?:\.0*)?$/.exec(numeral(value, form))?.[1];
      if (whole === undefined) throw new ConversionProblem('a whole number was expected');
      return whole;
    };
  },
};

/** The nearest decimal of so many places. @see specs/mapping-values.md MAP-52 */
const round: Converter = {
  datatype: xsd.decimal,
  make(argument) {
    const places = integerArgument(argument ?? 0, 0, LIMIT_ROUND_PLACES);
    return (value) => exactText(rounded(exactDecimal(value), places));
  },
};

/** A sum or a product with the argument, exactly. @see specs/mapping-values.md MAP-52 */
function withOther(operation: (value: ExactDecimal, other: ExactDecimal) => ExactDecimal): Converter {
  return {
    datatype: xsd.decimal,
    make(argument) {
      const other = exactDecimal(argument);
      return (value) => exactText(operation(exactDecimal(value), other));
    },
  };
}

/** A number of units of time as a duration. @see specs/mapping-values.md MAP-59 */
function durationOf(unit: ExactDecimal): Converter {
  return plainConverter((value) => {
    const text = exactText(multiplied(exactDecimal(value), unit));
    return text.startsWith('-') ? `-PT${text.slice(1)}S` : `PT${text}S`;
  }, xsd.duration);
}

/** A number outside of what can be meant is absent; what is no number stays. @see specs/mapping-values.md MAP-52 */
const between: Converter = {
  make(argument) {
    const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = optionsOf(argument, 'least', 'most');
    if (typeof least !== 'number' || typeof most !== 'number' || least > most) {
      throw new ConversionProblem('numbers were expected as least and most, with least not above most');
    }
    return (value) => {
      const read = numberOf(value);
      return read < least || read > most ? undefined : value;
    };
  },
};

function numberOf(value: unknown): number {
  try {
    return Number(numeral(value));
  } catch {
    return Number.NaN;
  }
}

export const numberConverters = {
  add: withOther(added),
  between,
  decimal,
  integer,
  milliseconds: durationOf({ units: 1n, scale: 3 }),
  minutes: durationOf({ units: 60n, scale: 0 }),
  multiply: withOther(multiplied),
  number,
  round,
  seconds: durationOf({ units: 1n, scale: 0 }),
};
