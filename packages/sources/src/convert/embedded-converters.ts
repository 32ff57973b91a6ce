import { isStreamError } from '@ldes-live/rdf-stream';
import { parseJson } from '../documents/json.ts';
import { integerArgument, isMapping, optionsOf } from './argument.ts';
import { ConversionProblem } from './conversion-problem.ts';
import type { Converter } from './converter.ts';

/** How deep JSON in a string may nest. */
export const LIMIT_EMBEDDED_DEPTH = 16;
/** How many items a list of JSON in a string may have, or fields a mapping. */
export const LIMIT_EMBEDDED_ITEMS = 10_000;

const MOST_DEPTH = 64;
const MOST_INDEX = 1_000_000;

/** What the JSON in a string says. @see specs/mapping-values.md MAP-69 */
export const json: Converter = {
  takes: 'any',
  make(argument) {
    const { limitDepth = LIMIT_EMBEDDED_DEPTH } = optionsOf(argument === true ? undefined : (argument ?? undefined), [
      'limitDepth',
    ]);
    const limits = { limitDepth: integerArgument(limitDepth, 1, MOST_DEPTH), limitRecords: LIMIT_EMBEDDED_ITEMS };
    return (value) => {
      if (typeof value !== 'string') return value;
      try {
        return parseJson(value, limits) ?? undefined;
      } catch (problem) {
        if (!isStreamError(problem)) throw problem;
        throw new ConversionProblem(`JSON in a string was expected: ${problem.message}`);
      }
    };
  },
};

/** One item of a list, or one field of a mapping. @see specs/mapping-values.md MAP-70 */
export const item: Converter = {
  takes: 'any',
  make(argument) {
    const steps = (Array.isArray(argument) ? argument : [argument]).map(stepOf);
    if (steps.length === 0) throw new ConversionProblem('the number of an item, or the name of a field, was expected');
    return (value) =>
      steps.reduce<unknown>((from, step) => (from === undefined ? undefined : taken(from, step)), value);
  },
};

function stepOf(argument: unknown): number | string {
  if (typeof argument === 'string') return argument;
  return integerArgument(argument, -MOST_INDEX, MOST_INDEX);
}

function taken(from: unknown, step: number | string): unknown {
  if (typeof step === 'number') {
    if (Array.isArray(from)) return from.at(step) ?? undefined;
    throw new ConversionProblem('a list was expected');
  }
  if (isMapping(from)) return Object.hasOwn(from, step) ? (from[step] ?? undefined) : undefined;
  throw new ConversionProblem('a mapping was expected');
}
