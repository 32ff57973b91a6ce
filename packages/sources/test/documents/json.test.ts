import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { read } from './documents.ts';

const symbol = 'a value, or a name in quotes, was expected';
const malformed = (reason: string, line: number, column: number) => {
  return { code: 'ERR_DOCUMENT_MALFORMED', format: 'json', reason, line, column };
};

test.each<[text: string, reason: string, line: number, column: number]>([
  ['', 'it ends where a value was expected', 1, 1],
  ['[1,', 'it ends where a value was expected', 1, 4],
  ['[1', 'it ends where a comma or ] was expected', 1, 3],
  ['{"a"', 'it ends where a colon was expected', 1, 5],
  ['"abc', 'it ends in a string', 1, 5],
  ['[1.', 'it ends where a digit was expected', 1, 4],
  ['{"a":1,\n "b" 2}', 'a colon was expected', 2, 6],
  ['{\n"a":1,\n}', 'a name in quotes was expected', 3, 1],
  ['[1,]', 'a value was expected', 1, 4],
  ['[1}', 'a comma or the end was expected', 1, 3],
  ['{a:1}', symbol, 1, 2],
  ['{} {}', 'the end of the document was expected', 1, 4],
  ["['a']", symbol, 1, 2],
  ['[01]', 'a comma or the end was expected', 1, 3],
  ['[+1]', symbol, 1, 2],
  ['[NaN]', symbol, 1, 2],
  ['["a\nb"]', 'a string has a line break or another control character', 1, 4],
  ['["a\u0001b\\q"]', 'a string has a line break or another control character', 1, 4],
  ['["\\x"]', 'a backslash is not an escape', 1, 3],
  ['[1] // all', 'JSON without comments was expected', 1, 5],
  ['["😀", x]', symbol, 1, 8],
  ['<html>', symbol, 1, 1],
])('MAP-74 %j is refused with the place', (text, reason, line, column) => {
  expect(read(text)).toEqual(malformed(reason, line, column));
});

test('MAP-74 in a string of more than 4 MiB no fault is looked for', () => {
  const document = `["${'\\n'.repeat(2_200_000)}`;
  expect(read(document, {}, { limitTextBytes: 5_000_000 })).toEqual(
    malformed('it cannot be parsed from here on', 1, 1),
  );
});

test.each<[text: string, value: unknown]>([
  // A whole number beyond what a double holds stays as its digits, and one out of their range as it is written.
  ['[9007199254740991, 9007199254740992]', [9007199254740991, '9007199254740992']],
  ['[-9007199254740993, 12345678901234567890]', ['-9007199254740993', '12345678901234567890']],
  ['{"id": 12345678901234567890}', { id: '12345678901234567890' }],
  ['[1e309, -1E+400, 1e308, 1e-400]', ['1e309', '-1E+400', 1e308, 0]],
  // Others are the nearest doubles.
  ['[413824.91185447818134, 1e20, 4.50, 0.1, -0]', [413824.9118544782, 1e20, 4.5, 0.1, -0]],
  // A large number does not mend what is malformed.
  ['{12345678901234567890: 1}', malformed('a name in quotes was expected', 1, 2)],
  ['[012345678901234567890]', malformed('a comma or the end was expected', 1, 3)],
  ['[12345678901234567890x]', malformed(symbol, 1, 22)],
  ['["12345678901234567890]', malformed('it ends in a string', 1, 24)],
])('MAP-74 %s is read as %j', (text, value) => {
  expect(read(text)).toEqual(value);
});

test('MAP-74 what stands in strings is not counted as structure', () => {
  const text = '["[[[[,,,,12345678901234567890", "\\\\", "\\"]"]';
  expect(read(text, {}, { limitDepth: 1, limitRecords: 3 })).toEqual(JSON.parse(text));
});

test('MAP-74 a name that says __proto__ is a name, and of names that come twice the last one counts', () => {
  const document = read('{"__proto__": {"a": 1}, "b": 1, "b": 2}') as Record<string, unknown>;
  expect(Object.keys(document)).toEqual(['__proto__', 'b']);
  expect(document.a).toBeUndefined();
  expect(document.b).toBe(2);
});

const parses = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

// Pieces that make JSON now and then.
const words = String.raw`[ ] { } , : " "a" \ \u00e9 \n 0 1 - .5 e3 true null é`.split(' ');
const pieces = fc.constantFrom(...words, ' ', '\n', '\t');

test('MAP-74 a text has a fault if and only if it is no JSON', () => {
  const text = fc.oneof(
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.json().chain((json) => fc.nat(json.length).map((at) => json.slice(0, at))),
    fc.tuple(fc.json(), fc.nat(), pieces).map(([json, at, piece]) => {
      const index = at % (json.length + 1);
      return json.slice(0, index) + piece + json.slice(index + 1);
    }),
    fc.json(),
    fc.string(),
  );
  check(
    fc.property(text, (tried) => {
      const index = faultIndex(tried);
      expect(index === undefined).toBe(parses(tried));
      if (index === undefined) return;
      expect(index).toBeLessThanOrEqual(tried.length);
      // What stands before a fault is the beginning of some JSON: cutting there leaves no fault but the end.
      const cut = tried.slice(0, index);
      if (!parses(cut)) expect(faultIndex(cut)).toBe(index);
    }),
    { numRuns: 2000 },
  );
});

/** Texts of up to a megabyte and more: lists, mappings, and lists within them of which each is long. */
const longText = fc
  .record({
    values: fc.array(
      fc.json({ maxDepth: 4 }).filter((text) => !/\d{16}/.test(text)),
      { minLength: 1, maxLength: 5 },
    ),
    space: fc.constantFrom('', ' ', '\n', '\r\n\t'),
    kilobytes: fc.nat(300),
    shape: fc.constantFrom('list', 'mapping', 'nested'),
    repeats: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ values, space, kilobytes, shape, repeats }) => {
    const times = Math.ceil((kilobytes * 1024) / (values.join().length / values.length + 1));
    const items = Array.from({ length: times }, (_, index) => values[index % values.length]);
    const list = `[${space}${items.join(`${space},`)}${space}]`;
    const fields = items.map((item, index) => `"${index % 7000}":${space}${item}`);
    const long = {
      list,
      mapping: `{${fields.join(`${space},`)}}`,
      nested: `{"a":1,"b":[0,${list}],"__proto__":${list}}`,
    };
    return `{"first":${space}[${Array(repeats).fill(long[shape]).join(`${space}, `)}, 1], "last": {}}`;
  });

// A long text is parsed in parts, which are cut where siblings meet.
test('MAP-74 a long text is read as JSON.parse reads it, or refused at its first fault', () => {
  const change = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), removed: fc.nat(2), piece: pieces });
  check(
    fc.property(longText, fc.option(change), (text, changed) => {
      const index = Math.floor(text.length * (changed?.at ?? 0));
      const tried = changed ? text.slice(0, index) + changed.piece + text.slice(index + changed.removed) : text;
      const fault = faultIndex(tried);
      if (parses(tried)) expect(read(tried)).toEqual(JSON.parse(tried));
      // A change can turn strings into marks that nest.
      else if (fault === undefined) expect(read(tried)).toMatchObject({ code: 'ERR_DOCUMENT_TOO_DEEP' });
      else if (!parses(tried.slice(0, fault))) expect(faultIndex(tried.slice(0, fault))).toBe(fault);
    }),
    { numRuns: 150 },
  );
});

// The parts of these end where the last comma stands.
test.each([
  ['[', '"abcd",', ']'],
  ['{', '"a":1,', '}'],
])('MAP-74 a long text that begins by %s and has nothing after its last comma is refused', (begin, item, end) => {
  const text = (begin + item.repeat(180_000 / item.length)).padEnd(3 * 65_536) + end;
  expect(read(text)).toMatchObject({ code: 'ERR_DOCUMENT_MALFORMED', column: text.length });
});

/** Where a text is refused, by the line and column that are reported. */
function faultIndex(text: string): number | undefined {
  const { code, line, column } = (read(text) ?? {}) as { code?: unknown; line: number; column: number };
  if (code !== 'ERR_DOCUMENT_MALFORMED') return undefined;
  const before = text.split(/(?<=\r(?!\n)|\n)/).slice(0, line - 1);
  return before.join('').length + column - 1;
}

test('MAP-74 whole numbers of any size keep their digits', () => {
  const integer = fc.bigInt(-(10n ** 40n), 10n ** 40n);
  check(
    fc.property(fc.array(integer), (values) => {
      expect((read(`[${values.join(' , ')}]`) as (string | number)[]).map(BigInt)).toEqual(values);
    }),
  );
});

test('MAP-81 the depth that is counted is that of the value', () => {
  const depthOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0;
    return 1 + Math.max(0, ...Object.values(value).map(depthOf));
  };
  check(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const depth = Math.max(1, depthOf(value));
      const text = JSON.stringify(value);
      expect(read(text, {}, { limitDepth: depth })).not.toMatchObject({ code: 'ERR_DOCUMENT_TOO_DEEP' });
      if (depth > 1) expect(read(text, {}, { limitDepth: depth - 1 })).toMatchObject({ code: 'ERR_DOCUMENT_TOO_DEEP' });
    }),
  );
});
