import type { Draft } from '@ldes-live/rdf-stream';
import { describe, expect, test } from 'vitest';
import { createHttpSource } from '../../src/documents/http-source.ts';
import { STATED_MARGIN_MS } from '../../src/polling/schedule.ts';
import { ok, openFeedServer, status } from '../feed-server.ts';
import { LatestMap } from '../latest-map.ts';
import { accepted } from '../polling.ts';
import {
  compiled,
  garages,
  INTERVAL_MS,
  iterated,
  pollDocuments,
  readingMapping,
  streamUrl,
} from './poll-documents.ts';

describe('http source schedule', () => {
  const PATH = '/feed.pb';
  const MADE = '2024-02-08T12:59:50Z';
  const asStated = { intervalMs: undefined as never };

  /** How long after the poll before it a poll is planned, milliseconds. */
  async function waitOf({ poll, source, time }: Awaited<ReturnType<typeof pollDocuments>>): Promise<number> {
    await poll();
    return Date.parse(source.health().nextPollAt ?? '') - time.nowMs;
  }

  const late = { made: MADE, ttl: 30 };

  /** The options, what documents state one after the other, and how long after its poll the next is planned. */
  test.each<[id: string, options: object, stated: object[], waits: number[]]>([
    // An interval that is configured counts, whatever the document says; where it says nothing, a minute.
    ['SRC-18', {}, [{ made: MADE, ttl: 3600 }], [INTERVAL_MS]],
    ['SRC-18', asStated, [{}, {}], [60_000, 60_000]],
    // Just after the span that the document says, and after a quarter of it where that has passed.
    ['SRC-19', asStated, [late], [20_000 + STATED_MARGIN_MS]],
    ['SRC-19', asStated, [late, late, late], [20_000 + STATED_MARGIN_MS, 7500, 7500]],
    ['SRC-19', asStated, [{ ttl: 60 }], [60_000 + STATED_MARGIN_MS]],
    // Not faster than minIntervalMs, nor slower than maxIntervalMs.
    ['SRC-20', asStated, [{ made: MADE, ttl: 0 }], [5000]],
    ['SRC-20', { ...asStated, minIntervalMs: 20_000 }, [{ made: MADE, ttl: 15 }], [20_000]],
    ['SRC-20', asStated, [{ ttl: 1e9 }], [3_600_000 + STATED_MARGIN_MS]],
  ])('%s with %j, of documents that state %j, polls are planned after %j ms', async (_, options, stated, waits) => {
    const polling = await pollDocuments(options);
    const found: number[] = [];
    for (const more of stated) {
      polling.answers.set(PATH, ok(garages(1, 1, more as Record<string, unknown>)));
      found.push(await waitOf(polling));
    }
    expect(found).toEqual(waits);
  });

  test('SRC-19 the schedule has the interval that is configured, or that the document states', async () => {
    for (const [options, intervalMs] of [
      [{}, INTERVAL_MS],
      [asStated, 30_000],
    ] as const) {
      const { source, serve } = await pollDocuments(options);
      await serve(garages(1, 1, { made: MADE, ttl: 30 }));
      expect(source.schedule()).toMatchObject({ kind: 'interval', intervalMs });
    }
  });

  test('SRC-21 after failures polls come by slots of the stated interval, further and further apart', async () => {
    const polling = await pollDocuments(asStated);
    polling.answers.set(PATH, ok(garages(1, 1, { made: MADE, ttl: 30 })));
    await polling.poll();
    polling.answers.set(PATH, status(500));
    const waits = [await waitOf(polling), await waitOf(polling), await waitOf(polling), await waitOf(polling)];
    expect(waits).toEqual([30_000, 30_000 * 2, 30_000 * 4, 30_000 * 8]);
    polling.answers.set(PATH, ok(garages(1, 2, { ttl: 30 })));
    expect(await waitOf(polling)).toBe(30_000 + STATED_MARGIN_MS);
  });

  test('SRC-21 failures before the first document are spaced by a minute', async () => {
    const polling = await pollDocuments(asStated);
    expect(await waitOf(polling)).toBe(60_000);
    expect(await waitOf(polling)).toBe(60_000 * 2);
  });

  test('SRC-22 health tells the time of the document, or else the newest of its records', async () => {
    const { answers, poll, source, serve } = await pollDocuments();
    await serve('{"garages": [{"id": "a", "free": 1}]}');
    expect(source.health().dataAt).toBeUndefined();
    const at = (id: string, time: string) => ({ id, free: 1, at: time });
    const all = [
      at('a', '2024-02-08T12:00:00Z'),
      at('b', '2024-02-08T13:30:00+01:00'),
      at('c', '2031-01-01T00:00:00Z'),
    ];
    await serve(JSON.stringify({ garages: all }));
    expect(source.health().dataAt).toBe('2024-02-08T12:30:00.000Z');
    await serve(JSON.stringify({ made: MADE, garages: all }));
    expect(source.health().dataAt).toBe('2024-02-08T12:59:50.000Z');
    answers.set(PATH, status(500));
    await poll();
    expect(source.health()).toMatchObject({ state: 'failing', dataAt: '2024-02-08T12:59:50.000Z' });
  });

  test('SRC-23 health tells when the next update is expected to be visible, as the schedule does', async () => {
    const { source, stop, ended, serve } = await pollDocuments();
    await serve(garages(1, 1));
    const schedule = source.schedule();
    expect(schedule.kind === 'interval' && new Date(schedule.nextMs).toISOString()).toBe(source.health().nextUpdateAt);
    stop.abort();
    await ended;
    expect(source.health().nextUpdateAt).toBeUndefined();
  });
});

describe('http source observations', () => {
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
    return batches.map((batch) =>
      batch.map((draft) => (draft.kind === 'upsert' ? draft.id?.split('/').at(-1) : 'gone')),
    );
  }

  test('SRC-14 an observation is published once, and does not end by being absent', async () => {
    const { latest, serve } = await pollDocuments({ mapping });
    expect(await serve(readings(reading('a', 10), reading('b', 11)))).toMatchObject({ entities: 2, ...accepted(2, 0) });
    expect(await serve(readings(reading('b', 11), reading('a', 12)))).toMatchObject({ entities: 2, ...accepted(1, 0) });
    expect(await serve(readings())).toMatchObject({ entities: 0, ...accepted(0, 0) });
    expect(ids(latest.batches)).toEqual([['10', '11'], ['12']]);
    expect(latest.entities()).toEqual(['a', 'b'].map((sensor) => `${streamUrl}/sensors/${sensor}`));
  });

  test('SRC-14 what the log holds is not published again after a restart', async () => {
    const server = await openFeedServer(ok(readings(reading('a', 10), reading('a', 11))));
    const latest = new LatestMap();
    const entity = `${streamUrl}/sensors/a`;
    const held = { kind: 'upsert', entity, origin: server.url, quads: [], fingerprint: '' } as const;
    latest.append([{ ...held, id: `${streamUrl}/readings/10` }]);
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
    const { latest, serve } = await pollDocuments({ mapping });
    latest.hasVersions = async () => new Set();
    for (const minutes of [[10], [10, 11], [10, 11, 12]]) {
      await serve(readings(...minutes.map((minute) => reading('a', minute))));
    }
    expect(ids(latest.batches)).toEqual([['10'], ['11'], ['12']]);
  });

  test('SRC-15 observations of one series come in successive batches, by their times', async () => {
    const { latest, source, serve } = await pollDocuments({ mapping });
    const all = [reading('a', 30), reading('b', 15), reading('a', 10), reading('a', 20), reading('b', 25)];
    expect(await serve(readings(...all))).toMatchObject(accepted(5));
    expect(ids(latest.batches)).toEqual([['10', '15'], ['20', '25'], ['30']]);
    expect(latest.get(`${streamUrl}/sensors/a`)?.versionTime).toBe('2024-02-08T12:30:00Z');
    expect(source.health().dataAt).toBe('2024-02-08T12:30:00.000Z');
  });

  test('SRC-15 a batch is not handed on before the one before it is stored, and what was not stored comes again', async () => {
    const server = await openFeedServer(ok(readings(reading('a', 10), reading('a', 20), reading('a', 30))));
    const { events, iterate, latest } = iterated({ url: server.url, mapping });
    const failing = iterate((batch) => {
      if (latest.batches.length === 1) throw new RangeError('disk full');
      latest.append(batch);
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect([events, ids(latest.batches)]).toEqual([[], [['10']]]);
    await iterate((batch) => latest.append(batch));
    expect(ids(latest.batches)).toEqual([['10'], ['20'], ['30']]);
  });

  test('SRC-15 an observation that comes late is published, and counted', async () => {
    const { serve } = await pollDocuments({ mapping });
    await serve(readings(reading('a', 20)));
    expect(await serve(readings(reading('a', 10), reading('a', 20)))).toMatchObject({
      kind: 'accepted',
      upserts: 1,
      findings: { versionTimesBack: 1 },
    });
  });

  test('SRC-2 an observation that cannot be mapped is told, and the others are published', async () => {
    const { serve } = await pollDocuments({ mapping });
    expect(await serve(readings({ ...reading('a', 10), value: 'broken' }, reading('a', 11)))).toMatchObject({
      kind: 'accepted',
      upserts: 1,
      problems: [{ code: 'ERR_MAPPING_RECORD' }],
    });
  });
});
