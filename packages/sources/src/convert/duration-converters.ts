import { xsd } from '@ldes-live/rdf-stream';
import { noArgument } from './argument.ts';
import type { Converter } from './converter.ts';
import { type ExactDecimal, exactDecimal, exactText, multiplied } from './exact-decimal.ts';
import { numeral } from './numeral.ts';

/** Seconds as a duration. @see specs/mapping-values.md MAP-64 */
export const seconds: Converter = durationOf({ units: 1n, scale: 0 });

/** Minutes as a duration. @see specs/mapping-values.md MAP-64 */
export const minutes: Converter = durationOf({ units: 60n, scale: 0 });

/** Milliseconds as a duration. @see specs/mapping-values.md MAP-64 */
export const milliseconds: Converter = durationOf({ units: 1n, scale: 3 });

function durationOf(unit: ExactDecimal): Converter {
  return {
    datatype: xsd.duration,
    make(argument) {
      noArgument(argument);
      return (value) => {
        const text = exactText(multiplied(exactDecimal(numeral(value)), unit));
        return text.startsWith('-') ? `-PT${text.slice(1)}S` : `PT${text}S`;
      };
    },
  };
}
