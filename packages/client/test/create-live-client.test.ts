import { expect, test } from 'vitest';
import { createLiveClient, DEFAULT_LIMITS } from '../src/index.ts';

const code = (expected: string) => expect.objectContaining({ code: expected });

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '10'])('a MAL of %s is an error', (mal) => {
  expect(() => createLiveClient({ mal: mal as number })).toThrow(code('ERR_MAL_INVALID'));
});

test('limits are numbers above 0; those left out have their defaults', () => {
  expect(() => createLiveClient({ mal: 1, limits: { eventBytes: 0 } })).toThrow(code('ERR_LIMIT_INVALID'));
  expect(() => createLiveClient({ mal: 1, limits: { requestMs: 1 } })).not.toThrow();
  expect(DEFAULT_LIMITS.silenceMs).toBeGreaterThan(30_000);
});

test.each(['vehicles', 'ftp://example.org/s', 'http://user:secret@example.org/s', ''])(
  '"%s" is no stream URL',
  (url) => {
    expect(() => createLiveClient({ mal: 1 }).follow(url)).toThrow(code('ERR_STREAM_URL_INVALID'));
  },
);

test('a start that is neither a word nor a cursor is an error, and so is the state of another stream', () => {
  const client = createLiveClient({ mal: 1 });
  expect(() => client.follow('http://example.org/s', { from: 'yesterday' })).toThrow(code('ERR_CURSOR_MALFORMED'));
  const state = { url: 'http://example.org/other', cursor: 'e1-1' };
  expect(() => client.follow('http://example.org/s', { state })).toThrow(code('ERR_STATE_MISMATCH'));
});

test('uses the fetch of the environment where none is given', async () => {
  const given = globalThis.fetch;
  const asked: unknown[] = [];
  globalThis.fetch = async (url) => {
    asked.push(url);
    return new Response(null, { status: 404 });
  };
  try {
    const follower = createLiveClient({ mal: 1 }).follow('http://example.org/s');
    await expect(follower[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'ERR_RESPONSE_STATUS' });
  } finally {
    globalThis.fetch = given;
  }
  expect(asked).toEqual(['http://example.org/s']);
});
