import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { ChunkedBody } from '../../src/load/chunked-body.ts';

test('the content of chunks is found however the body is cut', () => {
  const content = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1 });
  check(
    fc.property(content, fc.integer({ min: 1, max: 50 }), (chunks, pieceBytes) => {
      const body = Buffer.concat(
        chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
      );
      const reader = new ChunkedBody();
      const parts: Buffer[] = [];
      for (let at = 0; at < body.length; at += pieceBytes)
        parts.push(...reader.feed(body.subarray(at, at + pieceBytes)));
      expect(Buffer.concat(parts)).toEqual(Buffer.concat(chunks));
    }),
  );
});
