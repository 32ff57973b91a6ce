import { decimalText } from '../gtfs/decimal-text.ts';
import { ConversionProblem } from './conversion-problem.ts';

/**
 * A string, a number or a boolean as text; numbers as their shortest decimal.
 *
 * @throws ConversionProblem - a list, a mapping, or a number that no decimal says
 */
export function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  const text = typeof value === 'number' ? decimalText(value, 'double') : undefined;
  if (text === undefined) throw new ConversionProblem('a text, a finite number or a boolean was expected');
  return text;
}
