import { ConversionProblem, type ConverterContext } from '../../src/convert/converter.ts';
import { converters } from '../../src/convert/converters.ts';

/** How a test makes IRIs of compact ones. */
export const expanded = 'https://mv.example/';

/** What a converter makes of a value, or the message of its problem after `problem: `. */
export function converted(name: string, value: unknown, argument?: unknown, timeZone?: string): unknown {
  const context: ConverterContext = { expand: (compact) => compact.replace(/^mv:/, expanded), timeZone };
  try {
    return converters[name]?.make(argument, context)(value);
  } catch (problem) {
    if (problem instanceof ConversionProblem) return `problem: ${problem.message}`;
    throw problem;
  }
}
