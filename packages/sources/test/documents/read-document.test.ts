import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { readInSlices } from '../../src/documents/read-document.ts';
import type { DocumentFormat, DocumentReading } from '../../src/mapping/schema.ts';
import { read, utf8 } from './documents.ts';

const xml = `<?xml version="1.0" encoding="UTF-8"?>
<!-- c --><n:a xmlns:n="urn:n" n:t="1" u="&amp;"><n:b>ü<![CDATA[<&]]></n:b><b x='2'/>&#65;<?p i?></n:a>
`;
const json =
  ' {"stations": [{"id": "é\\u00e9\\n", "n": -1.5e+3, "on": true, "off": false, "no": null, "l": []}], "x": {}}\n';
const feature = { type: 'Feature', geometry: { type: 'Point', coordinates: [3.7, 51] }, properties: null };

/** A small document of each format, with all that the format has. */
const samples: readonly (readonly [reading: DocumentReading, text: string])[] = [
  [{ format: 'json' }, json],
  [{ format: 'ndjson' }, '{"a":[1,2]}\r\n\n{"a":"\\"😀\\\\"}\n12345678901234567890\n'],
  [{ format: 'geojson' }, JSON.stringify({ type: 'FeatureCollection', features: [feature] })],
  [{ format: 'csv', delimiter: ';' }, 'Name;Frei;\r\n"Straße; ""A""";5;x\r\n\r\nB;;\r\n'],
  [{ format: 'xml' }, xml],
];

test.each(samples)('MAP-72 %j is read, with a byte order mark too', (reading, text) => {
  const document = read(text, reading);
  expect(document).not.toHaveProperty('code');
  expect(read(`\ufeff${text}`, reading)).toEqual(document);
});

test.each(samples)(
  'MAP-72 %j cut at any byte is read as a shorter document or refused with a named error',
  (reading, text) => {
    const bytes = utf8(text);
    const whole = read(text, reading);
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = read(bytes.subarray(0, length), reading) as { code?: string } | unknown[];
      if (reading.format === 'csv' || reading.format === 'ndjson') {
        // These have no end of their own: what was cut between records cannot be told from what is whole.
        if (!Array.isArray(cut)) expect(cut.code).toMatch(/^ERR_DOCUMENT_(MALFORMED|CHARSET)$/);
        else expect(cut.length).toBeLessThanOrEqual((whole as unknown[]).length);
      } else if ('code' in cut) {
        expect(cut.code).toMatch(/^ERR_DOCUMENT_(MALFORMED|CHARSET)$/);
      } else {
        expect(cut).toEqual(whole);
      }
    }
  },
);

const nested: readonly [format: DocumentFormat, line: number, nest: (depth: number) => string][] = [
  ['json', 2, (depth) => `\n${'[{"a":'.repeat(depth >> 1)}${depth % 2 ? '[]' : '0'}${'}]'.repeat(depth >> 1)}`],
  ['ndjson', 2, (depth) => `1\n${'['.repeat(depth)}${']'.repeat(depth)}`],
  ['xml', 1, (depth) => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`],
];

test.each(nested)('MAP-81 %s nests as deep as its limit', (format, line, nest) => {
  for (const [limitDepth, limits] of [[64], [3, { limitDepth: 3 }]] as const) {
    const error = { code: 'ERR_DOCUMENT_TOO_DEEP', limitDepth, line };
    expect(read(nest(limitDepth), { format }, limits)).not.toHaveProperty('code');
    expect(read(nest(limitDepth + 1), { format }, limits)).toMatchObject(error);
  }
});

test.each<[format: DocumentFormat, endless: string]>([
  ['json', '['.repeat(2_000_000)],
  ['json', '{"a":'.repeat(1_000_000)],
  ['geojson', '['.repeat(2_000_000)],
  ['ndjson', '['.repeat(2_000_000)],
  ['xml', '<a>'.repeat(1_000_000)],
])('MAP-81 %s of a million levels is refused, and the process stands', (format, endless) => {
  expect(read(endless, { format })).toMatchObject({ code: 'ERR_DOCUMENT_TOO_DEEP' });
});

const counted: readonly [
  what: string,
  format: DocumentFormat,
  counting: (count: number) => string,
  unlessGiven?: number,
][] = [
  ['items of a list', 'json', (count) => `{"a":[${Array(count).fill(1)}]}`],
  ['fields of a mapping', 'json', (count) => `{${Array.from({ length: count }, (_, index) => `"${index}":[]`)}}`],
  ['features', 'geojson', (count) => `{"type":"FeatureCollection","features":[${Array(count).fill('{}')}]}`],
  ['lines', 'ndjson', (count) => '1\n'.repeat(count)],
  ['lines, unless given,', 'ndjson', (count) => '1\n'.repeat(count), 200_000],
  ['rows', 'csv', (count) => `a\n${'1\n'.repeat(count)}`],
  ['columns', 'csv', (count) => Array.from({ length: count }, (_, index) => `c${index}`).join()],
  ['children of an element', 'xml', (count) => `<a>${'<b/>'.repeat(count)}</a>`],
];

test.each(counted)('MAP-81 there are as many %s in %s as the limit allows', (_, format, counting, unlessGiven) => {
  const limitRecords = unlessGiven ?? 100;
  const limits = unlessGiven ? {} : { limitRecords };
  expect(read(counting(limitRecords), { format }, limits)).not.toHaveProperty('code');
  const error = { code: 'ERR_DOCUMENT_TOO_MANY', limitRecords };
  expect(read(counting(limitRecords + 1), { format }, limits)).toMatchObject(error);
});

const valued: readonly [what: string, format: DocumentFormat, counting: (count: number) => string, limit?: number][] = [
  ['lists and commas', 'json', (count) => `[${Array(count).fill(1)}]`],
  ['mappings', 'json', (count) => `${'{"a":'.repeat(9)}[${Array(count - 9).fill(1)}]${'}'.repeat(9)}`],
  ['lists of all lines', 'ndjson', (count) => '[]\n'.repeat(count)],
  ['cells', 'csv', (count) => `a\n${'1\n'.repeat(count - 1)}`],
  ['elements and attributes', 'xml', (count) => `<a b="1">${'<c/>'.repeat(count - 2)}</a>`],
  [
    'commas, unless given,',
    'json',
    (count) => `[${Array(5).fill(`[${Array(199_999).fill(1)}]`)}${',1'.repeat(count - 1e6)}]`,
    1_000_000,
  ],
];

test.each(valued)(
  'MAP-81 there are as many %s in %s as the limit of values allows',
  (_, format, counting, unlessGiven) => {
    const limitValues = unlessGiven ?? 100;
    const limits = unlessGiven ? {} : { limitValues };
    expect(read(counting(limitValues), { format }, limits)).not.toHaveProperty('code');
    const error = { code: 'ERR_DOCUMENT_TOO_MANY_VALUES', limitValues };
    expect(read(counting(limitValues + 1), { format }, limits)).toMatchObject(error);
  },
);

test('MAP-81 an element of XML has ten thousand attributes at most', () => {
  const element = (count: number) => `<a ${Array.from({ length: count }, (_, index) => `b${index}="1"`).join(' ')}/>`;
  expect(read(element(10_000), { format: 'xml' })).toMatchObject({ '@b9999': '1' });
  const reason = 'an element has more than 10000 attributes';
  expect(read(element(10_001), { format: 'xml' })).toMatchObject({ code: 'ERR_DOCUMENT_MALFORMED', reason });
});

test('MAP-81 CSV of a hundred thousand columns and ten rows has too many values', () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `c${index}`);
  const document = `${names}\n${`${','.repeat(99_999)}\n`.repeat(10)}`;
  expect(read(document, { format: 'csv' })).toMatchObject({ code: 'ERR_DOCUMENT_TOO_MANY_VALUES', line: 11 });
});

const texts: readonly [what: string, format: DocumentFormat, document: (text: string) => string][] = [
  ['a string', 'json', (text) => `[1, "${text}"]`],
  ['a name', 'json', (text) => `{"${text}": 1}`],
  ['a cell', 'csv', (text) => `a\n${text}\n`],
  ['a cell in quotes', 'csv', (text) => `a\n"${text}"\n`],
  ['a text', 'xml', (text) => `<a>${text}</a>`],
  ['a text in parts', 'xml', (text) => `<a>${text.slice(1)}<b/><![CDATA[${text.slice(0, 1)}]]></a>`],
  ['an attribute', 'xml', (text) => `<a b="${text}"/>`],
];

test.each(texts)('MAP-81 %s of %s is as long as its limit, in bytes', (_, format, document) => {
  for (const [limitTextBytes, limits] of [
    [1_048_576, {}],
    [100, { limitTextBytes: 100 }],
  ] as const) {
    const longest = `${'é'.repeat(10)}${'a'.repeat(limitTextBytes - 20)}`;
    expect(read(document(longest), { format }, limits)).not.toHaveProperty('code');
    const error = { code: 'ERR_DOCUMENT_TEXT_TOO_LONG', limitTextBytes };
    expect(read(document(`${longest}a`), { format }, limits)).toMatchObject(error);
  }
});

test.each([
  ['comments', '<!--', '- ', '-->'],
  ['comments of another rhythm', '<!--', ' -x', '-->'],
  ['instructions', '<?p ', '? ', '?>'],
  ['CDATA', '<![CDATA[', '] ', ']]>'],
  ['lines', '', '\r', ''],
  ['entities', '', '&lt;', ''],
  ['names', '<', 'n', '/>'],
])('MAP-81 what is no text is read to the limit of one too, and no further: %s of XML', (_, before, piece, after) => {
  const xml = (bytes: number) =>
    `<a>\n${before}${piece.repeat(bytes / piece.length)}${after}${'<b/>'.repeat(10_000)}</a>`;
  expect(read(xml(1_000_000), { format: 'xml' })).toHaveProperty('b');
  const unread = `${xml(1_100_000)}<this is no XML`;
  expect(read(unread, { format: 'xml' })).toMatchObject({
    code: 'ERR_DOCUMENT_TEXT_TOO_LONG',
    line: piece === '\r' ? expect.any(Number) : 2,
  });
  expect(read(xml(3996), { format: 'xml' }, { limitTextBytes: 4000 })).toHaveProperty('b');
});

const record = '{"id": "garage", "free": 412, "names": ["Nørd", "süd"], "place": {"lat": 51.05}}';
const columns = Array.from({ length: 100_000 }, (_, index) => `c${index}`);
const large: readonly (readonly [format: DocumentFormat, text: string])[] = [
  ['json', `{"all": [${Array(60_000).fill(record)}]}`],
  ['ndjson', `${record}\n`.repeat(60_000)],
  ['xml', `<all>${'<garage id="a"><free>412</free></garage>'.repeat(30_000)}</all>`],
  ['csv', `a,b,c\n${'"Nørd ""1""",412,51.05\n'.repeat(100_000)}`],
  ['csv', `${columns}\n${`${columns}\n`.repeat(3)}`],
];

test.each(large)('large %s is read in slices, as it is read at once', async (format, text) => {
  let turns = 0;
  let isRead = false;
  const takeTurns = () => {
    turns += 1;
    if (!isRead) setImmediate(takeTurns);
  };
  setImmediate(takeTurns);
  const document = await readInSlices(utf8(text), { format });
  isRead = true;
  expect(turns).toBeGreaterThan(1);
  // By text: to compare as many values one by one takes long.
  expect(JSON.stringify(document) === JSON.stringify(read(text, { format }))).toBe(true);
});

test('MAP-81 limits are numbers in their ranges', () => {
  for (const limits of [
    { limitDepth: 0 },
    { limitDepth: 1001 },
    { limitRecords: 0 },
    { limitRecords: 0.5 },
    { limitValues: 0 },
    { limitTextBytes: 0 },
  ]) {
    expect(read('{}', {}, limits)).toMatchObject({ code: 'ERR_SOURCE_OPTION' });
  }
});

// What `read` throws is no named error.
test.each(samples)('MAP-72 %j with any bytes changed is read or refused with a named error', (reading, text) => {
  const bytes = utf8(text);
  const byte = fc.oneof(fc.nat(255), fc.constantFrom(...utf8('<>&[]{}",;:\\\n!')));
  const change = fc.tuple(fc.nat(bytes.length - 1), byte);
  check(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const changed = Uint8Array.from(bytes);
      for (const [index, byte] of changes) changed[index] = byte;
      read(changed, reading);
    }),
    { numRuns: 500 },
  );
});

test.each(samples)('MAP-72 any bytes read as %j are read or refused with a named error', (reading) => {
  check(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => void read(bytes, reading)));
  check(fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => void read(text, reading)));
});

test('MAP-77 any rows that are written as CSV are read as they were', () => {
  const cell = fc.string({ unit: fc.constantFrom(...'ab1 ",;\n\réß') });
  const table = fc.integer({ min: 1, max: 5 }).chain((width) =>
    fc.array(
      fc.array(cell, { minLength: width, maxLength: width }).filter((row) => row.join('') !== ''),
      { maxLength: 6 },
    ),
  );
  const quoted = (row: readonly string[]) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(',');
  check(
    fc.property(table, (rows) => {
      const header = (rows[0] ?? ['a']).map((_, index) => `c${index}`);
      const text = [header, ...rows].map(quoted).join('\r\n');
      const expected = rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index]])));
      expect(read(text, { format: 'csv' })).toEqual(expected);
    }),
  );
});
