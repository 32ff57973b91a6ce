import { createMemoryStore } from '@ldes-live/log';
import type { SourceEvent } from '@ldes-live/query';
import { type CommitLog, logCommits } from '@ldes-live/query/http';
import { type Draft, describeStream, formatCursor, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';

const URL = 'http://live.example/a';

async function world(limitMembers?: number) {
  const time = { nowMs: 1000 };
  const clock = () => time.nowMs;
  const description = describeStream({ publicUrl: 'http://live.example/', name: 'a', title: 'A' });
  const log = await createMemoryStore({ clock, random: () => 0.5 }).open(description);
  const upsert = (number: number, value = 'x'): Draft => {
    const entity = `http://live.example/a/entities/${number}`;
    const quads = [quad(namedNode(entity), namedNode('urn:p'), literal(value))];
    return { kind: 'upsert', entity, origin: 'feed', fingerprint: value, quads };
  };
  const commit = (...drafts: Draft[]) => log.append(drafts);
  const ending = new AbortController();
  const source = logCommits(log, URL, ending.signal, limitMembers);
  const events = source[Symbol.asyncIterator]();
  const next = async () => (await events.next()).value as SourceEvent;
  return { time, log, upsert, commit, ending, source, events, next };
}

const told = (event: SourceEvent) => ({
  kind: 'kind' in event ? event.kind : 'commit',
  cursor: typeof event.cursor === 'string' ? event.cursor : formatCursor(event.cursor),
  entities: event.members.map(({ entity }) => entity.split('/').at(-1)),
});

test('a log is read from its latest state on, commit by commit', async () => {
  const { source, upsert, commit, next, log } = await world();
  await commit(upsert(1), upsert(2));
  await commit({ kind: 'delete', entity: upsert(2).entity, origin: 'feed' });
  const at = (sequence: number) => formatCursor({ ...log.head.cursor, sequence });
  expect(source.url).toBe(URL);
  expect(source.completeToMs?.()).toBeUndefined();
  expect(told(await next())).toEqual({ kind: 'state', cursor: at(3), entities: ['1'] });
  await commit(upsert(3));
  await commit(upsert(1, 'y'), upsert(4));
  expect(told(await next())).toEqual({ kind: 'commit', cursor: at(4), entities: ['3'] });
  expect(told(await next())).toEqual({ kind: 'commit', cursor: at(6), entities: ['1', '4'] });
  const waiting = next();
  await commit(upsert(5));
  expect(told(await waiting)).toEqual({ kind: 'commit', cursor: at(7), entities: ['5'] });
});

test('what is committed while the state is read follows it', async () => {
  const { upsert, commit, next } = await world();
  await commit(upsert(1));
  const reading = next();
  await commit(upsert(2));
  expect(told(await reading).entities).toEqual(['1']);
  expect(told(await next()).entities).toEqual(['2']);
});

test('a reader that falls behind what may wait is given the state anew', async () => {
  const { upsert, commit, next } = await world(2);
  expect(told(await next())).toMatchObject({ kind: 'state', entities: [] });
  await commit(upsert(1));
  await commit(upsert(2));
  expect(told(await next())).toMatchObject({ kind: 'commit', entities: ['1'] });
  await commit(upsert(3), upsert(4));
  expect(told(await next())).toMatchObject({ kind: 'state', entities: ['1', '2', '3', '4'] });
  // One that is larger by itself is no reason.
  await commit(upsert(1, 'y'), upsert(2, 'y'), upsert(3, 'y'));
  expect(told(await next())).toMatchObject({ kind: 'commit', entities: ['1', '2', '3'] });
  // What was handed out waits no longer.
  await commit(upsert(1));
  await commit(upsert(2));
  expect(told(await next())).toMatchObject({ kind: 'commit', entities: ['1'] });
});

test('it is complete up to now, or up to the first commit that is not handed out or still being stored', async () => {
  const { source, time, upsert, commit, next } = await world();
  await next();
  time.nowMs = 5000;
  expect(source.completeToMs?.()).toBe(5000);
  await commit(upsert(1));
  time.nowMs = 6000;
  await commit(upsert(2));
  time.nowMs = 7000;
  expect(source.completeToMs?.()).toBe(4999);
  await next();
  expect(source.completeToMs?.()).toBe(5999);
  await next();
  expect(source.completeToMs?.()).toBe(7000);
  const storing: CommitLog = {
    head: { cursor: { epoch: 'a', sequence: 0 } },
    readLatest: async () => [],
    subscribe: () => () => undefined,
    completeToMs: () => 6499,
  };
  const other = logCommits(storing, URL, new AbortController().signal);
  await other[Symbol.asyncIterator]().next();
  expect(other.completeToMs?.()).toBe(6499);
});

test('the reading ends with the signal, and lets go of the log', async () => {
  const { ending, events, next, commit, upsert } = await world();
  await next();
  const waiting = events.next();
  ending.abort();
  expect((await waiting).done).toBe(true);
  await commit(upsert(1));
  expect((await events.next()).done).toBe(true);
});
