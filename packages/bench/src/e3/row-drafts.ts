import { type Draft, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import { ROW_FIELDS, type Row } from './row.ts';
import { ROW_NAMESPACE } from './row-terms.ts';

const INTEGERS: ReadonlySet<string> = new Set(['n', 't', 'charge']);
const properties = ROW_FIELDS.map((field) => namedNode(ROW_NAMESPACE + field));
const datatypes = ROW_FIELDS.map((field) => (INTEGERS.has(field) ? xsd.integer : xsd.decimal));

/**
 * Rows as what is published of as many sensors: each is a new state of its sensor, with a property for each field.
 *
 * @param publicUrl - base of the IRIs
 */
export function rowDrafts(publicUrl: string, rows: readonly Row[]): Draft[] {
  return rows.map((row, slot) => {
    const entity = `${publicUrl}sensors/${slot}`;
    const subject = namedNode(entity);
    return {
      kind: 'upsert',
      entity,
      origin: 'bench',
      fingerprint: String(row[0]),
      quads: row.map((value, field) => quad(subject, propertyOf(field), term(value, field))),
    };
  });
}

function propertyOf(field: number) {
  return properties[field] as (typeof properties)[number];
}

function term(value: string | number, field: number) {
  return typeof value === 'string' ? literal(value) : literal(String(value), datatypes[field] as string);
}
