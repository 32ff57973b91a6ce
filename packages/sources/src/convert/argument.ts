import { ConversionProblem } from './conversion-problem.ts';

/** Whether a value is a mapping: neither a list nor `null`. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The options in an argument that is a mapping.
 *
 * @returns an empty mapping for a converter without an argument
 * @throws ConversionProblem - no mapping, or a key that is not among `names`
 */
export function optionsOf(argument: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  if (argument === undefined) return {};
  const expected = `a mapping of ${names.join(', ')} was expected`;
  if (!isMapping(argument)) throw new ConversionProblem(expected);
  const strange = Object.keys(argument).find((name) => !names.includes(name));
  if (strange !== undefined) throw new ConversionProblem(`${expected}, without ${JSON.stringify(strange)}`);
  return argument;
}

/**
 * For converters that take no argument.
 *
 * @throws ConversionProblem - there is one
 */
export function noArgument(argument: unknown): void {
  // `true` is what YAML needs where a name alone cannot stand.
  if (argument !== undefined && argument !== null && argument !== true) {
    throw new ConversionProblem('this converter takes no argument');
  }
}

/**
 * An argument that is an integer.
 *
 * @throws ConversionProblem - none, or outside of `least` to `most`
 */
export function integerArgument(argument: unknown, least: number, most: number): number {
  if (typeof argument === 'number' && Number.isInteger(argument) && argument >= least && argument <= most) {
    return argument;
  }
  throw new ConversionProblem(`an integer from ${least} to ${most} was expected`);
}
