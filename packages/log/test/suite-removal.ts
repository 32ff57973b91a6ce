import { setImmediate } from 'node:timers/promises';
import { extentOfPage, type Member } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import type { Log } from '../src/log.ts';
import {
  entityIri,
  NOON_MS,
  newOpener,
  openLog,
  plain,
  remove,
  type StoreSubject,
  upsert,
  vehicles,
} from './suite-place.ts';

const TOMBSTONE_MS = 60_000;
const PAGES = 4;

/** Fills pages: entities 0 to 249 have a version on each, all but a tenth of them new on each next. */
export async function fill(log: Log, pages = PAGES): Promise<Member[]> {
  const members: Member[] = [];
  for (let page = 0; page < pages; page += 1) {
    const drafts = Array.from({ length: 250 }, (_, key) => upsert(key % 10 === 0 ? `${key}-${page}` : key, page));
    members.push(...(await log.append(drafts)).members);
  }
  return members;
}

/** The newest version of an entity that lives, wherever it stands. */
async function newest(log: Log, entity: string): Promise<Member | undefined> {
  const found = log.latest.get(entity);
  return found && (await log.readMembers([found.sequence]))[0];
}

export const pagesOf = (first: number, last: number) => ({
  first: extentOfPage(first).first,
  last: extentOfPage(last).last,
});

/** How pages have to be taken out: whole, once, in two steps, with the latest state as it was. */
export function removalCases(subject: StoreSubject): void {
  test('RET-6 what is erased is emptied for the grace period at least, then gone', async () => {
    let nowMs = NOON_MS;
    const log = await openLog(subject, { tombstoneMs: TOMBSTONE_MS, clock: () => nowMs });
    await fill(log);
    await log.unlink(pagesOf(0, 2));
    await log.erase(pagesOf(0, 0));
    nowMs += TOMBSTONE_MS - 1;
    expect(log.removals.map(({ state }) => state)).toEqual(['tombstoned', 'unlinked']);
    await log.erase(pagesOf(1, 1));
    nowMs += 1 + TOMBSTONE_MS / 60;
    expect(log.removals).toEqual([
      { ...pagesOf(0, 0), state: 'purged' },
      { ...pagesOf(1, 1), state: 'tombstoned' },
      { ...pagesOf(2, 2), state: 'unlinked' },
    ]);
    nowMs += TOMBSTONE_MS;
    await log.erase(pagesOf(2, 2));
    nowMs += TOMBSTONE_MS * 2;
    expect(log.removals).toEqual([{ ...pagesOf(0, 2), state: 'purged' }]);
  });

  test('RET-7 the newest versions of living entities stay when their page is erased, until they are replaced', async () => {
    const log = await openLog(subject);
    const members = await fill(log);
    const latest = (await log.readLatest()).map(plain);
    await log.unlink(pagesOf(0, 2));
    await log.erase(pagesOf(0, 2));
    expect((await log.readLatest()).map(plain)).toEqual(latest);
    expect(plain((await newest(log, entityIri('20-0')))!)).toEqual(plain(members[20]!));
    expect(await newest(log, entityIri('never'))).toBeUndefined();

    // Who reads while they are replaced still finds them.
    const [all, one] = [log.readLatest(), newest(log, entityIri('20-0'))];
    const commit = log.append([upsert('20-0', 'new'), remove('30-0'), upsert('40-1', 'new')]);
    const during = log.readLatest();
    const { members: newer } = await commit;
    expect((await all).map(plain)).toEqual(latest);
    expect((await during).map(plain)).toEqual(latest);
    expect(plain((await one)!)).toEqual(plain(members[20]!));
    expect(plain((await newest(log, entityIri('20-0')))!)).toEqual(plain(newer[0]!));
    expect(await newest(log, entityIri('30-0'))).toBeUndefined();
    expect(await log.readLatest()).toHaveLength(latest.length - 1);
    await expect(log.read(0, 1)).rejects.toMatchObject({ code: 'ERR_MEMBERS_REMOVED' });
  });

  test.each([
    ['half a page', 'unlink', { first: 1, last: 125 }],
    ['no first member', 'unlink', { first: 0, last: 250 }],
    ['a shifted page', 'unlink', { first: 2, last: 251 }],
    ['an open page', 'unlink', pagesOf(2, 2)],
    ['a fraction', 'unlink', { first: 1.5, last: 250 }],
    ['nothing', 'unlink', { first: 251, last: 250 }],
    ['a page that is unlinked', 'unlink', pagesOf(0, 1)],
    ['a page that is not unlinked', 'erase', pagesOf(0, 1)],
    ['a half of an unlinked page', 'erase', { first: 1, last: 100 }],
  ] as const)('RET-5 %s is not removed (%s)', async (_, step, extent) => {
    const log = await openLog(subject);
    await fill(log, 2);
    await log.append([upsert('a')]);
    await log.unlink(pagesOf(0, 0));
    const refused = { code: 'ERR_REMOVAL_RANGE', details: { stream: 'vehicles', ...extent } };
    await expect(log[step](extent)).rejects.toMatchObject(refused);
    expect(log.removals).toEqual([{ ...pagesOf(0, 0), state: 'unlinked' }]);
  });

  test('a read that is under way when its members are erased ends with an error, not with a part', async () => {
    const log = await openLog(subject);
    await fill(log);
    await log.unlink(pagesOf(0, 3));
    let isErased = false;
    const erased = log.erase(pagesOf(0, 3)).then(() => {
      isErased = true;
    });
    const reads: unknown[] = [];
    while (!isErased) {
      reads.push(await log.read(0, 1000).catch(({ code }) => code));
      await setImmediate();
    }
    await erased;
    expect(reads.at(-1)).toBe('ERR_MEMBERS_REMOVED');
    for (const read of reads) expect(Array.isArray(read) ? read.length : read).toBeOneOf([1000, 'ERR_MEMBERS_REMOVED']);
  });

  test('members are read by their sequences wherever they stand, also when they are erased while they are read', async () => {
    const log = await openLog(subject);
    const members = await fill(log);
    await log.unlink(pagesOf(0, 3));
    await log.erase(pagesOf(0, 0));
    // On the erased page only what is newest still stands.
    const wanted = [1000, 21, ...Array.from({ length: 600 }, (_, index) => 300 + index), 1];
    const reading = log.readMembers(wanted);
    const erasing = log.erase(pagesOf(1, 3));
    expect((await reading).map(plain)).toEqual(wanted.map((sequence) => plain(members[sequence - 1]!)));
    await erasing;
    const removed = { code: 'ERR_MEMBERS_REMOVED', details: { first: 302, last: 302, heldFrom: 1001 } };
    await expect(log.readMembers([301, 302])).rejects.toMatchObject(removed);
    for (const sequence of [0, 1001, 1.5]) {
      await expect(log.readMembers([1, sequence])).rejects.toMatchObject({ code: 'ERR_READ_RANGE' });
    }
    expect(await log.readMembers([])).toEqual([]);
  });

  test('appends go on between the pages that are erased, which may be erased twice', async () => {
    const log = await openLog(subject);
    await fill(log);
    await log.unlink(pagesOf(0, 3));
    const erased = Promise.all([log.erase(pagesOf(0, 3)), log.erase(pagesOf(0, 3))]);
    const commits = await Promise.all([log.append([upsert('a')]), log.append([upsert('b')])]);
    expect(log.heldFrom).toBeLessThan(1001);
    await erased;
    expect(log.removals).toEqual([{ ...pagesOf(0, 3), state: 'tombstoned' }]);
    expect(commits.map((commit) => commit.cursor.sequence)).toEqual([1001, 1002]);
    expect((await log.read(1000, 10)).map(plain)).toEqual(commits.flatMap((commit) => commit.members).map(plain));
  });

  test('a log that is closed removes nothing', async () => {
    const log = await openLog(subject);
    await fill(log, 2);
    await log.unlink(pagesOf(0, 1));
    const erased = log.erase(pagesOf(0, 1));
    const refused = { code: 'ERR_LOG_CLOSED' };
    await Promise.all([expect(erased).rejects.toMatchObject(refused), log.close()]);
    await expect(log.unlink(pagesOf(0, 0))).rejects.toMatchObject(refused);
    await expect(log.erase(pagesOf(0, 0))).rejects.toMatchObject(refused);
    await expect(log.readMembers([1])).rejects.toMatchObject(refused);
  });
}

/** What holds of removals when a log is opened again, in a store that keeps its logs. */
export function removalReopenCases(subject: StoreSubject): void {
  test('a log that is opened again has the same removals and the same latest state', async () => {
    let nowMs = NOON_MS;
    const open = await newOpener(subject, { clock: () => nowMs, tombstoneMs: TOMBSTONE_MS });
    const first = await open();
    const log = await first.open(vehicles);
    await fill(log, 6);
    await log.unlink(pagesOf(0, 2));
    await log.unlink(pagesOf(4, 4));
    await log.erase(pagesOf(0, 0));
    nowMs += 2 * TOMBSTONE_MS;
    await log.erase(pagesOf(1, 1));
    await log.append([upsert('20-0', 'new'), remove('30-1')]);
    const latest = (await log.readLatest()).map(plain);
    const removals = log.removals;
    expect(removals.map(({ state }) => state)).toEqual(['purged', 'tombstoned', 'unlinked', 'unlinked']);
    await first.close();

    const again = await (await open()).open(vehicles);
    expect([again.removals, again.heldFrom]).toEqual([removals, 501]);
    expect((await again.readLatest()).map(plain)).toEqual(latest);
    expect(await again.read(500, 2000)).toHaveLength(1002);
  });
}
