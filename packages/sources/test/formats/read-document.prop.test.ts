import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { read, samples, utf8 } from './documents.ts';

// What `read` throws is no named error.
test.each(samples)('MAP-80 %j with any bytes changed is read or refused with a named error', (reading, text) => {
  const bytes = utf8(text);
  const change = fc.tuple(
    fc.nat(bytes.length - 1),
    fc.oneof(fc.nat(255), fc.constantFrom(...utf8('<>&[]{}",;:\\\n!'))),
  );
  check(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const changed = Uint8Array.from(bytes);
      for (const [index, byte] of changes) changed[index] = byte;
      read(changed, reading);
    }),
    { numRuns: 500 },
  );
});

test.each(samples)('MAP-80 any bytes read as %j are read or refused with a named error', (reading) => {
  check(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => void read(bytes, reading)));
  check(fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => void read(text, reading)));
});

test('MAP-74 JSON of numbers that doubles hold is read as JSON.parse reads it', () => {
  check(
    fc.property(
      fc.json().filter((text) => !/\d{16}/.test(text)),
      (text) => {
        expect(read(text)).toEqual(JSON.parse(text));
      },
    ),
  );
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
