import { isMapping } from './argument.ts';
import { ConversionProblem } from './conversion-problem.ts';
import { numeral } from './numeral.ts';

/** How far a coordinate may be from zero, degrees. */
export const LIMIT_DEGREES = { longitude: 180, latitude: 90 } as const;

/**
 * A longitude or latitude as a decimal.
 *
 * @throws ConversionProblem - no number, or beyond 180 or 90 degrees
 */
export function degrees(value: unknown, axis: keyof typeof LIMIT_DEGREES): string {
  const text = numeral(value);
  const limit = LIMIT_DEGREES[axis];
  if (Math.abs(Number(text)) <= limit) return text;
  throw new ConversionProblem(`a ${axis} from -${limit} to ${limit} degrees was expected`);
}

/**
 * A pair of coordinates as WKT has it: longitude, latitude. What comes after them, such as a height, is left out.
 *
 * @throws ConversionProblem - not two numbers in range
 */
export function positionText(position: unknown): string {
  const [longitude, latitude] = pairOf(position);
  return `${degrees(longitude, 'longitude')} ${degrees(latitude, 'latitude')}`;
}

/**
 * The first two of a list.
 *
 * @throws ConversionProblem - no list, or fewer than two or more than four items
 */
export function pairOf(position: unknown): readonly [first: unknown, second: unknown] {
  if (Array.isArray(position) && position.length >= 2 && position.length <= 4) return [position[0], position[1]];
  throw new ConversionProblem('a list of two coordinates was expected');
}

const NAMES = [
  ['longitude', 'latitude'],
  ['lon', 'lat'],
  ['lng', 'lat'],
  ['long', 'lat'],
  ['x', 'y'],
] as const;

/** The coordinates of a mapping that names them in one of the usual ways, longitude first; else the value itself. */
export function namedPair(value: unknown): unknown {
  if (!isMapping(value)) return value;
  const names = NAMES.find(([first, second]) => Object.hasOwn(value, first) && Object.hasOwn(value, second));
  return names === undefined ? value : [value[names[0]], value[names[1]]];
}
