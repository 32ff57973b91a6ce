import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { formatSseComment, formatSseEvent, formatSseRetry } from '../src/index.ts';
import { parseChunks } from './sse-record.ts';

const encoder = new TextEncoder();

const soup = fc.array(
  fc.constantFrom(
    'data',
    'id',
    'event',
    'retry',
    ':',
    ' ',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '\0',
    '\ufeff',
    '7',
    'é',
    '😀',
    'x',
  ),
  { maxLength: 60 },
);

test('PUSH-13 chunks make no difference', () => {
  check(
    fc.property(soup, fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 60 }), (pieces, sizes) => {
      const bytes = encoder.encode(pieces.join(''));
      const chunks: Uint8Array[] = [];
      let start = 0;
      for (const size of sizes) {
        chunks.push(bytes.subarray(start, start + size));
        start += size;
      }
      expect(parseChunks([...chunks, bytes.subarray(start)])).toEqual(parseChunks([bytes]));
    }),
    { numRuns: 1000 },
  );
});

// The standard's rules over the whole text, line by line.
function reference(text: string): unknown[] {
  const calls: unknown[] = [];
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  lines.pop();
  let data = '';
  let event = '';
  let id = '';
  for (const line of lines) {
    if (line === '') {
      if (data !== '') calls.push({ event: event || 'message', id, data: data.slice(0, -1) });
      data = '';
      event = '';
      continue;
    }
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (line.startsWith(':')) calls.push({ comment: value });
    else if (name === 'data') data += `${value}\n`;
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) calls.push({ retryMs: Number(value) });
  }
  return calls;
}

test('PUSH-13 the rules of the HTML standard decide', () => {
  check(
    fc.property(soup, (pieces) => {
      const text = pieces.join('');
      expect(parseChunks([encoder.encode(text)])).toEqual(reference(text));
    }),
    { numRuns: 2000 },
  );
});

test('what is written is read', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\0]/g, ''));
  check(
    fc.property(line, line, fc.string({ unit: 'grapheme' }), fc.nat(), (event, id, data, retryMs) => {
      const text = [formatSseRetry(retryMs), formatSseComment(event), formatSseEvent({ event, id, data })].join('');
      expect(parseChunks([encoder.encode(text)])).toEqual([
        { retryMs },
        { comment: event },
        { event: event === '' ? 'message' : event, id, data: data.replace(/\r\n?/g, '\n') },
      ]);
    }),
  );
});
