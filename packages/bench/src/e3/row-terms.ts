import type { Row } from './row.ts';

/** Namespace of the properties that stand for the fields of a row. */
export const ROW_NAMESPACE = 'http://example.org/row#';

/** A row from what its member says of each field, as text or numbers. */
export function rowOf(said: (field: string) => unknown): Row {
  const number = (field: string) => Number(said(field));
  const text = (field: string) => String(said(field));
  return [
    number('n'),
    number('t'),
    text('device'),
    text('site'),
    text('state'),
    number('value'),
    number('low'),
    number('high'),
    number('lat'),
    number('long'),
    number('charge'),
    text('check'),
  ];
}
