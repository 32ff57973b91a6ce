import { xsd } from '@ldes-live/rdf-stream';
import { noArgument, optionsOf } from './argument.ts';
import { ConversionProblem } from './conversion-problem.ts';
import type { Converter } from './converter.ts';
import { scalarText } from './scalar-text.ts';

const TRUE = ['true', 't', 'yes', 'y', '1'];
const FALSE = ['false', 'f', 'no', 'n', '0'];

/** Words for yes and no: the usual ones, or those of its argument. @see specs/mapping-values.md MAP-56 */
export const boolean: Converter = {
  datatype: xsd.boolean,
  make(argument) {
    if (argument === undefined || argument === null || argument === true) {
      return (value) => found(value, scalarText(value).trim().toLowerCase(), TRUE, FALSE);
    }
    const words = optionsOf(argument, ['true', 'false']);
    const yes = wordsOf(words.true);
    const no = wordsOf(words.false);
    const twice = yes.find((word) => no.includes(word));
    if (twice !== undefined) throw new ConversionProblem(`${JSON.stringify(twice)} cannot be both true and false`);
    return (value) => found(value, scalarText(value).trim(), yes, no);
  },
};

/** 0 and 1 as false and true. @see specs/mapping-values.md MAP-56 */
export const bool01: Converter = {
  datatype: xsd.boolean,
  make(argument) {
    noArgument(argument);
    return (value) => found(value, scalarText(value).trim(), ['1'], ['0']);
  },
};

function found(value: unknown, text: string, yes: readonly string[], no: readonly string[]): boolean {
  if (typeof value === 'boolean') return value;
  if (yes.includes(text)) return true;
  if (no.includes(text)) return false;
  throw new ConversionProblem(`one of ${[...yes, ...no].map((word) => JSON.stringify(word)).join(', ')} was expected`);
}

function wordsOf(given: unknown): readonly string[] {
  if (given === undefined || given === null) return [];
  return (Array.isArray(given) ? given : [given]).map(scalarText);
}
