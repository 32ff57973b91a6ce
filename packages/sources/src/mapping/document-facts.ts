import { textOf } from '../convert/converter.ts';
import type { MappedDocument } from './compiled-mapping.ts';
import type { Compiling } from './compiling.ts';
import { type MappingRun, RecordProblem } from './paths.ts';
import type { Mapping } from './schema.ts';
import { instantOf } from './terms.ts';
import { type CompiledValue, compileValue } from './values.ts';

/** What a document says of itself. */
export interface DocumentFacts {
  /**
   * When it was made, epoch milliseconds.
   *
   * @throws RecordProblem - it says what is no time
   */
  readonly timeMs: (run: MappingRun) => number | undefined;
  /**
   * For how long it holds, milliseconds.
   *
   * @throws RecordProblem - it says what is no number of seconds
   */
  readonly ttlMs: (run: MappingRun) => number | undefined;
}

/** Compiles what the documents of a mapping say of themselves; mistakes are noted. */
export function compileDocumentFacts(
  { documentTime, documentTtl }: Pick<Mapping, 'documentTime' | 'documentTtl'>,
  compiling: Compiling,
): DocumentFacts {
  // From the root of the document: what is read there accounts for nothing in the records.
  const ofDocument: Compiling = { ...compiling, scopes: [undefined] };
  const time = documentTime && compileValue(documentTime, ['documentTime'], ofDocument, 'iso');
  const ttl = documentTtl && compileValue(documentTtl, ['documentTtl'], ofDocument);
  return {
    timeMs: (run) => factOf(time, run, instantOf, 'a time with its zone was expected'),
    ttlMs: (run) => factOf(ttl, run, millisecondsOf, 'a number of seconds was expected'),
  };
}

function factOf(
  value: CompiledValue | undefined,
  run: MappingRun,
  read: (text: string) => number | undefined,
  expected: string,
): number | undefined {
  let fact: number | undefined;
  value?.each(run.root, (found) => {
    fact = read(textOf(found) ?? '');
    if (fact === undefined) throw new RecordProblem(value.place, expected, found);
  });
  return fact;
}

function millisecondsOf(text: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : undefined;
}

/** Reads what a document says of itself; what cannot be read is noted and absent. */
export function documentFacts(
  { timeMs, ttlMs }: DocumentFacts,
  run: MappingRun,
  note: (record: number, problem: unknown) => void,
): Pick<MappedDocument, 'documentTimeMs' | 'documentTtlMs'> {
  const read = (fact: (run: MappingRun) => number | undefined) => {
    try {
      return fact(run);
    } catch (problem) {
      note(0, problem);
      return undefined;
    }
  };
  const documentTimeMs = read(timeMs);
  const documentTtlMs = read(ttlMs);
  return {
    ...(documentTimeMs === undefined ? {} : { documentTimeMs }),
    ...(documentTtlMs === undefined ? {} : { documentTtlMs }),
  };
}
