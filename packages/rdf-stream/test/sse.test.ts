import { EVENT_STREAM_CASES } from '@ldes-live/test-support/event-stream-cases';
import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { createParser } from 'eventsource-parser';
import { expect, test } from 'vitest';
import { formatSseComment, formatSseEvent, formatSseRetry, SseParser } from '../src/index.ts';
import { parseChunks, sseRecord } from './sse-record.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const message = (data: string, id = '') => ({ event: 'message', id, data });

// The first eight are the examples of the HTML standard, in other words.
test.each<[what: string, text: string, calls: unknown[]]>([
  ['data over several lines', 'data: YHOO\ndata: +2\ndata: 10\n\n', [message('YHOO\n+2\n10')]],
  [
    'a comment, ids, an id reset, an unfinished block',
    ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event',
    [{ comment: 'test stream' }, message('first event', '1'), message('second event')],
  ],
  ['empty data', 'data\n\ndata\ndata\n\ndata:', [message(''), message('\n')]],
  [
    'an optional space',
    'data:test\n\ndata: test\n\ndata:  test\n\n',
    [message('test'), message('test'), message(' test')],
  ],
  [
    'types, which last for one event',
    'event: add\ndata: 1\n\ndata: 2\n\n',
    [{ event: 'add', id: '', data: '1' }, message('2')],
  ],
  ['a type without data, which is forgotten', 'event: add\n\ndata: 2\n\n', [message('2')]],
  ['an id, which persists', 'id: 7\ndata: 1\n\ndata: 2\n\n', [message('1', '7'), message('2', '7')]],
  [
    'an id with NUL, which is ignored',
    'id: 7\ndata: 1\n\nid: 8\0\ndata: 2\n\n',
    [message('1', '7'), message('2', '7')],
  ],
  ['an id without data', 'id: 7\n\ndata: 1\n\n', [message('1', '7')]],
  ['retry of digits only', 'retry: 10\nretry: 1.5\nretry: -1\nretry:\nretry: 1a\nretry:  5\n', [{ retryMs: 10 }]],
  ['unknown fields', 'dat: x\nDATA: x\n data: x\ndata : x\nfoo\ndata: 1\n\n', [message('1')]],
  ['a NUL in data, which stays', 'data:\0\ndata: a\0b\n\n', [message('\0\na\0b')]],
  ['an id with spaces', 'id:  a b \ndata: 1\n\n', [message('1', ' a b ')]],
  ['retry with zeros before it', 'retry: 03000\n', [{ retryMs: 3000 }]],
  ['retry in other digits', 'retry: ٣\nretry: 1e3\nretry: 0x10\nretry: +1\n', []],
  [
    'a long comment in an event',
    `data: 1\n:${'x'.repeat(2048)}\0\ndata: 2\n\n`,
    [{ comment: `${'x'.repeat(2048)}\0` }, message('1\n2')],
  ],
  ['a colon in a value', 'data: a: b\n\n', [message('a: b')]],
  ['CR', 'data: 1\rdata: 2\r\rdata: 3\r\r', [message('1\n2'), message('3')]],
  ['CRLF', 'data: 1\r\ndata: 2\r\n\r\ndata: 3\r\n\r\n', [message('1\n2'), message('3')]],
  ['mixed line ends', 'data: 1\n\r\ndata: 2\r\n\rdata: 3\r\n\n', [message('1'), message('2'), message('3')]],
  ['a second BOM, which makes another field', '\ufeff\ufeffdata: 1\n\n', []],
  ['a BOM later on', 'data: 1\n\n\ufeffdata: 2\n\ndata: \ufeff3\n\n', [message('1'), message('\ufeff3')]],
  ['UTF-8 of every length', 'data: é€😀\nid: é\n\n', [message('é€😀', 'é')]],
  ['blank lines', '\n\n\r\r\n\n', []],
  ['comments', ':\n: a\n:b\n::c\n', [{ comment: '' }, { comment: 'a' }, { comment: 'b' }, { comment: ':c' }]],
])('PUSH-13 %s: read the same wherever it is cut', (_what, text, calls) => {
  const bytes = encode(text);
  expect(parseChunks([bytes])).toEqual(calls);
  expect(parseChunks(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(calls);
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(parseChunks([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(calls);
  }
});

test.each(EVENT_STREAM_CASES)(
  'PUSH-13 $name of the web platform tests, whole and byte by byte',
  ({ stream, events }) => {
    for (const size of [Number.POSITIVE_INFINITY, 1]) {
      const read: unknown[] = [];
      const parser = new SseParser({ onEvent: (event) => read.push(event) });
      const bytes = encode(stream);
      for (let at = 0; at < bytes.length; at += size)
        parser.push(bytes.subarray(at, at + Math.min(size, bytes.length)));
      expect(read).toEqual(events);
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

test('an event is its fields and a blank line', () => {
  expect(formatSseEvent({ event: 'update', id: 'abc-1', data: '{}' })).toBe('event: update\nid: abc-1\ndata: {}\n\n');
  expect(formatSseEvent({ data: '' })).toBe('data: \n\n');
});

test('each line of data, however it ends, is a data line', () => {
  expect(formatSseEvent({ data: 'a\nb\rc\r\nd\n' })).toBe('data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n');
});

test.each(['\r', '\n', '\0'])('an event type or id with %j is refused', (character) => {
  for (const field of ['event', 'id']) {
    expect(() => formatSseEvent({ [field]: `a${character}data: forged`, data: '' })).toThrow(
      expect.objectContaining({ code: 'ERR_SSE_FIELD_INVALID', details: expect.objectContaining({ field }) }),
    );
  }
});

test('a comment cannot become an event', () => {
  expect(formatSseComment('')).toBe(': \n\n');
  expect(formatSseComment('a\n\ndata: forged')).toBe(': a\n: \n: data: forged\n\n');
});

test('the delay is whole milliseconds', () => {
  expect(formatSseRetry(0)).toBe('retry: 0\n\n');
  expect(formatSseRetry(2500)).toBe('retry: 2500\n\n');
  for (const delay of [-1, 0.5, Number.NaN, 1e21]) {
    expect(() => formatSseRetry(delay)).toThrow(expect.objectContaining({ code: 'ERR_SSE_FIELD_INVALID' }));
  }
});
