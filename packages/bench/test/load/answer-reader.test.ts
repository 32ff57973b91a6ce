import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { AnswerReader } from '../../src/load/answer-reader.ts';
import { stamp } from '../../src/load/stamp.ts';

const BODY = `{"at":"${stamp(123_456)}","more":"${stamp(9)}"}`;
const FIELDS = 'Date: Sun, 22 Nov 2026 01:00:00 GMT\r\nETAG: "a:1"\r\nnext-update:2026-11-22T01:00:05.127Z\r\n';

const head = (status: string, fields: string) => Buffer.from(`HTTP/1.1 ${status}\r\n${fields}\r\n`);
const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const END = Buffer.from('0\r\n\r\n');
const body = Buffer.from(BODY);
const zipped = gzipSync(body);

const ANSWERS: Readonly<Record<string, Buffer>> = {
  'of a length': Buffer.concat([head('200 OK', `${FIELDS}Content-Length: ${body.length}\r\n`), body]),
  'in chunks': Buffer.concat([
    head('200 OK', `Transfer-Encoding: chunked\r\n${FIELDS}`),
    // A stamp that is cut by a chunk.
    chunk(body.subarray(0, 14)),
    chunk(body.subarray(14)),
    END,
  ]),
  zipped: Buffer.concat([
    head('200 OK', `${FIELDS}content-encoding: gzip\r\ncontent-length: ${zipped.length}\r\n`),
    zipped,
  ]),
  'zipped and in chunks': Buffer.concat([
    head('200 OK', `${FIELDS}content-encoding: gzip\r\ntransfer-encoding: chunked\r\n`),
    chunk(zipped),
    END,
  ]),
};

/** What is read of two answers in a row that come in pieces, all in the same memory. */
function read(pieces: readonly Buffer[]) {
  const reader = new AnswerReader();
  const shared = Buffer.alloc(4096, stamp(1));
  return pieces.flatMap((piece) => {
    piece.copy(shared);
    return reader.feed(shared, piece.length) ?? [];
  });
}

test.each(Object.entries(ANSWERS))('an answer %s is read wherever it is cut', (_, bytes) => {
  const expected = {
    status: 200,
    stampMicros: 123_456,
    wholeBytes: bytes.length,
    etag: '"a:1"',
    date: 'Sun, 22 Nov 2026 01:00:00 GMT',
    nextUpdate: '2026-11-22T01:00:05.127Z',
    isLast: false,
  };
  for (let cut = 1; cut <= bytes.length; cut += 1) {
    const answers = read([bytes.subarray(0, cut), bytes.subarray(cut), bytes].filter(({ length }) => length > 0));
    expect(answers, `cut at ${cut}`).toMatchObject([expected, expected]);
  }
  expect(read([...bytes].map((byte) => Buffer.from([byte])))).toMatchObject([expected]);
});

test('an answer without a body has no stamp, whatever length it states', () => {
  const bytes = head('304 Not Modified', 'Content-Length: 5200\r\nAge: 3\r\nConnection: close\r\nX: y\r\n');
  expect(read([bytes])).toMatchObject([{ status: 304, ageSeconds: 3, isLast: true, stampMicros: undefined }]);
});

test('a document that was never stamped is read as such', () => {
  expect(read([Buffer.concat([head('200 OK', 'Content-Length: 2\r\n'), Buffer.from('{}')])])).toMatchObject([
    { status: 200, stampMicros: undefined },
  ]);
});
