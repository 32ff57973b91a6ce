import { createMemoryStore, type StreamLog } from '@ldes-live/log';
import { type Draft, describeStream, type LatestView, type StreamError } from '@ldes-live/rdf-stream';
import type { Source } from '@ldes-live/sources';
import { beforeEach, expect, test } from 'vitest';
import { publish } from '../src/serve/publish.ts';

const upsert = (entity: string): Draft => ({ kind: 'upsert', entity, origin: 'test', quads: [], fingerprint: entity });

let log: StreamLog;
let ending: AbortController;
let failures: StreamError[];
let waits: number[];
beforeEach(async () => {
  const store = createMemoryStore({ clock: () => 1000, random: () => 0.5 });
  log = await store.open(describeStream({ publicUrl: 'http://localhost/', name: 'test' }));
  ending = new AbortController();
  failures = [];
  waits = [];
});

/** A source whose iterations yield what the function yields, and which ends when the signal is aborted. */
function sourceOf(drafts: (latest: LatestView) => AsyncIterable<readonly Draft[]>): Source {
  return {
    origin: 'test',
    drafts,
    health: () => ({ origin: 'test', state: 'ok', polls: { good: 0, bad: 0 }, errors: {}, findings: {} }),
    schedule: () => ({ kind: 'unknown' }),
  };
}

function run(source: Source, appended = log): Promise<void> {
  return publish({
    source,
    log: appended,
    signal: ending.signal,
    onFailure: (error) => failures.push(error),
    sleep: async (waitMs) => void waits.push(waitMs),
    random: () => 0,
  });
}

test('each batch is appended before the next is asked for', async () => {
  const heads: number[] = [];
  await run(
    sourceOf(async function* () {
      yield [upsert('http://a/1'), upsert('http://a/2')];
      heads.push(log.head.cursor.sequence);
      yield [upsert('http://a/3')];
      heads.push(log.head.cursor.sequence);
      ending.abort();
    }),
  );
  expect(heads).toEqual([2, 3]);
  expect(failures).toEqual([]);
});

test('a batch that cannot be appended is reported, and the source asked anew after a growing wait', async () => {
  let iterations = 0;
  await run(
    sourceOf(async function* () {
      iterations += 1;
      if (iterations <= 3) yield [];
      yield [upsert(`http://a/${iterations}`)];
      if (iterations === 4) yield [];
      ending.abort();
    }),
  );
  expect(failures.map(({ code }) => code)).toEqual(Array(4).fill('ERR_COMMIT_EMPTY'));
  // The fourth comes after a good one.
  expect(waits).toEqual([500, 1000, 2000, 500]);
  expect(log.head.cursor.sequence).toBe(2);
});

test('it ends when it is interrupted while waiting', async () => {
  const publishing = publish({
    source: sourceOf(async function* () {
      yield [];
    }),
    log,
    signal: ending.signal,
    onFailure: () => ending.abort(),
    sleep: (_, signal) => Promise.reject(signal.reason),
    random: () => 0,
  });
  await expect(publishing).resolves.toBeUndefined();
});

test('a defect is not taken for a failure', async () => {
  const broken = sourceOf(() => {
    throw new TypeError('a defect');
  });
  await expect(run(broken)).rejects.toThrow(TypeError);
  expect(failures).toEqual([]);
});
