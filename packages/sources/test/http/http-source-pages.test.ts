import { expect, test } from 'vitest';
import { ok, openFeedServer, status } from '../feed-server.ts';
import { compiled, garagePage, HEADERS, readingMapping, streamUrl } from './garages.ts';
import { pollDocuments } from './poll-documents.ts';

const PATH = '/feed.pb';
const byNext = { pages: { next: 'next' } } as const;

test.each([
  [
    'by the Link field',
    { pages: 'link' } as const,
    (next: string) => ok(garagePage(['a', 'b']), { link: `<${next}>; rel="next"` }),
  ],
  ['by a path', byNext, (next: string) => ok(garagePage(['a', 'b'], next))],
])('SRC-5 a document that goes on %s is read to its end, page by page', async (_, options, first) => {
  const { answers, poll, latest, asked } = await pollDocuments(options);
  answers.set(PATH, first('?page=2'));
  answers.set(`${PATH}?page=2`, first('/feed.pb?page=3'));
  answers.set(`${PATH}?page=3`, ok(garagePage(['c'], null)));
  expect(await poll()).toMatchObject({ kind: 'taken', entities: 5, upserts: 3, deletes: 0 });
  expect(latest.entities()).toEqual(['a', 'b', 'c'].map((id) => `${streamUrl}/${id}`));
  expect(asked()).toEqual([PATH, `${PATH}?page=2`, `${PATH}?page=3`]);
});

test('SRC-5 names in brackets lead to the next page too', async () => {
  const { answers, poll } = await pollDocuments({ pages: { next: '["@iot.nextLink"]' } });
  answers.set(PATH, ok('{"@iot.nextLink": "?page=2", "garages": [{"id": "a", "free": 1}]}'));
  answers.set(`${PATH}?page=2`, ok(garagePage(['b'])));
  expect(await poll()).toMatchObject({ kind: 'taken', upserts: 2 });
});

test('SRC-5 a page that fails fails the poll, and nothing of the others is taken', async () => {
  const { answers, poll, latest } = await pollDocuments(byNext);
  answers.set(PATH, ok(garagePage(['a', 'b'], '?page=2')));
  answers.set(`${PATH}?page=2`, ok(garagePage(['c', 'd'])));
  await poll();
  for (const bad of [status(500), ok('<html>')]) {
    answers.set(`${PATH}?page=2`, bad);
    expect(await poll()).toMatchObject({ kind: 'failed' });
    expect(latest.size).toBe(4);
  }
});

test.each(['file:///etc/passwd', 'http://', 17, ['?page=2']])(
  'SRC-5 what is no URL of the next page fails the poll: %j',
  async (next) => {
    const { answers, poll } = await pollDocuments(byNext);
    answers.set(PATH, ok(JSON.stringify({ next, garages: [] })));
    expect(await poll()).toMatchObject({ kind: 'failed', error: { code: 'ERR_PAGES_LINK' } });
  },
);

test('SRC-6 as many pages as limitPages are read, and with one more states fail', async () => {
  const { answers, poll } = await pollDocuments({ ...byNext, limits: { limitPages: 2 } });
  answers.set(PATH, ok(garagePage(['a'], '?page=2')));
  answers.set(`${PATH}?page=2`, ok(garagePage(['b'])));
  expect(await poll()).toMatchObject({ kind: 'taken', upserts: 2 });
  answers.set(`${PATH}?page=2`, ok(garagePage(['b'], '?page=3')));
  answers.set(`${PATH}?page=3`, ok(garagePage(['c'])));
  expect(await poll()).toMatchObject({
    kind: 'failed',
    error: { code: 'ERR_PAGES_TOO_MANY', details: { limitPages: 2 } },
  });
});

test('SRC-6 of observations what is beyond limitPages is left unread, and counted', async () => {
  const { answers, poll, asked } = await pollDocuments({
    ...byNext,
    limits: { limitPages: 1 },
    mapping: compiled(readingMapping),
  });
  answers.set(PATH, ok('{"next": "?page=2", "readings": [{"id": 1, "sensor": "a", "value": 1}]}'));
  expect(await poll()).toMatchObject({ kind: 'taken', upserts: 1, findings: { pagesUnread: 1 } });
  expect(asked()).toEqual([PATH]);
});

test('SRC-7 limitBytes holds for all pages together', async () => {
  const first = garagePage(['a'], '?page=2');
  const second = garagePage(['b']);
  const limitBytes = first.length + second.length;
  const { answers, poll } = await pollDocuments({ ...byNext, limits: { limitBytes } });
  answers.set(PATH, ok(first, { etag: '"a"' }));
  answers.set(`${PATH}?page=2`, ok(second));
  expect(await poll()).toMatchObject({ kind: 'taken', bytes: limitBytes });
  answers.set(PATH, status(304));
  answers.set(`${PATH}?page=2`, ok(`${second} `));
  expect(await poll()).toMatchObject({ error: { code: 'ERR_FEED_TOO_LARGE', details: { limitBytes } } });
});

test.each([
  ['itself', '/feed.pb'],
  ['the first', '?page=2'],
])('SRC-8 a page that leads to %s fails the poll', async (_, next) => {
  const { answers, poll } = await pollDocuments(byNext);
  answers.set(PATH, ok(garagePage(['a'], next)));
  answers.set(`${PATH}?page=2`, ok(garagePage(['b'], '/feed.pb')));
  expect(await poll()).toMatchObject({ kind: 'failed', error: { code: 'ERR_PAGES_CYCLE' } });
});

test('SRC-9 keys go with pages of the same origin, and not to another', async () => {
  const other = await openFeedServer(ok(garagePage(['c'])));
  const { answers, poll, server } = await pollDocuments(({ url }) => ({
    ...byNext,
    url: url.replace('//', '//user:pass@'),
    headers: HEADERS,
  }));
  answers.set(PATH, ok(garagePage(['a'], '?page=2')));
  answers.set(`${PATH}?page=2`, ok(garagePage(['b'], other.url)));
  expect(await poll()).toMatchObject({ kind: 'taken', upserts: 3 });
  const sent = server.requests.map(({ headers }) => [headers['x-api-key'], headers.authorization]);
  expect(sent[0]).toEqual(['s3cret', expect.stringMatching(/^Basic /)]);
  expect(sent[1]).toEqual(sent[0]);
  expect(other.requests[0]?.headers).not.toHaveProperty('x-api-key');
  expect(other.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('SRC-13 each page is asked for by its own condition, and all together are unchanged only if each is', async () => {
  const { answers, poll, server } = await pollDocuments(byNext);
  answers.set(PATH, ok(garagePage(['a'], '?page=2'), { etag: '"1"' }));
  answers.set(`${PATH}?page=2`, ok(garagePage(['b']), { etag: '"2"' }));
  await poll();
  answers.set(PATH, status(304));
  answers.set(`${PATH}?page=2`, status(304));
  expect(await poll()).toMatchObject({ kind: 'unchanged', by: 'status' });
  answers.set(`${PATH}?page=2`, ok(garagePage(['b', 'c']), { etag: '"3"' }));
  expect(await poll()).toMatchObject({ kind: 'taken', entities: 3, upserts: 1, deletes: 0 });
  expect(server.requests.slice(2).map(({ headers }) => headers['if-none-match'])).toEqual(['"1"', '"2"', '"1"', '"2"']);
});

test('SRC-13 after a poll that failed no page is asked for by a condition', async () => {
  const { answers, poll, server } = await pollDocuments(byNext);
  answers.set(PATH, ok(garagePage(['a'], '?page=2'), { etag: '"1"' }));
  answers.set(`${PATH}?page=2`, ok(garagePage(['b']), { etag: '"2"' }));
  await poll();
  const good = answers.get(`${PATH}?page=2`);
  answers.set(`${PATH}?page=2`, status(500));
  await poll();
  if (good) answers.set(`${PATH}?page=2`, good);
  expect(await poll()).toMatchObject({ kind: 'unchanged', by: 'bytes' });
  expect(server.requests.slice(4).map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined]);
});
