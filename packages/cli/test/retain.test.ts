import { createMemoryStore } from '@ldes-live/log';
import { type Draft, describeStream, PAGE_MEMBERS, StreamError } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test, vi } from 'vitest';
import { retain } from '../src/serve/retain.ts';

const description = describeStream({ publicUrl: 'http://live.example/', name: 'a', retention: { fullLogMs: 1000 } });

/** A log with a full page of members, an hour ago. */
async function oldLog() {
  const time = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const clock = () => time.nowMs;
  const log = await createMemoryStore({ clock, random: () => 0.5 }).open(description);
  const drafts = Array.from({ length: PAGE_MEMBERS + 1 }, (_, index): Draft => {
    return { kind: 'upsert', entity: `urn:x:${index}`, origin: 'a', fingerprint: '', quads: [] };
  });
  await log.append(drafts);
  time.nowMs += 3_600_000;
  return { log, clock };
}

const sleep = (_: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    setImmediate(resolve);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

test('what the policy does not keep is removed, until the signal ends it', async () => {
  const { log, clock } = await oldLog();
  const ending = new AbortController();
  const onFailure = vi.fn();
  const retaining = retain({ policy: description.retention, log, signal: ending.signal, onFailure, clock, sleep });
  await eventually(() => expect(log.removals).toMatchObject([{ first: 1, last: PAGE_MEMBERS, state: 'unlinked' }]));
  ending.abort();
  await retaining;
  expect(onFailure).not.toHaveBeenCalled();
});

test('a stream without a policy keeps everything', async () => {
  const { log, clock } = await oldLog();
  const { signal } = new AbortController();
  await retain({ policy: undefined, log, signal, onFailure: () => {}, clock, sleep });
  expect(log.removals).toEqual([]);
});

test('a log that cannot remove is told of, and tried again', async () => {
  const { log, clock } = await oldLog();
  const ending = new AbortController();
  const failure = new StreamError('ERR_STORE_WRITE', 'The disk is full.', {});
  const unlink = log.unlink.bind(log);
  log.unlink = async (extent) => {
    log.unlink = unlink;
    expect(extent.first).toBe(1);
    throw failure;
  };
  const onFailure = vi.fn();
  const retaining = retain({ policy: description.retention, log, signal: ending.signal, onFailure, clock, sleep });
  await eventually(() => expect(log.removals).toHaveLength(1));
  ending.abort();
  await retaining;
  expect(onFailure.mock.calls).toEqual([[failure]]);
});

test('what is no error of the log ends it', async () => {
  const { log, clock } = await oldLog();
  log.unlink = async () => {
    throw new TypeError('a mistake');
  };
  const { signal } = new AbortController();
  const retaining = retain({ policy: description.retention, log, signal, onFailure: () => {}, clock, sleep });
  await expect(retaining).rejects.toThrow('a mistake');
});
