import { type Draft, isStreamError } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import {
  NOON_MS,
  openLog,
  openStore,
  plain,
  remove,
  type StoreSubject,
  unwritable,
  upsert,
  vehicles,
} from './suite-place.ts';

/** How appends have to behave: in order, all or nothing, and without a trace when they fail. */
export function appendCases(subject: StoreSubject): void {
  test('DOC-4 times strictly increase when the clock stands still and when it jumps back', async () => {
    let nowMs = NOON_MS;
    const log = await openLog(subject, { clock: () => nowMs });
    expect(log.head).toMatchObject({ cursor: { sequence: 0 }, timeMs: 0 });
    for (const [clockMs, offsetMs] of [
      [0, 0],
      [0, 1],
      [-60_000, 2],
      [1, 3],
      [500, 500],
    ] as const) {
      nowMs = NOON_MS + clockMs;
      const { time } = await log.append([upsert('a', offsetMs)]);
      expect(time).toBe(new Date(NOON_MS + offsetMs).toISOString());
    }
  });

  test('DOC-4 concurrent appends are stored in the order of their calls', async () => {
    const log = await openLog(subject);
    const seen: number[] = [];
    log.subscribe((commit) => seen.push(commit.cursor.sequence));
    const appends = Array.from({ length: 20 }, (_, key) => log.append([upsert(key), upsert(`${key}b`)]));
    const commits = await Promise.all(appends);
    expect(commits.map((commit) => commit.cursor.sequence)).toEqual(commits.map((_, index) => 2 * index + 2));
    expect(seen).toEqual(commits.map((commit) => commit.cursor.sequence));
    expect((await log.read(0, 100)).map(plain)).toEqual(commits.flatMap(({ members }) => members).map(plain));
  });

  test.each([
    ['ERR_COMMIT_EMPTY', []],
    ['ERR_DRAFT_REPEATED', [upsert('b'), upsert('b', 1)]],
    ['ERR_ENTITY_UNKNOWN', [upsert('b'), remove('never')]],
    ['ERR_ENTITY_UNKNOWN', [upsert('b'), remove('purged')]],
    ['ERR_TERM_UNSUPPORTED', [upsert('b'), unwritable('c')]],
    // As plain JavaScript may have them.
    ['ERR_DRAFT', [upsert('b'), undefined as unknown as Draft]],
    ['ERR_DRAFT', [upsert('b'), { ...upsert('c'), kind: 'update' } as unknown as Draft]],
    ['ERR_DRAFT', [upsert('b'), { ...upsert('c'), fingerprint: undefined } as unknown as Draft]],
    ['ERR_DRAFT', [upsert('b'), { ...upsert('c'), quads: 'x' } as unknown as Draft]],
    ['ERR_DRAFT', [upsert('b'), { ...upsert('c'), origin: undefined } as unknown as Draft]],
    ['ERR_DRAFT', [upsert('b'), { ...upsert('c'), entity: 5 } as unknown as Draft]],
    ['ERR_DRAFT', [upsert('b'), { ...upsert('c'), id: 5 } as unknown as Draft]],
  ] as const)('DOC-22 %s leaves no trace, and the next append goes on', async (code, drafts) => {
    const log = await openLog(subject);
    await log.append([upsert('a'), upsert('purged')]);
    await log.append([remove('purged')]);
    const seen: unknown[] = [];
    log.subscribe((commit) => seen.push(commit));
    const before = (await log.read(0, 10)).map(plain);
    const failing = log.append(drafts);
    const next = log.append([upsert('a', 1)]);
    await expect(failing).rejects.toSatisfy((error) => isStreamError(error, code));
    expect((await next).members.map((member) => member.sequence)).toEqual([4]);
    expect(seen).toEqual([await next]);
    expect((await log.read(0, 10)).map(plain).slice(0, -1)).toEqual(before);
    expect(log.latest.size).toBe(1);
  });

  test('limitPendingAppends appends may wait, 1000 by default, one more is refused, and there is room again when they settled', async () => {
    const log = await openLog(subject, { limitPendingAppends: 3 });
    const appends = [log.append([upsert(1)]), log.append([remove('never')]), log.append([upsert(3)])];
    const busy = { code: 'ERR_LOG_BUSY', details: { limitPendingAppends: 3 } };
    await expect(log.append([upsert(4)])).rejects.toMatchObject(busy);
    await Promise.allSettled(appends);
    await Promise.all([log.append([upsert(5)]), log.append([upsert(6)]), log.append([upsert(7)])]);
    expect(log.head.cursor.sequence).toBe(5);
    const other = await openLog(subject);
    const many = Array.from({ length: 1000 }, (_, key) => other.append([remove(key)]).catch(() => {}));
    await expect(other.append([upsert(1)])).rejects.toMatchObject({ code: 'ERR_LOG_BUSY' });
    await Promise.all(many);
  });

  test('streams of one store have logs of their own', async () => {
    const store = await openStore(subject);
    // Names of which one begins another, and one that sorts between them.
    const streams = ['a', 'a-b', 'ab'].map(async (name, index) => {
      const log = await store.open({ ...vehicles, name });
      return { log, commit: await log.append([0, 1, 2].slice(index).map((key) => upsert(key, name))) };
    });
    for (const { log, commit } of await Promise.all(streams)) {
      expect(log.head.cursor).toEqual(commit.cursor);
      for (const members of [await log.read(0, 10), await log.readLatest()]) {
        expect(members.map(plain)).toEqual(commit.members.map(plain));
      }
    }
  });
}
