import { expect, test } from 'vitest';
import { entityIri, plain, remove, upsert } from './suite-drafts.ts';
import { openLog, type StoreSubject } from './suite-place.ts';

/** How reads have to behave: dense, bounded and true at the time of the call. */
export function readCases(subject: StoreSubject): void {
  test('members are read back as they were committed, whatever slice is asked for', async () => {
    const log = await openLog(subject);
    const commits = [await log.append([1, 2, 3].map((key) => upsert(key))), await log.append([remove(2), upsert(4)])];
    const members = commits.flatMap((commit) => commit.members).map(plain);
    for (let after = 0; after <= 6; after += 1) {
      for (let limit = 1; limit <= 6; limit += 1) {
        expect((await log.members(after, limit)).map(plain)).toEqual(members.slice(after, after + limit));
      }
    }
    expect(await log.members(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });

  test('a read tells what was stored when it was called', async () => {
    const log = await openLog(subject);
    await log.append(Array.from({ length: 600 }, (_, key) => upsert(key)));
    const [members, latest] = [log.members(0, 1000), log.latestMembers()];
    await log.append([remove(0), upsert(1, 'new')]);
    const sequences = Array.from({ length: 600 }, (_, index) => index + 1);
    expect((await members).map((member) => member.sequence)).toEqual(sequences);
    expect((await latest).map((member) => member.sequence)).toEqual(sequences);
    expect((await log.latestMembers()).map((member) => member.sequence)).toEqual([...sequences.slice(2), 602]);
  });

  test('a read may ask for limitRead members, and not for one more', async () => {
    const log = await openLog(subject, { limitRead: 2 });
    await log.append([upsert(1), upsert(2), upsert(3)]);
    expect(await log.members(0, 2)).toHaveLength(2);
    await expect(log.members(0, 3)).rejects.toMatchObject({
      code: 'ERR_READ_RANGE',
      details: { name: 'limit', value: 3, from: 1, to: 2 },
    });
  });

  test('a read may ask for 10000 members by default, and not for one more', async () => {
    const log = await openLog(subject);
    expect(await log.members(0, 10_000)).toEqual([]);
    await expect(log.members(0, 10_001)).rejects.toMatchObject({ code: 'ERR_READ_RANGE' });
  });

  test.each([
    [-1, 1],
    [0.5, 1],
    [Number.NaN, 1],
    [2 ** 53, 1],
    [0, 0],
    [0, 1.5],
    [0, Number.POSITIVE_INFINITY],
  ])('members(%d, %d) is refused', async (after, limit) => {
    const log = await openLog(subject);
    await expect(log.members(after, limit)).rejects.toMatchObject({ code: 'ERR_READ_RANGE' });
  });

  test('the latest state remembers origin, fingerprint and version time of what lives, by origin', async () => {
    const log = await openLog(subject);
    const { versionTime: _, ...timeless } = upsert('b', 0, 'west');
    await log.append([upsert('a', 0, 'east'), timeless]);
    await log.append([upsert('c', 0, 'east'), upsert('a', 1, 'west')]);
    const a = {
      entity: entityIri('a'),
      origin: 'west',
      sequence: 4,
      fingerprint: 'a/1',
      versionTime: '2026-11-21T11:59:58Z',
    };
    const b = { entity: entityIri('b'), origin: 'west', sequence: 2, fingerprint: 'b/0' };
    expect(log.latest.get(entityIri('a'))).toEqual(a);
    expect(log.latest.get(entityIri('b'))).toEqual(b);
    expect([...log.latest.entriesOf('west')]).toEqual([b, a]);
    expect(Array.from(log.latest.entriesOf('east'), (entry) => entry.entity)).toEqual([entityIri('c')]);
    expect([...log.latest.entriesOf('north')]).toEqual([]);
    await log.append([remove('c', 'east')]);
    expect(log.latest.get(entityIri('c'))).toBeUndefined();
    expect([...log.latest.entriesOf('east')]).toEqual([]);
    expect(log.latest.size).toBe(2);
  });
}
