import type { UpsertDraft } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { remove, upsert } from './suite-drafts.ts';
import { openLog, type StoreSubject, vehicles } from './suite-place.ts';

const iriOf = (number: number | string) => `http://example.org/observations/${number}`;

/** A version under an IRI of its own, of one of ten entities. */
function observation(number: number | string, entity: number | string = number): UpsertDraft {
  return { ...upsert(entity, number), id: iriOf(number) };
}

/** How versions with IRIs of their own have to be kept: once. */
export function versionCases(subject: StoreSubject): void {
  test('DOC-75 a version with an IRI of its own is named by it and held once', async () => {
    const log = await openLog(subject);
    const commit = await log.append([observation(1, 'a'), upsert('b')]);
    expect(commit.members.map(({ id }) => id)).toEqual([iriOf(1), `${upsert('b').entity}#${commit.time}`]);
    await log.append([observation(2, 'a')]);
    expect(await log.latest.held([iriOf(1), iriOf(2), iriOf(3)])).toEqual(new Set([iriOf(1), iriOf(2)]));
    expect(await log.latest.held([commit.members[1]!.id])).toEqual(new Set());

    const before = log.head;
    const again = log.append([upsert('c'), observation(1, 'd')]);
    await expect(again).rejects.toMatchObject({ code: 'ERR_VERSION_HELD', details: { version: iriOf(1) } });
    const twice = log.append([observation(4, 'e'), observation(4, 'f')]);
    await expect(twice).rejects.toMatchObject({ code: 'ERR_VERSION_REPEATED', details: { version: iriOf(4) } });
    expect(log.head).toEqual(before);
    expect(await log.latest.held([iriOf(4)])).toEqual(new Set());
  });

  test('DOC-75 the end of an entity may have an IRI of its own, which is held as others are', async () => {
    const log = await openLog(subject);
    await log.append([observation(1, 'a'), upsert('b')]);
    const ended = await log.append([{ ...remove('a'), id: iriOf(2) }]);
    expect(ended.members.map(({ id, kind }) => [id, kind])).toEqual([[iriOf(2), 'delete']]);
    expect(await log.latest.held([iriOf(1), iriOf(2)])).toEqual(new Set([iriOf(1), iriOf(2)]));
    await log.append([observation(3, 'a')]);
    for (const draft of [{ ...remove('a'), id: iriOf(2) }, { ...remove('b'), id: iriOf(1) }, observation(2, 'a')]) {
      await expect(log.append([draft])).rejects.toMatchObject({ code: 'ERR_VERSION_HELD' });
    }
    const twice = log.append([{ ...remove('a'), id: iriOf(4) }, observation(4, 'b')]);
    await expect(twice).rejects.toMatchObject({ code: 'ERR_VERSION_REPEATED', details: { version: iriOf(4) } });
    expect(log.head.cursor.sequence).toBe(4);
  });

  test('DOC-75 an end with an IRI of its own is held also where nothing lives, once, and ends nothing later', async () => {
    const log = await openLog(subject);
    const end = { ...remove('a'), id: iriOf(1) };
    const { members } = await log.append([end, upsert('b')]);
    expect(members.map(({ id, kind }) => [id, kind])).toMatchObject([
      [iriOf(1), 'delete'],
      [{}, 'upsert'],
    ]);
    expect(log.latest.size).toBe(1);
    await log.append([observation(2, 'a')]);
    await expect(log.append([end])).rejects.toMatchObject({ code: 'ERR_VERSION_HELD' });
    expect(await log.latest.held([iriOf(1)])).toEqual(new Set([iriOf(1)]));
    await log.append([{ ...remove('b'), id: iriOf(3) }]);
    await log.append([{ ...remove('b'), id: iriOf(4) }]);
    expect((await log.latestMembers()).map(({ id }) => id)).toEqual([iriOf(2)]);
    expect((await log.members(0, 10)).map(({ kind }) => kind)).toEqual([
      'delete',
      'upsert',
      'upsert',
      'delete',
      'delete',
    ]);
  });

  test('DOC-75 the IRI of an erased member is new again, and that of a newest version is not erased', async () => {
    const log = await openLog(subject);
    await log.append(Array.from({ length: 250 }, (_, key) => observation(key, key)));
    // Of the first page only the last entity keeps its version.
    await log.append(Array.from({ length: 249 }, (_, key) => observation(`${key}b`, key)));
    await log.unlink({ first: 1, last: 250 });
    await log.erase({ first: 1, last: 250 });
    const asked = [iriOf(0), iriOf(248), iriOf(249), iriOf('0b')];
    expect(await log.latest.held(asked)).toEqual(new Set([iriOf(249), iriOf('0b')]));
    await log.append([observation('249b', 249)]);
    expect(await log.latest.held(asked)).toEqual(new Set([iriOf('0b')]));
    await log.append([observation(0, 0)]);
    expect(await log.latest.held([iriOf(0)])).toEqual(new Set([iriOf(0)]));
  });
}

/** How such versions have to be found again. */
export function versionReopenCases(subject: StoreSubject): void {
  test('DOC-75 what a log holds is held when it is opened again, by that stream alone', async () => {
    const place = await subject.newPlace();
    try {
      let store = await place.open({ clock: () => 0, random: () => 0.5 });
      await (await store.open(vehicles)).append([observation(1, 'a'), upsert('b')]);
      await store.close();
      store = await place.open({ clock: () => 0, random: () => 0.5 });
      const log = await store.open(vehicles);
      const other = await store.open({ ...vehicles, name: 'others' });
      expect(await log.latest.held([iriOf(1), iriOf(2)])).toEqual(new Set([iriOf(1)]));
      expect(await other.latest.held([iriOf(1)])).toEqual(new Set());
      await expect(log.append([observation(1, 'b')])).rejects.toMatchObject({ code: 'ERR_VERSION_HELD' });
      await store.close();
    } finally {
      await place.remove();
    }
  });
}
