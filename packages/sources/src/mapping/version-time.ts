import type { CompiledValue } from './compile-value.ts';
import { instantOf, textOf } from './lexical-form.ts';
import { RecordProblem } from './record-problem.ts';
import type { Scope } from './scope.ts';

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
