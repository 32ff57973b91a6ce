import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { jsonFault } from '../../src/formats/json-fault.ts';

const parses = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

// Pieces that make JSON now and then.
const pieces = fc.constantFrom(
  ...[
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    '"',
    '"a"',
    '\\',
    '\\u00e9',
    '\\n',
    '0',
    '1',
    '-',
    '.5',
    'e3',
    'true',
    'null',
    ' ',
    '\n',
    '\t',
    'é',
  ],
);

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
      const fault = jsonFault(tried);
      expect(fault === undefined).toBe(parses(tried));
      if (fault) {
        expect(fault.index).toBeGreaterThanOrEqual(0);
        expect(fault.index).toBeLessThanOrEqual(tried.length);
        // What stands before a fault is the beginning of some JSON: cutting there leaves no fault but the end.
        const cut = jsonFault(tried.slice(0, fault.index));
        if (cut) expect(cut.index).toBe(fault.index);
      }
    }),
    { numRuns: 2000 },
  );
});
