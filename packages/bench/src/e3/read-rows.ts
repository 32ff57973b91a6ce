import type { Row } from './row.ts';
import { ROW_NAMESPACE, rowOf } from './row-terms.ts';

interface EventDocument {
  readonly 'tree:member': readonly Readonly<Record<string, unknown>>[];
}

/** Rows of a message of plain JSON: an array of rows. */
export function plainRows(text: string): readonly Row[] {
  return JSON.parse(text) as Row[];
}

/** Rows of an event of ldes-live: one commit in JSON-LD, of which each member is a row. */
export function memberRows(text: string): readonly Row[] {
  const { 'tree:member': members } = JSON.parse(text) as EventDocument;
  return members.map((member) => rowOf((field) => member[ROW_NAMESPACE + field]));
}
