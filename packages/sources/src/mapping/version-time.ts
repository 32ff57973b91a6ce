import { textOf } from '../convert/converter.ts';
import { RecordProblem, type Scope } from './paths.ts';
import { instantOf } from './terms.ts';
import type { CompiledValue } from './values.ts';

/**
 * The time that a record states of itself, as xsd:dateTime; of several the last.
 *
 * @throws RecordProblem - it is no time with a zone
 */
export function instantIn(value: CompiledValue, record: Scope): string | undefined {
  let text: string | undefined;
  value.each(record, (found) => {
    text = textOf(found) ?? '';
    if (instantOf(text) === undefined) {
      throw new RecordProblem(value.place, 'a time with its zone was expected, such as 2026-11-21T09:00:00Z', found);
    }
  });
  return text;
}
