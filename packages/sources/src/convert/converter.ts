export { ConversionProblem } from './conversion-problem.ts';

/** What a converter may ask of the mapping that it stands in. */
export interface ConverterContext {
  /** Makes an absolute IRI of a compact one; what is not compact comes back as it is. */
  readonly expand: (compact: string) => string;
  /** IANA name of the zone of times that state none. */
  readonly timeZone: string | undefined;
}

/**
 * Makes of one value what is published.
 *
 * @returns `undefined` when the value is absent in truth; a list where there are many values
 * @throws ConversionProblem - the value is not what the converter takes
 */
export type Convert = (value: unknown) => unknown;

/** A named step between a value of a document and a literal or an IRI. */
export interface Converter {
  /** IRI of the datatype of what it returns, where it decides that. */
  readonly datatype?: string;
  /**
   * What it takes: `scalar` a string, a number or a boolean; `list` a list as well; `any` a mapping too. A list before a
   * converter of `scalar` goes to it item by item.
   *
   * @defaultValue `scalar`
   */
  readonly takes?: 'scalar' | 'list' | 'any';
  /** Whether absent values come to it too, as `undefined`. @defaultValue false */
  readonly takesAbsent?: true;
  /**
   * Reads its argument, once for a mapping.
   *
   * @param argument - what stands beside its name; `undefined` for a name alone
   * @throws ConversionProblem - the argument is not what it should be: a mistake of the mapping
   */
  make(argument: unknown, context: ConverterContext): Convert;
}
