/*
 * What converters are made of. A mapping says `convert: { multiply: 0.3048 }`; the converter `multiply` reads its
 * argument once, `make(0.3048, context)`, and what that returns makes `"3.74904"` of the value `"12.3"` of each record.
 */
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
  readonly datatype?: string | undefined;
  /**
   * Whether it takes lists and mappings as well as a string, a number or a boolean. A list that comes to one that does
   * not, from a converter before it, goes to it item by item.
   */
  readonly takes?: 'any';
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

/**
 * What a value, or the argument of a converter, should have been. The mapping that meets it names the record, the line
 * and the path in an error of its own.
 *
 * @see specs/mapping-values.md MAP-50
 */
export class ConversionProblem extends Error {
  override readonly name = 'ConversionProblem';
}

/** A converter that takes no argument. */
export function plainConverter(convert: Convert, datatype?: string): Converter {
  return {
    datatype,
    make(argument) {
      // `true` is what YAML needs where a name alone cannot stand.
      if (!isNameAlone(argument)) throw new ConversionProblem('this converter takes no argument');
      return convert;
    },
  };
}

/** Whether an argument says nothing: `name`, `name:` or `name: true`. */
export function isNameAlone(argument: unknown): argument is undefined | null | true {
  return argument === undefined || argument === null || argument === true;
}

/** Whether a value is a mapping: neither a list nor `null`. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The options in an argument that is a mapping; none for a name alone.
 *
 * @throws ConversionProblem - no mapping, or a key that is not among `names`
 */
export function optionsOf(argument: unknown, ...names: readonly string[]): Readonly<Record<string, unknown>> {
  if (isNameAlone(argument)) return {};
  const expected = `a mapping of ${names.join(', ')} was expected`;
  if (!isMapping(argument)) throw new ConversionProblem(expected);
  const unknown = Object.keys(argument).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new ConversionProblem(`${expected}, without ${JSON.stringify(unknown)}`);
  return argument;
}

/**
 * An argument that is an integer.
 *
 * @throws ConversionProblem - none, or outside of `min` to `max`
 */
export function integerArgument(argument: unknown, min: number, max: number): number {
  if (Number.isInteger(argument) && (argument as number) >= min && (argument as number) <= max) {
    return argument as number;
  }
  throw new ConversionProblem(`an integer from ${min} to ${max} was expected`);
}

/** What a value is that something can be said by. */
export type Scalar = string | number | boolean;

/**
 * What stands after a whole number, by hundredths. Most of what is measured has no more decimals, and to find the
 * shortest text of any number takes twice as long.
 */
const hundredths = Array.from({ length: 100 }, (_, count) => String(count / 100).slice(1));
/** Of numbers below, one text alone has so few decimals. */
const LIMIT_BY_HUNDREDTHS = 1e7;

/**
 * The text of a value; of a number its shortest decimal.
 *
 * @returns `undefined` for a number that no decimal says
 */
export function textOf(value: Scalar): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  const count = Math.round(value * 100);
  if (count / 100 === value && value > 0 && value < LIMIT_BY_HUNDREDTHS) {
    const whole = Math.trunc(value);
    return `${whole}${hundredths[count - whole * 100]}`;
  }
  const size = Math.abs(value);
  // Such numbers are written without an exponent as they are.
  if ((size >= 1e-6 && size < 1e21) || size === 0) return String(value);
  return Number.isFinite(value) ? withoutExponent(String(value)) : undefined;
}

function withoutExponent(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = '', whole = '', fraction = '', exponent] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, '0')}`;
}

/**
 * The same of anything.
 *
 * @throws ConversionProblem - a list, a mapping, or a number that no decimal says
 */
export function scalarText(value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const text = isScalar ? textOf(value) : undefined;
  if (text === undefined) throw new ConversionProblem('a text, a finite number or a boolean was expected');
  return text;
}
