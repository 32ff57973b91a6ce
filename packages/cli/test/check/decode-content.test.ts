import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeContent } from '../../src/check/http/decode-content.ts';

test.each([undefined, 'identity', 'compress', 'constructor', '__proto__', 'toString'])(
  'content in %s, which there is no decoder for, is left as it is',
  async (encoding) => {
    expect(await decodeContent(Buffer.from('<a>'), encoding, 100)).toEqual({ text: '<a>' });
  },
);

test('content comes out up to the limit, and not beyond', async () => {
  const content = gzipSync('x'.repeat(100));
  expect(await decodeContent(content, ' GZIP', 100)).toEqual({ text: 'x'.repeat(100) });
  expect(await decodeContent(content, 'gzip', 99)).toEqual({ failure: 'it is larger than 99 bytes' });
});

test('content that is not of its encoding says so', async () => {
  expect(await decodeContent(Buffer.from('<a>'), 'br', 100)).toEqual({ failure: 'its content is not br' });
});
