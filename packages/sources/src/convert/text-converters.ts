import { xsd } from '@ldes-live/rdf-stream';
import { noArgument } from './argument.ts';
import { ConversionProblem } from './conversion-problem.ts';
import type { Converter } from './converter.ts';
import { scalarText } from './scalar-text.ts';

/** The text of a scalar. @see specs/mapping-values.md MAP-55 */
export const string: Converter = ofText((text) => text, xsd.string);

/** Text without space around it; absent when nothing is left. @see specs/mapping-values.md MAP-55 */
export const trim: Converter = ofText((text) => text.trim() || undefined);

/** Text in lower case, of no language. @see specs/mapping-values.md MAP-55 */
export const lower: Converter = ofText((text) => text.toLowerCase());

/** Text in upper case, of no language. @see specs/mapping-values.md MAP-55 */
export const upper: Converter = ofText((text) => text.toUpperCase());

/** The parts of a text between separators, as many values. @see specs/mapping-values.md MAP-55 */
export const split: Converter = {
  make(argument) {
    const separator = argument ?? ',';
    if (typeof separator !== 'string' || separator === '') {
      throw new ConversionProblem('a separator, such as ",", was expected');
    }
    return (value) => {
      const parts = scalarText(value)
        .split(separator)
        .map((part) => part.trim())
        .filter((part) => part !== '');
      return parts.length === 0 ? undefined : parts;
    };
  },
};

function ofText(change: (text: string) => string | undefined, datatype?: string): Converter {
  return {
    ...(datatype === undefined ? {} : { datatype }),
    make(argument) {
      noArgument(argument);
      return (value) => change(scalarText(value));
    },
  };
}
