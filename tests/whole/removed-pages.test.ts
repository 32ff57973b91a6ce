import { type Change, createLiveClient } from '@ldes-live/client';
import { formatCursor } from '@ldes-live/rdf-stream';
import { expect, onTestFinished, test } from 'vitest';
import { publishedLog } from '../support/published-log.ts';

const TWO_HOURS_MS = 7_200_000;

/** A stream of so many members, of which some were unlinked and the first of these removed. */
async function published(members: number, unlinked: number, removed: number) {
  const time = { nowMs: Date.parse('2026-01-01T00:00:00.000Z') };
  const stream = await publishedLog({ clock: () => time.nowMs });
  onTestFinished(() => stream.close());
  const publish = async (count: number) => {
    for (let left = count; left > 0; left -= 50) await stream.publish(50);
  };
  const remove = async (unlink: number, erase: number) => {
    await stream.log.unlink({ first: 1, last: unlink });
    await stream.log.erase({ first: 1, last: erase });
  };
  await publish(members);
  if (unlinked > 0) await remove(unlinked, removed);
  return { ...stream, time, publish, remove };
}

/** A client that reads as many changes as it is told to, and no more. */
function reader(url: string, mal: number, from = 'start') {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const follower = createLiveClient({ mal }).follow(url, { from, signal: stop.signal });
  const iterator = follower[Symbol.asyncIterator]();
  const take = async (count: number) => {
    const changes: Change[] = [];
    while (changes.length < count) changes.push((await iterator.next()).value as Change);
    return changes;
  };
  return { follower, take };
}

const sequencesOf = (changes: readonly Change[]) => changes.map(({ member }) => member?.sequence);
const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

test.each([
  ['tombstoned', 0],
  ['purged', TWO_HOURS_MS],
])('DOC-30 a reader that a page leads to one that is %s is told of a gap, and goes on', async (_state, laterMs) => {
  const { log, time, url, remove } = await published(1000, 0, 0);
  const { take } = reader(url, 3600);
  expect(sequencesOf(await take(250))).toEqual(numbers(1, 250));
  await remove(750, 750);
  time.nowMs += laterMs;
  expect(await take(1)).toMatchObject([{ kind: 'gap' }]);
  // After a gap the state is told anew.
  const state = await take(50);
  expect(state.map(({ member }) => member?.id)).toEqual((await log.readLatest()).map(({ id }) => id));
});

test('DOC-27 a reader that stands on an unlinked page is led on to the rest, and misses nothing', async () => {
  const { log, url, remove } = await published(1000, 0, 0);
  const { follower, take } = reader(url, 3600);
  await take(100);
  await remove(750, 250);
  expect(sequencesOf(await take(900))).toEqual(numbers(101, 1000));
  expect(follower.state.cursor).toBe(formatCursor(log.head.cursor));
});

test.each([
  ['pull', 3600],
  ['push', 0.5],
])('MAL-33 whoever asks for the oldest that there is gets it by %s, without a gap', async (_mode, mal) => {
  const { url } = await published(1000, 750, 500);
  const { follower, take } = reader(url, mal);
  expect(sequencesOf(await take(500))).toEqual(numbers(501, 1000));
  expect(follower.status.gaps).toBe(0);
});

test('MAL-33 of a log that holds nothing any more, the oldest is what comes next', async () => {
  const { url, publish } = await published(250, 250, 250);
  const first = reader(url, 1).take(1);
  await publish(50);
  expect(sequencesOf(await first)).toEqual([251]);
});

test('MAL-33 whoever stood at the beginning for another reason has missed what was erased, and is told', async () => {
  const { log, url } = await published(500, 250, 250);
  const from = formatCursor({ ...log.head.cursor, sequence: 0 });
  expect(await reader(url, 3600, from).take(1)).toMatchObject([{ kind: 'gap' }]);
});
