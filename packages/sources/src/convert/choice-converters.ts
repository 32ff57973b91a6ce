import { isMapping } from './argument.ts';
import { ConversionProblem } from './conversion-problem.ts';
import type { Convert, Converter, ConverterContext } from './converter.ts';
import { exactDecimal, exactText } from './exact-decimal.ts';
import { numeral } from './numeral.ts';
import { scalarText } from './scalar-text.ts';

/** What stands for a value in a table. @see specs/mapping-values.md MAP-57 */
export const enumeration: Converter = {
  make(argument, context) {
    const { values, otherwise, iri } = tableOf(argument);
    const entries = Object.entries(values).map(([from, to]) => [from, resultOf(to, iri, context)] as const);
    const table = new Map(entries);
    const fallback = otherwise === 'error' || otherwise === 'absent' ? undefined : resultOf(otherwise, iri, context);
    return (value) => {
      const text = scalarText(value);
      if (table.has(text)) return table.get(text);
      if (otherwise !== 'error') return fallback;
      throw new ConversionProblem(`one of ${shown([...table.keys()])} was expected`);
    };
  },
};

/** Values that mean that there is none. @see specs/mapping-values.md MAP-58 */
export const sentinel: Converter = {
  make(argument) {
    const given = Array.isArray(argument) ? argument : [argument];
    if (argument === undefined || argument === null || given.length === 0) {
      throw new ConversionProblem('a list of the values that mean that there is none was expected');
    }
    const absent = new Set(given.map(comparable));
    return (value) => (absent.has(comparable(value)) ? undefined : value);
  },
};

/** A value for where there is none. @see specs/mapping-values.md MAP-58 */
export const fallbackValue: Converter = {
  takes: 'any',
  takesAbsent: true,
  make(argument): Convert {
    scalarText(argument);
    return (value) => (value === undefined || value === null || value === '' ? argument : value);
  },
};

function tableOf(argument: unknown): {
  readonly values: Readonly<Record<string, unknown>>;
  readonly otherwise: unknown;
  readonly iri: boolean;
} {
  if (!isMapping(argument)) throw new ConversionProblem('a table of values and what stands for them was expected');
  const { otherwise = 'error', iri = false, ...rest } = argument;
  if (typeof iri !== 'boolean') throw new ConversionProblem('true or false was expected as iri');
  const long = isMapping(rest.values);
  const strange = long ? Object.keys(rest).find((name) => name !== 'values') : undefined;
  if (strange !== undefined) {
    throw new ConversionProblem(`${JSON.stringify(strange)} stands beside values, where only otherwise and iri may`);
  }
  const values = long ? (rest.values as Readonly<Record<string, unknown>>) : rest;
  if (Object.keys(values).length === 0) throw new ConversionProblem('the table is empty');
  return { values, otherwise, iri };
}

function resultOf(to: unknown, iri: boolean, context: ConverterContext): unknown {
  if (to === null) return undefined;
  const text = scalarText(to);
  return iri ? context.expand(text) : to;
}

// -999999 and "-999999.00" are the same number; what is no number is compared as it is.
function comparable(value: unknown): string {
  const text = scalarText(value);
  try {
    return exactText(exactDecimal(numeral(text)));
  } catch {
    return text;
  }
}

function shown(words: readonly string[]): string {
  const first = words.slice(0, 10).map((word) => JSON.stringify(word));
  return words.length > first.length ? `${first.join(', ')} or ${words.length - first.length} more` : first.join(', ');
}
