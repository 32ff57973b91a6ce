import { httpServer } from '@ldes-live/test-support/net';
import { expect, test } from 'vitest';
import { createLiveClient, DEFAULT_LIMITS } from '../src/index.ts';

const code = (expected: string) => expect.objectContaining({ code: expected });

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '10'])('a MAL of %s is an error', (mal) => {
  expect(() => createLiveClient({ mal: mal as number })).toThrow(code('ERR_MAL_INVALID'));
});

test('a client without a MAL is an error that shows how to give one', () => {
  const create = createLiveClient as (options?: unknown) => unknown;
  for (const options of [undefined, null, {}, 10]) expect(() => create(options)).toThrow(/undefined.*\{ mal: 10 \}/);
  expect(() => create({ mal: '10' })).toThrow(/is "10"/);
});

test('limits are numbers above 0; those left out have their defaults', () => {
  expect(() => createLiveClient({ mal: 1, limits: { eventBytes: 0 } })).toThrow(code('ERR_LIMIT_INVALID'));
  expect(() => createLiveClient({ mal: 1, limits: { requestMs: 1 } })).not.toThrow();
  expect(DEFAULT_LIMITS.silenceMs).toBeGreaterThan(30_000);
});

test.each([
  [{ requestMS: 1000 }, /limits\.requestMS is 1000: there is no such limit.* requestMs,/],
  [{ requestMs: '1000' }, /is "1000".*from 1 to 2147483647/],
  [{ requestMs: 2 ** 31 }, /from 1 to 2147483647/],
  [{ pageRequests: 0.5 }, /of 1 or more/],
  [{ requestBurst: 0 }, /of 1 or more/],
  [{ bufferEntities: Number.NaN }, /of 1 or more/],
  [{ rememberedMembers: 1 }, /of 2 or more/],
])('ERR_LIMIT_INVALID limits of %o are refused, with what is possible', (limits, message) => {
  const create = () => createLiveClient({ mal: 1, limits: limits as object });
  expect(create).toThrow(code('ERR_LIMIT_INVALID'));
  expect(create).toThrow(message);
});

test('the least and the greatest limits are taken', () => {
  for (const limits of [
    { requestMs: 2 ** 31 - 1 },
    { requestBurst: 1 },
    { rememberedMembers: 2 },
    { documentBytes: Number.POSITIVE_INFINITY },
  ])
    expect(() => createLiveClient({ mal: 1, limits })).not.toThrow();
});

test.each(['vehicles', 'ftp://example.org/s', 'http://user:secret@example.org/s', '', new URL('http://example.org/s')])(
  '"%s" is no stream URL',
  (url) => {
    expect(() => createLiveClient({ mal: 1 }).follow(url as string)).toThrow(code('ERR_STREAM_URL_INVALID'));
  },
);

test('a start that is neither a word nor a cursor is an error, and so is the state of another stream', () => {
  const client = createLiveClient({ mal: 1 });
  expect(() => client.follow('http://example.org/s', { from: 'yesterday' })).toThrow(code('ERR_OPTION_INVALID'));
  const state = { url: 'http://example.org/other', cursor: 'e1-1' };
  expect(() => client.follow('http://example.org/s', { state })).toThrow(code('ERR_STATE_MISMATCH'));
});

test('uses the fetch of the environment where none is given', async () => {
  const asked: unknown[] = [];
  const server = await httpServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(404).end();
  });
  try {
    const follower = createLiveClient({ mal: 1 }).follow(`${server.url}s`);
    await expect(follower[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'ERR_RESPONSE_STATUS',
      message: expect.stringMatching(`^${server.url}s answered 404: .*Check the URL.* ${server.url}\\.$`),
    });
  } finally {
    await server.close();
  }
  expect(asked).toEqual(['/s']);
});
