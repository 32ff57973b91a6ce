import { EVENT_STREAM_CASES } from '@ldes-live/test-support/event-stream-cases';
import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { createParser } from 'eventsource-parser';
import { expect, test } from 'vitest';
import { formatSseComment, formatSseEvent, formatSseRetry, SseParser } from '../src/index.ts';
import { parseChunks, sseRecord } from './sse-record.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const message = (data: string, id = '') => ({ event: 'message', id, data });

// Beside the web platform tests: comments and delays, which they do not see, and what they do not ask.
const OWN_CASES: [name: string, stream: string, calls: unknown[]][] = [
  [
    'a comment, ids, an id reset, an unfinished block',
    ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event',
    [{ comment: 'test stream' }, message('first event', '1'), message('second event')],
  ],
  ['a type without data, which is forgotten', 'event: add\n\ndata: 2\n\n', [message('2')]],
  ['an id without data', 'id: 7\n\ndata: 1\n\n', [message('1', '7')]],
  ['retry of digits only', 'retry: 010\nretry: 1.5\nretry: -1\nretry:\nretry: 1a\nretry:  5\n', [{ retryMs: 10 }]],
  ['retry in other digits', 'retry: ٣\nretry: 1e3\nretry: 0x10\nretry: +1\n', []],
  ['comments', ':\n: a\n:b\n::c\n', [{ comment: '' }, { comment: 'a' }, { comment: 'b' }, { comment: ':c' }]],
];

test.each([...OWN_CASES, ...EVENT_STREAM_CASES.map(({ name, stream, events }) => [name, stream, events] as const)])(
  'PUSH-13 %s: read the same wherever it is cut',
  (name, stream, expected) => {
    const bytes = encode(stream);
    const isOwn = OWN_CASES.some(([own]) => own === name);
    const read = (...chunks: Uint8Array[]) => parseChunks(chunks).filter((call) => isOwn || 'data' in call);
    expect(read(bytes)).toEqual(expected);
    expect(read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
    for (let cut = 1; cut < bytes.length; cut++) {
      expect(read(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(expected);
    }
  },
);

test('ill-formed UTF-8 is replaced and does not swallow the line end', () => {
  const bytes = Uint8Array.of(...encode('data: a'), 0xe2, 0x82, ...encode('\n\n'));
  expect(parseChunks([bytes])).toEqual([message('a\ufffd')]);
});

test('PUSH-13 an event that ends in a bare CR is delivered at once', () => {
  const { calls, parser } = sseRecord();
  parser.push(encode('data: 1\r\n\r'));
  expect(calls).toEqual([message('1')]);
  parser.push(encode('\ndata: 2\r'));
  parser.push(encode('\n\r'));
  expect(calls).toEqual([message('1'), message('2')]);
});

test('PUSH-13 the last event id moves when a block ends, with or without data', () => {
  const parser = new SseParser({ onEvent: () => {} });
  parser.push(encode('id: 1\n'));
  expect(parser.lastEventId).toBe('');
  parser.push(encode('\n'));
  expect(parser.lastEventId).toBe('1');
  parser.push(encode(': comment\nretry: 5\nid\n\n'));
  expect(parser.lastEventId).toBe('');
});

test('PUSH-14 an event of limitBytes passes, and one byte more does not', () => {
  const block = 'data: 12345\ndata: 67';
  const limitBytes = block.length - 1;
  for (const size of [1, 7, 1000]) {
    const push = (limit: number) => {
      const { calls, parser } = sseRecord({ limitBytes: limit });
      const bytes = encode(`${block}\n\n${block}\n\n`);
      for (let start = 0; start < bytes.length; start += size) parser.push(bytes.subarray(start, start + size));
      return calls;
    };
    expect(push(limitBytes)).toHaveLength(2);
    expect(() => push(limitBytes - 1)).toThrow(
      expect.objectContaining({ code: 'ERR_SSE_EVENT_TOO_LARGE', details: { limitBytes: limitBytes - 1 } }),
    );
  }
});

test('PUSH-14 a line that never ends is refused before it ends, and small events never add up', () => {
  const { calls, parser } = sseRecord({ limitBytes: 20 });
  for (let index = 0; index < 100; index++) parser.push(encode(': comment\ndata: 1\n\n'));
  expect(calls).toHaveLength(200);
  expect(() => parser.push(encode('x'.repeat(21)))).toThrow(
    expect.objectContaining({ code: 'ERR_SSE_EVENT_TOO_LARGE' }),
  );
});

test('a large event in many chunks is read whole', () => {
  const { calls, parser } = sseRecord();
  const chunk = encode('x'.repeat(1000));
  parser.push(encode('data: '));
  for (let index = 0; index < 10_000; index++) parser.push(chunk);
  parser.push(encode('\n\ndata: after\n\n'));
  expect(calls).toEqual([message('x'.repeat(10_000_000)), message('after')]);
});

test('the limit is 16 MiB unless given', () => {
  const { parser } = sseRecord();
  const half = new Uint8Array(8 * 1024 * 1024).fill(0x78);
  parser.push(half);
  parser.push(half);
  expect(() => parser.push(Uint8Array.of(0x78))).toThrow(
    expect.objectContaining({ details: { limitBytes: 16_777_216 } }),
  );
});

const soup = fc.array(
  fc.constantFrom(
    ...['data', 'id', 'event', 'retry', ':', ' ', '\n', '\r', '\r\n', '\n\n', '\0', '\ufeff', '7', 'é', '😀', 'x'],
  ),
  { maxLength: 60 },
);

test('PUSH-13 chunks make no difference', () => {
  check(
    fc.property(soup, fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 60 }), (pieces, sizes) => {
      const bytes = encode(pieces.join(''));
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

/** What the parser of somebody else calls, which forgets the id of a block without data: ids are of their own blocks. */
function callsOfOthers(text: string): object[] {
  const calls: object[] = [];
  const parser = createParser({
    onEvent: ({ event = 'message', id, data }) => calls.push({ event, data, ...(id !== undefined && { id }) }),
    onComment: (comment) => calls.push({ comment }),
    onRetry: (retryMs) => calls.push({ retryMs }),
  });
  // It leaves the BOM to who decodes, and waits for what follows a CR.
  parser.feed(text.replace(/^\ufeff/, '').replace(/\r$/, '\r\n'));
  return calls;
}

test('PUSH-13 another parser calls the same', () => {
  const met = new Floors({ event: 50, id: 10, comment: 50, retry: 5 });
  const line = fc
    .tuple(
      fc.constantFrom('data', 'id', 'event', 'retry', ''),
      fc.constantFrom(':', ': ', ''),
      fc.constantFrom('', '7', 'é', ' x', 'a\0'),
    )
    .map((parts) => parts.join(''));
  const ends = fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\r\n\r\n');
  const lines = fc.array(fc.tuple(line, ends), { maxLength: 20 }).map((made) => made.flat());
  check(
    fc.property(fc.oneof(soup, lines), (pieces) => {
      const calls = parseChunks([encode(pieces.join(''))]);
      const others = callsOfOthers(pieces.join(''));
      expect(calls).toHaveLength(others.length);
      expect(calls).toMatchObject(others);
      for (const call of others)
        met.count('data' in call ? ('id' in call ? 'id' : 'event') : 'comment' in call ? 'comment' : 'retry');
    }),
    { numRuns: 2000, met },
  );
});

test('what is written is read', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\0]/g, ''));
  check(
    fc.property(line, line, fc.string({ unit: 'grapheme' }), fc.nat(), (event, id, data, retryMs) => {
      const text = [formatSseRetry(retryMs), formatSseComment(event), formatSseEvent({ event, id, data })].join('');
      expect(parseChunks([encode(text)])).toEqual([
        { retryMs },
        { comment: event },
        { event: event === '' ? 'message' : event, id, data: data.replace(/\r\n?/g, '\n') },
      ]);
    }),
  );
});

test.each([
  [formatSseEvent({ event: 'update', id: 'abc-1', data: '{}' }), 'event: update\nid: abc-1\ndata: {}\n\n'],
  [formatSseEvent({ data: '' }), 'data: \n\n'],
  [formatSseEvent({ data: 'a\nb\rc\r\nd\n' }), 'data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n'],
  // A comment cannot become an event.
  [formatSseComment('a\n\ndata: forged'), ': a\n: \n: data: forged\n\n'],
  [formatSseComment(''), ': \n\n'],
  [formatSseRetry(0), 'retry: 0\n\n'],
  [formatSseRetry(2500), 'retry: 2500\n\n'],
])('%j is the text of what was given', (written, text) => {
  expect(written).toBe(text);
});

test.each([
  ...['\r', '\n', '\0'].map((character) => ['event', `a${character}data: forged`]),
  ...['\r', '\n', '\0'].map((character) => ['id', `a${character}data: forged`]),
  ...[-1, 0.5, Number.NaN, 1e21].map((delay) => ['retry', delay]),
] as [string, never][])('%s cannot be %j', (field, value) => {
  expect(() => (field === 'retry' ? formatSseRetry(value) : formatSseEvent({ [field]: value, data: '' }))).toThrow(
    expect.objectContaining({ code: 'ERR_SSE_FIELD_INVALID', details: expect.objectContaining({ field }) }),
  );
});
