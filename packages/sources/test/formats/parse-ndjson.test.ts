import { expect, test } from 'vitest';
import { read } from './documents.ts';

const ndjson = (text: string) => read(text, { format: 'ndjson' });

test('MAP-75 each line is a record, but for lines of space alone', () => {
  expect(ndjson('{"a":1}\n[2]\r\n\n \t\r\n"c"')).toEqual([{ a: 1 }, [2], 'c']);
  expect(ndjson('\n')).toEqual([]);
  expect(ndjson('12345678901234567890\n')).toEqual(['12345678901234567890']);
});

test('MAP-75 one line that is no JSON refuses the document, with its place', () => {
  expect(ndjson('{"a":1}\n\n{"a":2\n{"a":3}\n')).toEqual({
    code: 'ERR_DOCUMENT_MALFORMED',
    format: 'ndjson',
    reason: 'it ends where , or } was expected',
    line: 3,
    column: 7,
  });
});

test('MAP-75 an empty document says nothing, and is refused', () => {
  expect(ndjson('')).toMatchObject({ code: 'ERR_DOCUMENT_MALFORMED', reason: 'it is empty' });
});
