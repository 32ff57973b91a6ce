import type { Draft } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { createHttpSource } from '../../src/http/http-source.ts';
import { FakeTime } from '../fake-time.ts';
import { ok, openFeedServer } from '../feed-server.ts';
import { LatestMap } from '../latest-map.ts';
import { compiled, readingMapping, streamUrl } from './garages.ts';
import { INTERVAL_MS, pollDocuments } from './poll-documents.ts';

const PATH = '/feed.pb';
const mapping = compiled(readingMapping);

interface Reading {
  readonly id: number;
  readonly sensor: string;
  readonly value: number | string;
  readonly at?: string;
}

function readings(...all: Reading[]): string {
  return JSON.stringify({ readings: all });
}

/** A reading of a sensor in a minute of an hour, numbered by it. */
function reading(sensor: string, minute: number): Reading {
  return { id: minute, sensor, value: minute, at: `2024-02-08T12:${minute}:00Z` };
}

function ids(batches: readonly (readonly Draft[])[]): (string | undefined)[][] {
  return batches.map((batch) => batch.map((draft) => (draft.kind === 'upsert' ? draft.id?.split('/').at(-1) : 'gone')));
}

test('SRC-14 an observation is published once, and does not end by being absent', async () => {
  const { answers, poll, latest } = await pollDocuments({ mapping });
  answers.set(PATH, ok(readings(reading('a', 10), reading('b', 11))));
  expect(await poll()).toMatchObject({ kind: 'taken', entities: 2, upserts: 2, deletes: 0 });
  answers.set(PATH, ok(readings(reading('b', 11), reading('a', 12))));
  expect(await poll()).toMatchObject({ kind: 'taken', entities: 2, upserts: 1, deletes: 0 });
  answers.set(PATH, ok(readings()));
  expect(await poll()).toMatchObject({ kind: 'taken', entities: 0, upserts: 0, deletes: 0 });
  expect(ids(latest.batches)).toEqual([['10', '11'], ['12']]);
  expect(latest.entities()).toEqual(['a', 'b'].map((sensor) => `${streamUrl}/sensors/${sensor}`));
});

test('SRC-14 what the log holds is not published again after a restart', async () => {
  const server = await openFeedServer(ok(readings(reading('a', 10), reading('a', 11))));
  const latest = new LatestMap();
  latest.append([
    {
      kind: 'upsert',
      id: `${streamUrl}/readings/10`,
      entity: `${streamUrl}/sensors/a`,
      origin: server.url,
      quads: [],
      fingerprint: '',
    },
  ]);
  const source = createHttpSource({ url: server.url, mapping, intervalMs: 1 });
  const stop = new AbortController();
  const batches: (readonly Draft[])[] = [];
  for await (const batch of source.drafts(latest, stop.signal)) {
    batches.push(batch);
    stop.abort();
  }
  expect(ids(batches)).toEqual([['11']]);
});

test('SRC-14 what retention has erased is not published again as long as the document lists it', async () => {
  const { answers, poll, latest } = await pollDocuments({ mapping });
  latest.held = async () => new Set();
  for (const minutes of [[10], [10, 11], [10, 11, 12]]) {
    answers.set(PATH, ok(readings(...minutes.map((minute) => reading('a', minute)))));
    await poll();
  }
  expect(ids(latest.batches)).toEqual([['10'], ['11'], ['12']]);
});

test('SRC-15 observations of one series come in successive batches, by their times', async () => {
  const { answers, poll, latest, source } = await pollDocuments({ mapping });
  const all = [reading('a', 30), reading('b', 15), reading('a', 10), reading('a', 20), reading('b', 25)];
  answers.set(PATH, ok(readings(...all)));
  expect(await poll()).toMatchObject({ kind: 'taken', upserts: 5 });
  expect(ids(latest.batches)).toEqual([['10', '15'], ['20', '25'], ['30']]);
  expect(latest.get(`${streamUrl}/sensors/a`)?.versionTime).toBe('2024-02-08T12:30:00Z');
  expect(source.health().dataAt).toBe('2024-02-08T12:30:00.000Z');
});

test('SRC-15 a batch is not handed on before the one before it is stored, and what was not stored comes again', async () => {
  const server = await openFeedServer(ok(readings(reading('a', 10), reading('a', 20), reading('a', 30))));
  const time = new FakeTime();
  const events: unknown[] = [];
  const edge = { ...time, fetch, random: () => 0, report: (event: unknown) => void events.push(event) };
  const source = createHttpSource({ url: server.url, mapping, intervalMs: INTERVAL_MS }, edge);
  const latest = new LatestMap();
  const iterate = async (store: (batch: readonly Draft[]) => void) => {
    const ended = (async () => {
      for await (const batch of source.drafts(latest, new AbortController().signal)) store(batch);
    })();
    time.pass();
    await ended.catch(() => undefined);
  };
  await iterate((batch) => {
    if (latest.batches.length === 1) throw new RangeError('disk full');
    latest.append(batch);
  });
  expect(events).toEqual([]);
  await iterate((batch) => {
    if (latest.batches.length === 3) throw new RangeError('disk full');
    latest.append(batch);
    if (latest.batches.length === 3) throw new RangeError('enough');
  });
  expect(ids(latest.batches)).toEqual([['10'], ['20'], ['30']]);
});

test('SRC-15 an observation that comes late is published, and counted', async () => {
  const { answers, poll } = await pollDocuments({ mapping });
  answers.set(PATH, ok(readings(reading('a', 20))));
  await poll();
  answers.set(PATH, ok(readings(reading('a', 10), reading('a', 20))));
  expect(await poll()).toMatchObject({ kind: 'taken', upserts: 1, findings: { versionTimesBack: 1 } });
});

test('SRC-2 an observation that cannot be mapped is told, and the others are published', async () => {
  const { answers, poll } = await pollDocuments({ mapping });
  answers.set(PATH, ok(readings({ ...reading('a', 10), value: 'broken' }, reading('a', 11))));
  expect(await poll()).toMatchObject({ kind: 'taken', upserts: 1, problems: [{ code: 'ERR_MAPPING_RECORD' }] });
});
