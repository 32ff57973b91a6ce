import { expect, test } from 'vitest';
import { read, utf8 } from './documents.ts';

const bytes = (...codes: number[]) => Uint8Array.from(codes);

test.each<[input: Uint8Array, charset: string | undefined, text: string]>([
  [utf8('"Straße 5 €"'), undefined, 'Straße 5 €'],
  [bytes(0x22, 0x47, 0x65, 0xf6, 0x22), 'iso-8859-1', 'Geö'],
  [bytes(0x22, 0xa4, 0x22), 'ISO-8859-15', '€'],
  [bytes(0x22, 0xb3, 0x22), 'windows-1250', 'ł'],
  [bytes(0x22, 0x00, 0xe9, 0x00, 0x22, 0x00), 'utf-16le', 'é'],
  // A byte order mark is no part of the text, and decides.
  [bytes(0xef, 0xbb, 0xbf, 0x22, 0xc3, 0xa9, 0x22), undefined, 'é'],
  [bytes(0xef, 0xbb, 0xbf, 0x22, 0xc3, 0xa9, 0x22), 'iso-8859-1', 'é'],
  [bytes(0xfe, 0xff, 0x00, 0x22, 0x00, 0x61, 0x00, 0x22), undefined, 'a'],
  [bytes(0xff, 0xfe, 0x22, 0x00, 0x61, 0x00, 0x22, 0x00), 'utf-8', 'a'],
])('MAP-73 %j, labelled %s, is "%s"', (input, charset, text) => {
  expect(read(input, charset === undefined ? {} : { charset })).toBe(text);
});

test('MAP-73 a character may stand across any two parts of a long text', () => {
  for (const text of ['é'.repeat(200_000), `a${'é'.repeat(200_000)}`]) expect(read(`"${text}"`) === text).toBe(true);
});

test('MAP-73 ISO-8859-1 is windows-1252, as the Encoding Standard has it', () => {
  const high = Array.from({ length: 128 }, (_, index) => index + 128);
  const text = read(bytes(0x22, ...high, 0x22), { charset: 'latin1' }) as string;
  expect(text).toHaveLength(128);
  expect(text.slice(0x20)).toBe(String.fromCharCode(...high.slice(0x20)));
  expect([0, 1, 0x19, 0x1f].map((code) => text[code])).toEqual(['€', '\x81', '™', 'Ÿ']);
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
    reason: `invalid bytes near byte ${near}`,
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

const noColumns = { code: 'ERR_DOCUMENT_MALFORMED', format: 'csv', reason: 'it has no header row' };
const proto = Object.fromEntries(['a', '#2', '__proto__'].map((name, index) => [name, `${index + 1}`]));

test.each<[text: string, delimiter: string | undefined, rows: unknown]>([
  ['Name;Free\r\n"Straße; ""A""";05\r\n', ';', [{ Name: 'Straße; "A"', Free: '05' }]],
  ['Name;Free\r\n B ;\r\n', ';', [{ Name: ' B ', Free: '' }]],
  ['a,b\n"1\n2",3', undefined, [{ a: '1\n2', b: '3' }]],
  ['a\tb\r1\t2\r', '\t', [{ a: '1', b: '2' }]],
  ['a|b\n1|2\r\n\n3|2\n', '|', ['1', '3'].map((a) => ({ a, b: '2' }))],
  ['a,b\n', undefined, []],
  ...['', '\n', '\r\n\r\n'].map((text): [string, undefined, unknown] => [
    text,
    undefined,
    expect.objectContaining(noColumns),
  ]),
  // Names lose the space around them, and a column without one is named by its number.
  [' a ,,__proto__\n1,2,3', undefined, [proto]],
  // One column may be all there is.
  ['Name, first name\nA\n', ';', [{ 'Name, first name': 'A' }]],
  ['a;b\n', undefined, []],
  ['a;b\n1;2;3\n', undefined, [{ 'a;b': '1;2;3' }]],
  ['a\n1;2\n', undefined, [{ a: '1;2' }]],
  ['"a;b"\n1;2\n', undefined, [{ 'a;b': '1;2' }]],
  ['a;x,b\n1;2,3\n', undefined, [{ 'a;x': '1;2', b: '3' }]],
])('MAP-77 %j by %j has the rows %j', (text, delimiter, rows) => {
  expect(csv(text, delimiter)).toEqual(rows);
});

test.each<[text: string, reason: string, line: number]>([
  ['a,b\r\n1,2\r\n3\r\n', 'the header has 2 columns, and a row 1', 3],
  ['a,b\n1,2,3\n', 'the header has 2 columns, and a row 3', 2],
  ['a,b\n1,"2', 'a quote is not closed', 2],
  ['a,b\n1,"2"3\n', 'text follows a closing quote', 2],
  ['a,b\n1,2"3\n', 'a quote is inside an unquoted value', 2],
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
])('MAP-77 %j by %j is refused, with the delimiter that it seems to have', (text, delimiter, other) => {
  const [seems, not] = [JSON.stringify(other), JSON.stringify(delimiter)];
  const reason = `its columns seem to be separated by ${seems} and not by ${not}: give ${seems} as delimiter`;
  expect(csv(text, delimiter)).toEqual({ code: 'ERR_DOCUMENT_MALFORMED', format: 'csv', reason, line: 1 });
});

const geojson = (document: unknown) => read(JSON.stringify(document), { format: 'geojson' });

test.each([
  { type: 'FeatureCollection', features: [] },
  { type: 'Feature', geometry: null, properties: {} },
  { type: 'Point', coordinates: [1, 2] },
])('MAP-74 %j is GeoJSON', (document) => {
  expect(geojson(document)).toEqual(document);
});

const noType = [{}, { type: 'Topology' }, { features: [] }, [[]], null, 5, 'Feature'];
const noList = [undefined, null, {}].map((features) => ({ type: 'FeatureCollection', features }));
test.each([...noType, ...noList])('MAP-74 %j is none, and not taken as empty', (document) => {
  const reason = noList.includes(document as never)
    ? 'it has no list of features'
    : 'its type is not a type of GeoJSON';
  expect(geojson(document)).toMatchObject({ code: 'ERR_DOCUMENT_MALFORMED', reason });
});

const ndjson = (text: string) => read(text, { format: 'ndjson' });

const atLine = { reason: 'it ends where a comma or } was expected', line: 3, column: 7 };

test.each<[text: string, read: unknown]>([
  ['{"a":1}\n[2]\r\n\n \t\r\n"c"', [{ a: 1 }, [2], 'c']],
  ['\n', []],
  ['12345678901234567890\n', ['12345678901234567890']],
  ['{"a":1}\n\n{"a":2\n{"a":3}\n', { code: 'ERR_DOCUMENT_MALFORMED', format: 'ndjson', ...atLine }],
  ['', expect.objectContaining({ code: 'ERR_DOCUMENT_MALFORMED', reason: 'it is empty' })],
])('MAP-74 each line of %j that is not space is a record', (text, expected) => {
  expect(ndjson(text)).toEqual(expected);
});

const xml = (text: string) => read(text, { format: 'xml' });

const declared = 'xmlns:xsi="urn:x" xmlns="urn:y"';
const [model, site] = ['<d:model xmlns:d="urn:d" d:version="2">', '<d:site id="P1"><d:free> 412\n</d:free></d:site>'];
const sites = { '@version': '2', site: [{ '@id': 'P1', free: '412' }, { '@id': 'P2' }] };

test.each<[text: string, document: unknown]>([
  // A mapping of its children and attributes by their local names.
  [`${model}${site}<d:site id="P2"/></d:model>`, sites],
  // Without them its text, else that is #text.
  ['<a>x</a>', 'x'],
  ['<a/>', ''],
  ['<a lang="de">x</a>', { '@lang': 'de', '#text': 'x' }],
  ['<a>\n <b>1</b> and <b>2</b>\n</a>', { b: ['1', '2'], '#text': 'and' }],
  ['<a>x<!-- c --> y<![CDATA[ <z> ]]>&lt;&#x41;&#66;</a>', 'x y <z> <AB'],
  // Of attributes of one local name that without a prefix counts.
  [`<a ${declared} xsi:type="A"/>`, { '@type': 'A' }],
  [`<a ${declared} type="B" xsi:type="A"/>`, { '@type': 'B' }],
  [`<a ${declared} xsi:type="A" type="B"/>`, { '@type': 'B' }],
])('MAP-78 %s is %j', (text, document) => {
  expect(xml(text)).toEqual(document);
});

test('MAP-78 a name that says __proto__ is a name', () => {
  const document = xml('<a><__proto__><b>1</b></__proto__></a>') as Record<string, unknown>;
  expect(Object.keys(document)).toEqual(['__proto__']);
  expect(document.b).toBeUndefined();
});

const faulty = `<a>|<a></a><b></b>|<a x=1/>|<a x="1" x="2"/>|<a>&nbsp;</a>|<a>&constructor;</a>|<a>&toString;</a>
|<a>&#0;</a>|text|{"a": 1}|`.split('|');

test.each([...faulty, '<a>\n<b></a>'])('MAP-78 %j is refused with the line', (text) => {
  const line = text.startsWith('<a>\n<b') ? 2 : 1;
  expect(xml(text.trim())).toMatchObject({ code: 'ERR_DOCUMENT_MALFORMED', format: 'xml', line });
});

test('MAP-5 a document with another root than the one that is meant is refused', () => {
  const of = (text: string) => read(text, { format: 'xml', root: 'sites' });
  expect(of('<x:sites xmlns:x="urn:x"><site>1</site></x:sites>')).toEqual({ site: '1' });
  expect(of('<sites/>')).toBe('');
  const reason = 'its root element is html, and not sites';
  expect(of('<html><sites/></html>')).toMatchObject({ code: 'ERR_DOCUMENT_MALFORMED', reason, line: 1 });
});

const entities = Array.from({ length: 9 }, (_, index) => `<!ENTITY l${index + 1} "&l${index};&l${index};">`).join('\n');
const page = { code: 'ERR_DOCUMENT_MALFORMED', reason: 'it is an HTML page', line: 1 };

test.each<[text: string, error?: object]>([
  ['<!DOCTYPE html>\n<html/>', page],
  ['<!DOCTYPE a\n>\n<a/>', { code: 'ERR_DOCUMENT_DOCTYPE', line: 2 }],
  ['<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://localhost/x.dtd"><html/>'],
  [`<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "lol">${entities}]><a>&l9;</a>`],
  ['<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
])('MAP-78 any DOCTYPE is refused, whatever it says, and a web page is told to be one: %.40s', (text, error) => {
  expect(xml(text)).toMatchObject(error ?? { code: 'ERR_DOCUMENT_DOCTYPE' });
});
