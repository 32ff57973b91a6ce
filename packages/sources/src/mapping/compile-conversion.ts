import { ConversionProblem } from '../convert/conversion-problem.ts';
import type { Convert, Converter } from '../convert/converter.ts';
import type { MappingPath } from '../errors.ts';
import { nearestKey } from '../options.ts';
import type { Compiling } from './compiling.ts';
import { present } from './follow-path.ts';
import { RecordProblem, type ValuePlace } from './record-problem.ts';
import type { Conversion } from './schema.ts';

/** The converters of a value, one after the other. */
export interface CompiledConversion {
  /**
   * Converts a value, which may be absent.
   *
   * @returns `undefined` when it is absent, a list when there are many values
   * @throws RecordProblem - a converter does not take it
   */
  readonly apply: (value: unknown) => unknown;
  /** IRI of the datatype that it makes, where that is known. */
  readonly datatype: string | undefined;
  /** Whether what it makes has the form of that datatype for sure. */
  readonly assured: boolean;
  /** Whether it makes something of an absent value. */
  readonly takesAbsent: boolean;
  /** Whether the first converter takes a list. */
  readonly takesList: boolean;
  /** Whether it can make many values of one. */
  readonly many: boolean;
  /** How many there are. */
  readonly steps: number;
}

interface Step {
  readonly name: string;
  readonly converter: Converter;
  readonly convert: Convert;
}

/** Converters that hand on values of whatever datatype they get. */
const PASSING: ReadonlySet<string> = new Set(['between', 'sentinel', 'default', 'item', 'split']);

/**
 * Compiles the converters of a value; mistakes are noted.
 *
 * @see specs/mappings.md MAP-12
 */
export function compileConversion(
  conversions: Conversion | readonly Conversion[] | undefined,
  place: ValuePlace,
  compiling: Compiling,
): CompiledConversion {
  const isOne = !Array.isArray(conversions);
  const list = conversions === undefined ? [] : isOne ? [conversions as Conversion] : (conversions as Conversion[]);
  const steps = list.flatMap((conversion, index) => {
    const step = stepOf(conversion, isOne ? place.at : [...place.at, index], compiling);
    return step ? [step] : [];
  });
  const takes = steps[0]?.converter.takes ?? 'scalar';
  return {
    apply: applying(steps, place),
    datatype: datatypeOf(steps),
    assured: steps.at(-1)?.converter.datatype !== undefined,
    takesAbsent: steps.some(({ converter }) => converter.takesAbsent === true),
    takesList: takes !== 'scalar',
    many: steps.some(({ name }) => name === 'split') || steps.at(-1)?.name === 'json',
    steps: steps.length,
  };
}

function stepOf(
  conversion: Conversion,
  at: MappingPath,
  { converters, iris, timeZone, mistakes }: Compiling,
): Step | undefined {
  const [[name, argument] = ['', undefined], ...others] =
    typeof conversion === 'string' ? [[conversion, undefined] as const] : Object.entries(conversion);
  if (others.length > 0) {
    mistakes.add(at, `one converter was expected, and there are ${others.length + 1}: write them as a list`);
    return undefined;
  }
  const converter = Object.hasOwn(converters, name) ? (converters[name] as Converter) : undefined;
  if (!converter) {
    const names = Object.keys(converters).sort();
    const meant = nearestKey(name, names);
    const hint = meant === undefined ? '' : `did you mean "${meant}"? `;
    mistakes.add(at, `"${name}" is no converter: ${hint}There are ${names.join(', ')}`);
    return undefined;
  }
  try {
    const expand = (compact: string) => {
      const mistake = iris.mistakeOf(compact);
      if (mistake !== undefined) throw new ConversionProblem(mistake);
      return iris.expand(compact);
    };
    return { name, converter, convert: converter.make(argument, { expand, timeZone }) };
  } catch (error) {
    if (!(error instanceof ConversionProblem)) throw error;
    mistakes.add(at, `${name}: ${error.message}`);
    return undefined;
  }
}

function datatypeOf(steps: readonly Step[]): string | undefined {
  return steps.findLast(({ name, converter }) => converter.datatype !== undefined || !PASSING.has(name))?.converter
    .datatype;
}

function applying(steps: readonly Step[], place: ValuePlace): (value: unknown) => unknown {
  if (steps.length === 0) return (value) => value;
  const [only, ...others] = steps.map((step, index) => stepping(step, index > 0, place));
  if (others.length === 0) return only as Convert;
  return (value) => others.reduce((made, step) => step(made), (only as Convert)(value));
}

function stepping({ name, converter, convert }: Step, listsAreMany: boolean, place: ValuePlace): Convert {
  const takes = converter.takes ?? 'scalar';
  const step: Convert = (value) => {
    const given = present(value);
    if (given === undefined && !converter.takesAbsent) return undefined;
    if (typeof given === 'object' && takes !== 'any') {
      if (!Array.isArray(given))
        throw new RecordProblem(place, `${name} takes no mapping: lead the path into it`, given);
      if (takes === 'scalar') {
        // A list that a converter made stands for many values; one of the document may be a mistake.
        if (listsAreMany) return given.map(step).filter((made) => made !== undefined);
        throw new RecordProblem(place, `${name} takes no list: [*] leads to each of its items`, given);
      }
    }
    try {
      return present(convert(given));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new RecordProblem(
        place,
        error instanceof ConversionProblem ? message : `${name} failed (${message})`,
        given,
      );
    }
  };
  return step;
}
