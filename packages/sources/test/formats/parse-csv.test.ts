import { expect, test } from 'vitest';
import { read } from './documents.ts';

const csv = (text: string, delimiter?: string) =>
  read(text, { format: 'csv', ...(delimiter === undefined ? {} : { delimiter }) });

test('MAP-77 rows are mappings by the names of the header, of strings as they stand', () => {
  expect(csv('Name;Free\r\n"Straße; ""A""";05\r\n B ;\r\n', ';')).toEqual([
    { Name: 'Straße; "A"', Free: '05' },
    { Name: ' B ', Free: '' },
  ]);
  expect(csv('a,b\n"1\n2",3')).toEqual([{ a: '1\n2', b: '3' }]);
  expect(csv('a\tb\r1\t2\r', '\t')).toEqual([{ a: '1', b: '2' }]);
  expect(csv('a|b\n1|2\r\n\n3|4\n', '|')).toEqual([
    { a: '1', b: '2' },
    { a: '3', b: '4' },
  ]);
});

test('MAP-77 a header alone is a document without records, nothing at all is none', () => {
  expect(csv('a,b\n')).toEqual([]);
  for (const text of ['', '\n', '\r\n\r\n']) {
    expect(csv(text)).toMatchObject({ code: 'ERR_DOCUMENT_MALFORMED', reason: 'it has no row that names the columns' });
  }
});

test('MAP-77 names lose the space around them, and a column without one is named by its number', () => {
  expect(csv(' a ,,__proto__\n1,2,3')).toEqual([
    Object.fromEntries([
      ['a', '1'],
      ['#2', '2'],
      ['__proto__', '3'],
    ]),
  ]);
});

test.each<[text: string, reason: string, line: number]>([
  ['a,b\n1,2\n3\n', 'the header has 2 columns, and a row 1', 3],
  ['a,b\n1,2,3\n', 'the header has 2 columns, and a row 3', 2],
  ['a,b\n1,"2', 'a quote is not closed', 2],
  ['a,b\n1,"2"3\n', 'text follows a closing quote', 2],
  ['a,b\n1,2"3\n', 'a quote stands in the middle of a value', 2],
  ['a,b,a\n1,2,3\n', 'two columns are named "a"', 1],
])('MAP-77 %j is refused with the line', (text, reason, line) => {
  expect(csv(text)).toEqual({ code: 'ERR_DOCUMENT_MALFORMED', format: 'csv', reason, line });
});

test.each(['', ';;', '"', '\n', '\r'])('MAP-77 %j is no delimiter', (delimiter) => {
  expect(csv('a,b', delimiter)).toMatchObject({ code: 'ERR_SOURCE_OPTION', option: 'delimiter' });
});

test.each<[text: string, delimiter: string, other: string]>([
  ['Station;Datum;Breedte\nA;21/11/2026;50,98\n', ',', ';'],
  ['a\tb\n1\t2\n', ',', '\t'],
  ['\n\na,b\r\n\r\n1,"2;3"\n', ';', ','],
  ['"a;b"|c\n1|2', ';', '|'],
])('MAP-82 %j by %j is refused, with the delimiter that it seems to have', (text, delimiter, other) => {
  const [seems, not] = [JSON.stringify(other), JSON.stringify(delimiter)];
  const reason = `its columns seem to be separated by ${seems} and not by ${not}: give ${seems} as delimiter`;
  expect(csv(text, delimiter)).toEqual({ code: 'ERR_DOCUMENT_MALFORMED', format: 'csv', reason, line: 1 });
});

test('MAP-82 one column may be all there is', () => {
  expect(csv('Name, first name\nA\n', ';')).toEqual([{ 'Name, first name': 'A' }]);
  expect(csv('a;b\n')).toEqual([]);
  expect(csv('a\n1;2\n')).toEqual([{ a: '1;2' }]);
  expect(csv('"a;b"\n1;2\n')).toEqual([{ 'a;b': '1;2' }]);
  expect(csv('a;x,b\n1;2,3\n')).toEqual([{ 'a;x': '1;2', b: '3' }]);
});
