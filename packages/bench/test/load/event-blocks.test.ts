import { expect, test } from 'vitest';
import { blockFields } from '../../src/load/block-fields.ts';
import { EventBlocks } from '../../src/load/event-blocks.ts';
import { findStamp, readStamp, stamp } from '../../src/load/stamp.ts';

const event = (id: string, micros: number) => `event: update\nid: ${id}\ndata: {"at":"${stamp(micros)}"}\n\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** What is told of a stream that comes in some pieces. */
function told(pieces: readonly Buffer[]) {
  const blocks = new EventBlocks();
  const found: object[] = [];
  for (const piece of pieces) {
    blocks.feed(piece, (bytes, start, end) => {
      const at = findStamp(bytes, start, end);
      found.push({ ...blockFields(bytes, start, end), ...(at >= 0 && { micros: readStamp(bytes, at) }) });
    });
  }
  return found;
}

const STREAM = Buffer.from(
  [chunk('retry: 1500\n\n:\n\n'), chunk(event('e-1', 17)), chunk(event('e-2', 123_456_789))].join(''),
);
const FOUND = [
  { retryMs: 1500 },
  {},
  { event: 'update', id: 'e-1', micros: 17 },
  { event: 'update', id: 'e-2', micros: 123_456_789 },
];

test('blocks are found with their fields and stamps, wherever the stream is cut in two', () => {
  for (let cut = 0; cut <= STREAM.length; cut += 1) {
    expect(told([STREAM.subarray(0, cut), STREAM.subarray(cut)]), `cut at ${cut}`).toEqual(FOUND);
  }
});

test('blocks are found in a stream that comes byte by byte', () => {
  expect(told([...STREAM].map((byte) => Buffer.from([byte])))).toEqual(FOUND);
});

test('bytes that are used again for the next piece do no harm', () => {
  const shared = Buffer.alloc(7);
  const blocks = new EventBlocks();
  const ids: (string | undefined)[] = [];
  for (let at = 0; at < STREAM.length; at += shared.length) {
    const length = STREAM.copy(shared, 0, at, at + shared.length);
    blocks.feed(shared.subarray(0, length), (bytes, start, end) => ids.push(blockFields(bytes, start, end).id));
  }
  expect(ids).toEqual([undefined, undefined, 'e-1', 'e-2']);
});

test('the length of a chunk is no field, whatever its digits are', () => {
  const body = event('e-7', 1).replace('{"at"', `{"note":"${'x'.repeat(0xda - event('e-7', 1).length - 10)}","at"`);
  expect(body).toHaveLength(0xda);
  expect(told([Buffer.from(chunk(body))])).toEqual([{ event: 'update', id: 'e-7', micros: 1 }]);
});
