import { errors, type MappingPath } from '../errors.ts';
import {
  followPath,
  type ParsedPath,
  PathMistake,
  type PathReading,
  type PathStep,
  parsePath,
  present,
  RecordProblem,
  type Scope,
  splitAlternatives,
} from './paths.ts';
import type { DocumentFormat, DocumentReading, ProblemList } from './schema.ts';

/** Visits the records of a document. */
export type EachRecord = (document: Scope, visit: (record: Scope) => void) => void;

/** How documents of a format are read by paths. */
export function pathReading(format: DocumentFormat | undefined): PathReading {
  return { aloneIsItem: format === 'xml' };
}

/** Whether a mapping, or a part of it, asks for the key that a record was found by: languages are those of its parts. */
export function readsKeys(part: unknown): boolean {
  return JSON.stringify(part, (key, value) => (key === 'language' ? undefined : value)).includes('$key');
}

/** What the records of a document are looked for by. */
export interface RecordsReading extends Pick<DocumentReading, 'format' | 'root'> {
  /** Whether the mapping reads their keys, so that a mapping may hold them, and may be empty. */
  readonly areKeyed: boolean;
}

/**
 * Compiles where the records of a document are; a mistake is noted. A document that has none there is refused, unless
 * it says that there are none.
 *
 * @throws {@link StreamError} `ERR_MAPPING_RECORDS` - (what it returns) the document has nothing there
 * @see specs/mappings.md MAP-5
 */
export function compileRecords(
  text: string | undefined,
  at: MappingPath,
  reads: RecordsReading,
  mistakes: ProblemList,
): EachRecord {
  if (text === undefined) return defaultRecords(reads.format);
  const reading = pathReading(reads.format);
  try {
    const alternatives = splitAlternatives(text).map((path) => {
      const parsed = parsePath(path);
      if ((parsed.start.from !== 'record' && parsed.start.from !== 'root') || parsed.ofKey) {
        throw new PathMistake(`"${path}" does not lead into the document: begin with a name, [*] or $root`);
      }
      const { each } = followPath(parsed, { at, path }, reading);
      const { steps } = parsed;
      const saysNone = ({ value }: Scope) =>
        reading.aloneIsItem ? xmlSaysNone(value, steps, reads) : jsonSaysNone(value, steps, reads);
      return { isThere: presence(parsed, reading), each, saysNone };
    });
    return (document, visit) => {
      const first = alternatives.find(({ isThere }) => isThere(document));
      let isEmpty = true;
      try {
        first?.each(document, (record) => {
          isEmpty = false;
          visit(record);
        });
      } catch (problem) {
        // The path leads into what is of another form: as little a document of this source as one without records.
        if (!(problem instanceof RecordProblem)) throw problem;
        throw errors.ERR_MAPPING_RECORDS({ records: text, reason: problem.message }, problem);
      }
      // An error of the source must never look as if all entities had ended.
      if (isEmpty && !first?.saysNone(document)) throw errors.ERR_MAPPING_RECORDS({ records: text });
    };
  } catch (error) {
    if (!(error instanceof PathMistake)) throw error;
    mistakes.add(at, error.message);
    return () => undefined;
  }
}

function defaultRecords(format: DocumentFormat | undefined): EachRecord {
  return (document, visit) => {
    const { value, run } = document;
    const features = format === 'geojson' ? (value as { features?: unknown } | null)?.features : undefined;
    const items = Array.isArray(features) ? features : value;
    let isEmpty = true;
    const onto = (record: Scope) => {
      if (present(record.value) === undefined) return;
      isEmpty = false;
      visit(record);
    };
    if (!Array.isArray(items)) onto(document);
    else for (const [key, item] of items.entries()) onto({ value: item, key, above: document, run });
    if (isEmpty && !isEmptyList(items)) throw errors.ERR_MAPPING_RECORDS({ records: '$root' });
  };
}

/** Whether what holds the records is there: in XML the element above them, elsewhere a list or a mapping. */
function presence({ steps }: ParsedPath, reading: PathReading): (document: Scope) => boolean {
  const toHolder = stepsToHolder(steps);
  const checked = reading.aloneIsItem ? toHolder.slice(0, -1) : toHolder;
  return ({ value }) => {
    const holder = checked.reduce(stepInto, value);
    return reading.aloneIsItem ? holder !== undefined : present(holder) !== undefined;
  };
}

function stepsToHolder(steps: readonly PathStep[]): readonly PathStep[] {
  const wildcard = steps.indexOf('each');
  return wildcard < 0 ? steps : steps.slice(0, wildcard);
}

/** Whether a document in which steps lead to nothing says that there is nothing: by a list that is empty. */
function jsonSaysNone(value: unknown, steps: readonly PathStep[], reads: RecordsReading): boolean {
  const wildcard = steps.indexOf('each');
  if (wildcard < 0) return false;
  const holder = stepsToHolder(steps).reduce(stepInto, value);
  if (typeof holder !== 'object' || holder === null) return false;
  const items: readonly unknown[] = Array.isArray(holder) ? holder : Object.values(holder);
  if (items.length === 0) return Array.isArray(holder) || reads.areKeyed;
  return items.some((item) => jsonSaysNone(item, steps.slice(wildcard + 1), reads));
}

/** The same of XML, where there are no lists: the element above is there, or the root is known by its name. */
function xmlSaysNone(value: unknown, steps: readonly PathStep[], { root }: RecordsReading): boolean {
  const above = stepsToHolder(steps).slice(0, -1);
  return above.length === 0 ? root !== undefined : above.reduce(stepInto, value) !== undefined;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function stepInto(value: unknown, step: PathStep): unknown {
  if (step === 'each') return value;
  if (Array.isArray(value)) return 'item' in step ? value[step.item] : undefined;
  if ('item' in step) return step.item === 0 ? value : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step.field)) return undefined;
  return (value as Record<string, unknown>)[step.field];
}
