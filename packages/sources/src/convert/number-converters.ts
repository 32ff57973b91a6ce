import { xsd } from '@ldes-live/rdf-stream';
import { integerArgument, noArgument, optionsOf } from './argument.ts';
import { ConversionProblem } from './conversion-problem.ts';
import type { Convert, Converter } from './converter.ts';
import { added, exactDecimal, exactText, multiplied, rounded } from './exact-decimal.ts';
import { numeral } from './numeral.ts';

/** The most places that `round` leaves. */
export const LIMIT_ROUND_PLACES = 30;

/** A number in a string, or a number, as a number; its datatype goes by the value. @see specs/mapping-values.md MAP-53 */
export const number: Converter = {
  make(argument) {
    const mark = decimalMark(argument);
    return (value) => {
      const read = Number(numeral(value, mark));
      if (!Number.isFinite(read)) throw new ConversionProblem('a number that a double can hold was expected');
      return read;
    };
  },
};

/** The text of a number as it stands, as a decimal. @see specs/mapping-values.md MAP-52 */
export const decimal: Converter = {
  datatype: xsd.decimal,
  make(argument) {
    const mark = decimalMark(argument);
    return (value) => numeral(value, mark);
  },
};

/** A whole number, of any size. @see specs/mapping-values.md MAP-53 */
export const integer: Converter = {
  datatype: xsd.integer,
  make(argument) {
    noArgument(argument);
    return (value) => {
      const whole = /^(-?\d+)(?:\.0*)?$/.exec(numeral(value))?.[1];
      if (whole === undefined) throw new ConversionProblem('a whole number was expected');
      return whole;
    };
  },
};

/** The product with its argument, exactly. @see specs/mapping-values.md MAP-54 */
export const multiply: Converter = {
  datatype: xsd.decimal,
  make(argument) {
    const factor = exactDecimal(numeral(argument));
    return (value) => exactText(multiplied(exactDecimal(numeral(value)), factor));
  },
};

/** The sum with its argument, exactly. @see specs/mapping-values.md MAP-54 */
export const add: Converter = {
  datatype: xsd.decimal,
  make(argument) {
    const summand = exactDecimal(numeral(argument));
    return (value) => exactText(added(exactDecimal(numeral(value)), summand));
  },
};

/** The nearest decimal of so many places. @see specs/mapping-values.md MAP-54 */
export const round: Converter = {
  datatype: xsd.decimal,
  make(argument): Convert {
    const places = integerArgument(argument ?? 0, 0, LIMIT_ROUND_PLACES);
    return (value) => exactText(rounded(exactDecimal(numeral(value)), places));
  },
};

function decimalMark(argument: unknown): '.' | ',' {
  if (argument === true) return '.';
  const { mark = '.' } = optionsOf(argument ?? undefined, ['mark']);
  if (mark === '.' || mark === ',') return mark;
  throw new ConversionProblem('"." or "," was expected as mark');
}
