import { isStreamError } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import {
  entityIri,
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
    // The first reading belongs to the epoch.
    const times = [NOON_MS, NOON_MS, NOON_MS, NOON_MS - 60_000, NOON_MS + 1, NOON_MS + 500];
    const log = await openLog(subject, { clock: () => times.shift()! });
    expect(log.head).toMatchObject({ cursor: { sequence: 0 }, timeMs: 0 });
    for (const offsetMs of [0, 1, 2, 3, 500]) {
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

  test('DOC-22 head, latest state, members and subscribers learn of a commit together, before its append resolves', async () => {
    const log = await openLog(subject);
    const reads: Promise<unknown>[] = [];
    let resolved = false;
    log.subscribe((commit) => {
      expect(resolved).toBe(false);
      expect(log.head.cursor).toEqual(commit.cursor);
      expect(log.latest.get(entityIri('a'))).toMatchObject({ sequence: 1, fingerprint: 'a/0' });
      reads.push(log.read(0, 10).then((members) => expect(members.map(plain)).toEqual(commit.members.map(plain))));
    });
    const append = log.append([upsert('a')]);
    expect(log.head.cursor.sequence).toBe(0);
    expect(log.latest.size).toBe(0);
    await append.then(() => {
      resolved = true;
    });
    expect(reads).toHaveLength(1);
    await Promise.all(reads);
  });

  test.each([
    ['ERR_COMMIT_EMPTY', []],
    ['ERR_DRAFT_REPEATED', [upsert('b'), upsert('b', 1)]],
    ['ERR_ENTITY_UNKNOWN', [upsert('b'), remove('never')]],
    ['ERR_ENTITY_UNKNOWN', [upsert('b'), remove('purged')]],
    ['ERR_TERM_UNSUPPORTED', [upsert('b'), unwritable('c')]],
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

/** How reads have to behave: dense, bounded and true at the time of the call. */
export function readCases(subject: StoreSubject): void {
  test('members are read back as they were committed, whatever slice is asked for', async () => {
    const log = await openLog(subject);
    const commits = [await log.append([1, 2, 3].map((key) => upsert(key))), await log.append([remove(2), upsert(4)])];
    const members = commits.flatMap((commit) => commit.members).map(plain);
    for (let after = 0; after <= 6; after += 1) {
      for (let limit = 1; limit <= 6; limit += 1) {
        expect((await log.read(after, limit)).map(plain)).toEqual(members.slice(after, after + limit));
      }
    }
    expect(await log.read(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });

  test('a read tells what was stored when it was called', async () => {
    const log = await openLog(subject);
    await log.append(Array.from({ length: 600 }, (_, key) => upsert(key)));
    const [members, latest] = [log.read(0, 1000), log.readLatest()];
    await log.append([remove(0), upsert(1, 'new')]);
    const sequences = Array.from({ length: 600 }, (_, index) => index + 1);
    expect((await members).map((member) => member.sequence)).toEqual(sequences);
    expect((await latest).map((member) => member.sequence)).toEqual(sequences);
    expect((await log.readLatest()).map((member) => member.sequence)).toEqual([...sequences.slice(2), 602]);
  });

  test('a read asks for limitRead members at most, 10000 by default, and for whole numbers in their range', async () => {
    const log = await openLog(subject, { limitRead: 2 });
    await log.append([upsert(1), upsert(2), upsert(3)]);
    expect(await log.read(0, 2)).toHaveLength(2);
    const refused = { code: 'ERR_READ_RANGE', details: { name: 'limit', value: 3, from: 1, to: 2 } };
    await expect(log.read(0, 3)).rejects.toMatchObject(refused);
    const other = await openLog(subject);
    expect(await other.read(0, 10_000)).toEqual([]);
    const wrongAfter = [-1, 0.5, Number.NaN, 2 ** 53].map((after) => [after, 1]);
    const wrongLimit = [0, 1.5, Number.POSITIVE_INFINITY, 10_001].map((limit) => [0, limit]);
    for (const [after, limit] of [...wrongAfter, ...wrongLimit] as [number, number][]) {
      await expect(other.read(after, limit)).rejects.toMatchObject({ code: 'ERR_READ_RANGE' });
    }
  });
}
