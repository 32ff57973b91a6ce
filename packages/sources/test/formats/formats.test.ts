import { expect, test } from 'vitest';
import { decodeText } from '../../src/formats/decode-text.ts';
import { read, utf8 } from './documents.ts';

const bytes = (...codes: number[]) => Uint8Array.from(codes);

test('MAP-73 a document is UTF-8, unless its label says otherwise', () => {
  expect(decodeText(utf8('Straße 5 €'), undefined)).toBe('Straße 5 €');
  expect(decodeText(bytes(0x47, 0x65, 0xf6), 'iso-8859-1')).toBe('Geö');
  expect(decodeText(bytes(0xa4), 'ISO-8859-15')).toBe('€');
  expect(decodeText(bytes(0xb3), 'windows-1250')).toBe('ł');
  expect(decodeText(bytes(0x61, 0x00, 0xe9, 0x00), 'utf-16le')).toBe('aé');
});

test('MAP-73 ISO-8859-1 is windows-1252, as the Encoding Standard has it', () => {
  const all = Uint8Array.from({ length: 256 }, (_, index) => index);
  const text = decodeText(all, 'latin1');
  expect(text).toHaveLength(256);
  expect(text.slice(0, 0x80)).toBe(String.fromCharCode(...all.subarray(0, 0x80)));
  expect(text.slice(0xa0)).toBe(String.fromCharCode(...all.subarray(0xa0)));
  expect(text[0x80]).toBe('€');
  expect(text[0x99]).toBe('™');
  expect(text[0x9f]).toBe('Ÿ');
  expect(text[0x81]).toBe('\x81');
});

test('MAP-73 a byte order mark is no part of the text, and decides', () => {
  expect(decodeText(bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9), undefined)).toBe('é');
  expect(decodeText(bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9), 'iso-8859-1')).toBe('é');
  expect(decodeText(bytes(0xfe, 0xff, 0x00, 0x61), undefined)).toBe('a');
  expect(decodeText(bytes(0xff, 0xfe, 0x61, 0x00), 'utf-8')).toBe('a');
});

test('MAP-73 an unknown label is a named error', () => {
  for (const charset of ['utf-9', '', 'klingon']) {
    expect(read('{}', { charset })).toMatchObject({ code: 'ERR_DOCUMENT_CHARSET', charset });
  }
});

test.each<[charset: string, input: Uint8Array, near: number]>([
  ['utf-8', bytes(0x22, 0x61, 0xff, 0x22), 2],
  ['utf-8', bytes(0x22, 0xc3), 2],
  ['utf-8', bytes(0xed, 0xa0, 0x80), 1],
  ['utf-8', bytes(0xc0, 0xaf), 0],
  ['utf-16le', bytes(0x61, 0x00, 0x62), 3],
])('MAP-73 bytes that are not of %s are a named error with their place', (charset, input, near) => {
  expect(read(input, { charset })).toEqual({
    code: 'ERR_DOCUMENT_CHARSET',
    charset,
    reason: `bytes that are not of it, near byte ${near}`,
  });
});

test('MAP-73 XML names its encoding itself, unless the label says otherwise', () => {
  const xml = bytes(...utf8('<?xml version="1.0" encoding="ISO-8859-1"?><a>'), 0xe9, ...utf8('</a>'));
  expect(read(xml, { format: 'xml' })).toBe('é');
  expect(read(xml, { format: 'xml', charset: 'windows-1251' })).toBe('й');
  expect(read(xml, { format: 'xml', charset: 'utf-8' })).toMatchObject({ code: 'ERR_DOCUMENT_CHARSET' });
  expect(read('<?xml version="1.0" encoding="x-own"?><a/>', { format: 'xml' })).toMatchObject({ charset: 'x-own' });
});

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

const geojson = (document: unknown) => read(JSON.stringify(document), { format: 'geojson' });

test.each([
  { type: 'FeatureCollection', features: [] },
  { type: 'Feature', geometry: null, properties: {} },
  { type: 'Point', coordinates: [1, 2] },
])('MAP-76 %j is GeoJSON', (document) => {
  expect(geojson(document)).toEqual(document);
});

test.each([{}, { type: 'Topology' }, { features: [] }, [], null, 5, 'Feature'])('MAP-76 %j is none', (document) => {
  expect(geojson(document)).toMatchObject({ code: 'ERR_DOCUMENT_MALFORMED', reason: 'its type is none of GeoJSON' });
});

test('MAP-76 a collection without a list of features is refused, not taken as empty', () => {
  for (const features of [undefined, null, {}]) {
    expect(geojson({ type: 'FeatureCollection', features })).toMatchObject({
      code: 'ERR_DOCUMENT_MALFORMED',
      reason: 'it has no list of features',
    });
  }
});

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

const xml = (text: string) => read(text, { format: 'xml' });

test('MAP-78 an element is a mapping of its children and attributes by their local names', () => {
  const text =
    '<d:model xmlns:d="urn:d" d:version="2"><d:site id="P1"><d:free> 412\n</d:free></d:site><d:site id="P2"/></d:model>';
  expect(xml(text)).toEqual({ '@version': '2', site: [{ '@id': 'P1', free: '412' }, { '@id': 'P2' }] });
});

test('MAP-78 an element without children and attributes is its text, one with them has it as #text', () => {
  expect(xml('<a>x</a>')).toBe('x');
  expect(xml('<a/>')).toBe('');
  expect(xml('<a lang="de">x</a>')).toEqual({ '@lang': 'de', '#text': 'x' });
  expect(xml('<a>\n <b>1</b> and <b>2</b>\n</a>')).toEqual({ b: ['1', '2'], '#text': 'and' });
  expect(xml('<a>x<!-- c --> y<![CDATA[ <z> ]]>&lt;&#x41;&#66;</a>')).toBe('x y <z> <AB');
});

test('MAP-78 of attributes of one local name that without a prefix counts', () => {
  const declared = 'xmlns:xsi="urn:x" xmlns="urn:y"';
  expect(xml(`<a ${declared} xsi:type="A"/>`)).toEqual({ '@type': 'A' });
  expect(xml(`<a ${declared} type="B" xsi:type="A"/>`)).toEqual({ '@type': 'B' });
  expect(xml(`<a ${declared} xsi:type="A" type="B"/>`)).toEqual({ '@type': 'B' });
});

test('MAP-78 a name that says __proto__ is a name', () => {
  const document = xml('<a><__proto__><b>1</b></__proto__></a>') as Record<string, unknown>;
  expect(Object.keys(document)).toEqual(['__proto__']);
  expect(document.b).toBeUndefined();
});

test.each<[text: string, line: number]>([
  ['', 1],
  ['<a>\n<b></a>', 2],
  ['<a>', 1],
  ['<a></a><b></b>', 1],
  ['<a x=1/>', 1],
  ['<a x="1" x="2"/>', 1],
  ['<a>&nbsp;</a>', 1],
  ['<a>&constructor;</a>', 1],
  ['<a>&toString;</a>', 1],
  ['<a>&#0;</a>', 1],
  ['text', 1],
  ['{"a": 1}', 1],
])('MAP-78 %j is refused with the line', (text, line) => {
  expect(xml(text)).toMatchObject({ code: 'ERR_DOCUMENT_MALFORMED', format: 'xml', line });
});

test('MAP-97 a document with another root than the one that is meant is refused', () => {
  const of = (text: string) => read(text, { format: 'xml', root: 'sites' });
  expect(of('<x:sites xmlns:x="urn:x"><site>1</site></x:sites>')).toEqual({ site: '1' });
  expect(of('<sites/>')).toBe('');
  expect(of('<html><sites/></html>')).toMatchObject({
    code: 'ERR_DOCUMENT_MALFORMED',
    reason: 'its root element is html, and not sites',
    line: 1,
  });
});

test('MAP-79 a web page is told to be one', () => {
  expect(xml('<!DOCTYPE html>\n<html/>')).toMatchObject({
    code: 'ERR_DOCUMENT_MALFORMED',
    reason: 'it is an HTML page',
    line: 1,
  });
});

test('MAP-79 any DOCTYPE is refused, whatever it says', () => {
  const entities = Array.from({ length: 9 }, (_, index) => `<!ENTITY l${index + 1} "&l${index};&l${index};">`).join(
    '\n',
  );
  for (const text of [
    '<!DOCTYPE a>\n<a/>',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://localhost/x.dtd"><html/>',
    `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "lol">${entities}]><a>&l9;</a>`,
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
  ]) {
    expect(xml(text)).toMatchObject({ code: 'ERR_DOCUMENT_DOCTYPE' });
  }
});
