import { expect, test } from 'vitest';
import {
  commitEvent,
  commitPieces,
  formatSseComment,
  formatSseRetry,
  piecesDocument,
  updateEvent,
} from '../src/index.ts';
import { commitOf, description, streamPrefixes, vehicle } from './sample-stream.ts';
import { parseChunks } from './sse-record.ts';

const commit = commitOf([vehicle('1'), vehicle('2')]);
const pieces = commitPieces(commit.members, description, streamPrefixes);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test('PUSH-3 an update is its type, its id, and the document on one line', () => {
  expect(text(updateEvent(pieces, 'abc-2'))).toBe(`event: update\nid: abc-2\ndata: ${piecesDocument(pieces)}\n\n`);
  expect(updateEvent(pieces, 'abc-2')).toEqual(commitEvent(commit, description, streamPrefixes));
});

test('PUSH-19 an update of some members has their document', () => {
  expect(text(updateEvent(pieces, 'abc-2', [1]))).toBe(
    `event: update\nid: abc-2\ndata: ${piecesDocument(pieces, [1])}\n\n`,
  );
});

test('an update without id leaves the last one as it was', () => {
  expect(text(updateEvent(pieces, ''))).toBe(`event: update\ndata: ${piecesDocument(pieces)}\n\n`);
});

test('an id with a line break is refused', () => {
  expect(() => updateEvent(pieces, 'abc\ndata: forged')).toThrow(
    expect.objectContaining({ code: 'ERR_SSE_FIELD_INVALID' }),
  );
});

test('PUSH-3 PUSH-13 updates are read the same wherever they are cut', () => {
  const odd = commitOf([{ ...vehicle('é'), entity: 'https://agency.example/vehicle/é😀' }]);
  const made = commitPieces(odd.members, description, streamPrefixes);
  const opening = new TextEncoder().encode(formatSseRetry(1500) + formatSseComment('é'));
  const bytes = Uint8Array.from([...opening, ...updateEvent(made, ''), ...updateEvent(made, 'abc-1', [0])]);
  const data = piecesDocument(made);
  const calls = [
    { retryMs: 1500 },
    { comment: 'é' },
    { event: 'update', id: '', data },
    { event: 'update', id: 'abc-1', data },
  ];
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(parseChunks([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(calls);
  }
});
