import { formatSseEvent } from '@ldes-live/rdf-stream';
import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import type { Follower, SourceStatus } from '../../src/index.ts';
import type { ScriptedOrigin } from '../support/scripted-origin.ts';
import { following, pushing, pushingTogether, reading, sequences, take } from '../support/setup-origin.ts';

const SINCE = '2026-03-01T11:58:00.000Z';
const FAILING = { state: 'failing', since: SINCE };
const FIELD = `failing;since=@${Date.parse(SINCE) / 1000}`;

/** The state of the sources each time that a follower tells its status. */
function toldBy(follower: Follower): (SourceStatus | undefined)[] {
  const told: (SourceStatus | undefined)[] = [];
  follower.on('status', ({ source }) => told.push(source));
  return told;
}

function tellStatus(origin: ScriptedOrigin, data: object): void {
  const event = formatSseEvent({ event: 'status', data: JSON.stringify(data) });
  for (const connection of origin.pushed) connection.write(event);
}

test('MAL-115 by pull each document tells how the sources are, also one that is as it was', async () => {
  const { origin, follower, iterator } = await following({ mal: 30 }, { origin: { source: 'ok' } });
  expect(follower.status.source).toEqual({ state: 'ok' });
  const told = toldBy(follower);
  const next = take(iterator, 1);
  await until(() => origin.seen.at(-1)?.headers['if-none-match'] !== undefined);
  origin.source = FIELD;
  await until(() => follower.status.source?.state === 'failing');
  expect(follower.status.source).toEqual(FAILING);
  expect(told.at(-1)).toEqual(FAILING);
  origin.source = undefined;
  await until(() => !('source' in follower.status));
  origin.commit('b');
  expect(sequences(await next)).toEqual([2]);
});

test('MAL-115, PUSH-65 an event tells all who share the connection, and is nothing else to them', async () => {
  const { origin, followers, next, areAllPushing } = await pushingTogether(2);
  const told = followers.map(toldBy);
  const requests = origin.seen.length;
  tellStatus(origin, { source: 'failing', since: SINCE });
  await until(() => followers.every(({ status }) => status.source?.state === 'failing'));
  expect(followers.map(({ status }) => status.source)).toEqual([FAILING, FAILING]);
  tellStatus(origin, { source: 'no such state' });
  tellStatus(origin, { source: 'ok' });
  origin.commit('b');
  expect((await Promise.all(next)).map(sequences)).toEqual([[2], [2]]);
  expect(followers.map(({ status }) => status.source)).toEqual([{ state: 'ok' }, { state: 'ok' }]);
  for (const states of told) expect(states).toEqual([FAILING, { state: 'ok' }]);
  expect([origin.seen.length, areAllPushing()]).toEqual([requests, true]);
});

test('MAL-115 a document that was asked for before an event does not override it; a later one does', async () => {
  const { origin, time, client, followers } = await pushingTogether(1);
  const [first] = followers as [Follower];
  /** One more who follows: to the end of its state. */
  const join = () => {
    const follower = client.follow(origin.url);
    void take(reading(follower), 2);
    return { follower, atHead: until(() => follower.status.state === 'pushing') };
  };
  let release = () => {};
  origin.fault = (request, response) => {
    release = () => {
      origin.source = 'ok';
      origin.answer(request, response);
    };
    return true;
  };
  const second = join();
  await until(() => origin.requestsTo(/^\/s$/).length === 2);
  tellStatus(origin, { source: 'failing', since: SINCE });
  await until(() => first.status.source?.state === 'failing');
  origin.fault = undefined;
  release();
  origin.source = FIELD;
  await second.atHead;
  expect([first, second.follower].map(({ status }) => status.source)).toEqual([FAILING, FAILING]);
  time.nowMs += 10;
  origin.source = 'ok';
  await join().atHead;
  expect(first.status.source).toEqual({ state: 'ok' });
});

test('MAL-115 a copy from a cache says nothing of what is known since it was made', async () => {
  const { origin, follower, iterator } = await following({ mal: 30 }, { origin: { source: FIELD } });
  expect(follower.status.source).toEqual(FAILING);
  origin.source = 'ok';
  const requests = origin.seen.length;
  origin.fault = (_, response) => {
    if (origin.seen.length > requests + 2) expect(follower.status.source).toEqual(FAILING);
    else response.setHeader('age', '60');
    return false;
  };
  const next = take(iterator, 1);
  await until(() => follower.status.source?.state === 'ok');
  origin.commit('b');
  await next;
});

test('MAL-115, PUSH-65 who comes back by push learns of what recovered meanwhile', async () => {
  const { origin, follower, next } = await pushing(1, { mal: 1 }, { origin: { source: 'ok' } });
  tellStatus(origin, { source: 'failing', since: SINCE });
  await until(() => follower.status.source?.state === 'failing');
  for (const connection of origin.pushed) connection.destroy();
  await until(() => follower.status.source?.state === 'ok');
  expect(origin.seen.at(-1)?.path).toBe('/s/events');
  origin.commit('b');
  expect(sequences(await next)).toEqual([2]);
});
