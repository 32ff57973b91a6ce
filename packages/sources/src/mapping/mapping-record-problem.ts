/** Why a record, or what a document says of itself, cannot be mapped. */
export interface MappingRecordProblem {
  /** Which record of the document it is, 1 for the first; 0 for the document itself. */
  readonly record: number;
  /** Where in the mapping the value is asked for, such as `properties[3].path`. */
  readonly mapping: string;
  /** The line of the mapping, where that is known. */
  readonly line?: number;
  /** The path that leads to the value; empty where there is none. */
  readonly path: string;
  /** The beginning of the value at fault, as JSON. */
  readonly sample: string;
  /** What was expected of it. */
  readonly reason: string;
}

/** A problem of a record as people read it. */
export function recordProblemText({ record, mapping, line, path, sample, reason }: MappingRecordProblem): string {
  const what = record === 0 ? 'The document' : `Record ${record}`;
  const where = line === undefined ? mapping : `line ${line} of the mapping, ${mapping}`;
  return `${what} cannot be mapped (${where}${path === '' ? '' : `, "${path}"`}): ${reason}; found ${sample}`;
}
