import { xsd } from '@ldes-live/rdf-stream';
import { isMapping, noArgument, optionsOf } from './argument.ts';
import { ConversionProblem } from './conversion-problem.ts';
import type { Convert, Converter, ConverterContext } from './converter.ts';
import { numeral } from './numeral.ts';
import { epoch, iso } from './time-converters.ts';

// For feeds that change their ways: versions that write one thing differently, and values that cannot be meant.

/** Seconds since 1970, or a time with its zone: what some formats change with their version. @see specs/mapping-values.md MAP-90 */
export const epochOrIso: Converter = {
  datatype: xsd.dateTime,
  make(argument, context) {
    noArgument(argument);
    const ofSeconds = epoch.make(undefined, context);
    const ofText = iso.make(undefined, context);
    return (value) => (typeof value === 'string' && /^\s*\d{4}-/.test(value) ? ofText(value) : ofSeconds(value));
  },
};

/** A number outside of what can be meant is absent; what is no number stays. @see specs/mapping-values.md MAP-91 */
export const between: Converter = {
  make(argument) {
    const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = optionsOf(argument, [
      'least',
      'most',
    ]);
    if (typeof least !== 'number' || typeof most !== 'number' || least > most) {
      throw new ConversionProblem('numbers were expected as least and most, of which least is not the greater');
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

/**
 * Another converter, named as its argument, and nothing where that does not take the value: for what a record is no
 * worse without.
 *
 * @see specs/mapping-values.md MAP-92
 */
export function ifPossible(converters: Readonly<Record<string, Converter>>): Converter {
  return {
    takes: 'any',
    make(argument, context) {
      const convert = namedConverter(argument, converters, context);
      return (value) => {
        try {
          return convert(value);
        } catch (error) {
          if (error instanceof ConversionProblem) return undefined;
          throw error;
        }
      };
    },
  };
}

function namedConverter(
  argument: unknown,
  converters: Readonly<Record<string, Converter>>,
  context: ConverterContext,
): Convert {
  const [[name, inner] = ['', undefined], ...others] =
    typeof argument === 'string'
      ? [[argument, undefined] as const]
      : isMapping(argument)
        ? Object.entries(argument)
        : [];
  const converter = Object.hasOwn(converters, name) ? converters[name] : undefined;
  if (converter === undefined || others.length > 0)
    throw new ConversionProblem('the name of one converter was expected');
  return converter.make(inner, context);
}
