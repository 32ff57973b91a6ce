import { type Change, createLiveClient } from '@ldes-live/client';
import { formatCursor } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { type PublishedLog, publishedLog, valueDraft } from '../support/published-log.ts';

const TWO_HOURS_MS = 7_200_000;

async function publishedPages(members: number) {
  const time = { nowMs: Date.parse('2026-01-01T00:00:00.000Z') };
  const published = await publishedLog({ clock: () => time.nowMs });
  await append(published, members);
  return { ...published, time };
}

async function append({ log, publicUrl }: Pick<PublishedLog, 'log' | 'publicUrl'>, members: number): Promise<void> {
  for (let left = members; left > 0; left -= 50) {
    const from = log.head.cursor.sequence;
    await log.append(Array.from({ length: 50 }, (_, index) => valueDraft(publicUrl, index, from)));
  }
}

async function take(iterator: AsyncIterator<Change>, count: number): Promise<Change[]> {
  const changes: Change[] = [];
  while (changes.length < count) changes.push((await iterator.next()).value as Change);
  return changes;
}

test.each([
  ['emptied', 0],
  ['gone', TWO_HOURS_MS],
])('DOC-30 a reader that a page leads to one that is %s is told of a gap, and goes on', async (_state, laterMs) => {
  const published = await publishedPages(1000);
  const { log, time, url } = published;
  const stop = new AbortController();
  const follower = createLiveClient({ mal: 3600 }).follow(url, { from: 'start', signal: stop.signal });
  const iterator = follower[Symbol.asyncIterator]();
  expect((await take(iterator, 250)).map(({ member }) => member?.sequence)).toEqual(
    Array.from({ length: 250 }, (_, index) => index + 1),
  );
  await log.unlink({ first: 1, last: 750 });
  await log.erase({ first: 1, last: 750 });
  time.nowMs += laterMs;
  const [gap] = await take(iterator, 1);
  expect(gap).toMatchObject({ kind: 'gap' });
  // After a gap the state is told anew.
  const state = await take(iterator, 50);
  expect(state.map(({ member }) => member?.id)).toEqual((await log.latestMembers()).map(({ id }) => id));
  stop.abort();
  await published.close();
});

test('DOC-27 a reader that stands on an unlinked page is led on to the rest, and misses nothing', async () => {
  const published = await publishedPages(1000);
  const { log, url } = published;
  const stop = new AbortController();
  const follower = createLiveClient({ mal: 3600 }).follow(url, { from: 'start', signal: stop.signal });
  const iterator = follower[Symbol.asyncIterator]();
  await take(iterator, 100);
  await log.unlink({ first: 1, last: 750 });
  await log.erase({ first: 1, last: 250 });
  const rest = await take(iterator, 900);
  expect(rest.map(({ member }) => member?.sequence)).toEqual(Array.from({ length: 900 }, (_, index) => index + 101));
  expect(follower.state.cursor).toBe(formatCursor(log.head.cursor));
  stop.abort();
  await published.close();
});

test.each([
  ['pull', 3600],
  ['push', 0.5],
])('MAL-33 whoever asks for the oldest that there is gets it by %s, without a gap', async (_mode, mal) => {
  const published = await publishedPages(1000);
  const { log, url } = published;
  await log.unlink({ first: 1, last: 750 });
  await log.erase({ first: 1, last: 500 });
  const stop = new AbortController();
  const follower = createLiveClient({ mal }).follow(url, { from: 'start', signal: stop.signal });
  const changes = await take(follower[Symbol.asyncIterator](), 500);
  expect(changes.map(({ member }) => member?.sequence)).toEqual(Array.from({ length: 500 }, (_, index) => index + 501));
  expect(follower.status.gaps).toBe(0);
  stop.abort();
  await published.close();
});

test('MAL-33 of a log that holds nothing any more, the oldest is what comes next', async () => {
  const published = await publishedPages(250);
  const { log, url } = published;
  await log.unlink({ first: 1, last: 250 });
  await log.erase({ first: 1, last: 250 });
  const stop = new AbortController();
  const follower = createLiveClient({ mal: 1 }).follow(url, { from: 'start', signal: stop.signal });
  const first = take(follower[Symbol.asyncIterator](), 1);
  await append(published, 50);
  expect((await first)[0]?.member?.sequence).toBe(251);
  stop.abort();
  await published.close();
});

test('MAL-33 whoever stood at the beginning for another reason has missed what was erased, and is told', async () => {
  const published = await publishedPages(0);
  const { log, url } = published;
  const state = { epoch: log.head.cursor.epoch };
  await append(published, 500);
  await log.unlink({ first: 1, last: 250 });
  await log.erase({ first: 1, last: 250 });
  const stop = new AbortController();
  const from = formatCursor({ epoch: state.epoch, sequence: 0 });
  const follower = createLiveClient({ mal: 3600 }).follow(url, { from, signal: stop.signal });
  expect((await take(follower[Symbol.asyncIterator](), 1))[0]?.kind).toBe('gap');
  stop.abort();
  await published.close();
});
