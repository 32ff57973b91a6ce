import { describeStream, type UpsertDraft } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import {
  NOON_MS,
  newOpener,
  openLog,
  openStore,
  plain,
  remove,
  type StoreSubject,
  upsert,
  vehicles,
} from './suite-place.ts';

/** How logs and stores have to open, close and open again. */
export function lifeCases(subject: StoreSubject): void {
  test('PUSH-2 an epoch is 1 to 32 characters of a-z0-9, another for another time or another random number', async () => {
    const epochs = new Set<string>();
    for (const nowMs of [NOON_MS, NOON_MS + 1]) {
      for (const drawn of [0, 0.5, 1 - 2 ** -53]) {
        const log = await openLog(subject, { clock: () => nowMs, random: () => drawn });
        expect(log.head.cursor.epoch).toMatch(/^[a-z0-9]{1,32}$/);
        epochs.add(log.head.cursor.epoch);
      }
    }
    expect(epochs.size).toBe(6);
  });

  test('close waits for the appends that were taken, then everything is refused', async () => {
    const log = await openLog(subject);
    const seen: number[] = [];
    log.subscribe((commit) => seen.push(commit.cursor.sequence));
    const appends = [log.append([upsert(1)]), log.append([upsert(2)])];
    const closed = [log.close(), log.close()];
    const refused = { code: 'ERR_LOG_CLOSED', details: { stream: 'vehicles' } };
    await expect(log.append([upsert(3)])).rejects.toMatchObject(refused);
    await Promise.all(closed);
    expect(seen).toEqual([1, 2]);
    expect(await Promise.all(appends)).toHaveLength(2);
    await expect(log.read(0, 1)).rejects.toMatchObject(refused);
    await expect(log.readLatest()).rejects.toMatchObject(refused);
    expect(() => log.subscribe(() => {})).toThrow(expect.objectContaining(refused));
    expect(log.head.cursor.sequence).toBe(2);
  });

  test('close waits for appends that replace members on erased pages, however many', async () => {
    const log = await openLog(subject);
    const drafts = (state: number) => Array.from({ length: 600 }, (_, key) => upsert(key, state));
    await log.append(drafts(0));
    await log.unlink({ first: 1, last: 500 });
    await log.erase({ first: 1, last: 500 });
    const append = log.append(drafts(1));
    const [commit] = await Promise.all([append, log.close()]);
    expect(commit.cursor.sequence).toBe(1200);
    expect(log.head.cursor).toEqual(commit.cursor);
  });

  test('a log is open once at a time', async () => {
    const store = await openStore(subject);
    const log = await store.open(vehicles);
    await expect(store.open(vehicles)).rejects.toMatchObject({ code: 'ERR_LOG_OPEN' });
    await log.close();
    const again = await store.open(vehicles);
    expect((await again.append([upsert('a')])).cursor.sequence).toBe(1);
  });

  test('a store closes its logs and opens none after that', async () => {
    const store = await openStore(subject);
    const log = await store.open(vehicles);
    const append = log.append([upsert('a')]);
    await Promise.all([store.close(), store.close()]);
    expect((await append).cursor.sequence).toBe(1);
    await expect(log.append([upsert('b')])).rejects.toMatchObject({ code: 'ERR_LOG_CLOSED' });
    await expect(store.open(vehicles)).rejects.toMatchObject({ code: 'ERR_STORE_CLOSED' });
  });
}

/** What holds of a log that is opened again, in a store that keeps its logs. */
export function reopenCases(subject: StoreSubject): void {
  test('DOC-23 a log that is opened again is the same log', async () => {
    const open = await newOpener(subject);
    const first = await open();
    const log = await first.open(vehicles);
    const empty = await first.open({ ...vehicles, name: 'empty' });
    await log.append([upsert('a'), upsert('b', 0, 'other'), upsert('c')]);
    await log.append([remove('a'), upsert('b', 1, 'other')]);
    const members = await log.read(0, 10);
    await first.close();

    const second = await open({ clock: () => NOON_MS - 1000, random: () => 0.75 });
    const again = await second.open(vehicles);
    expect(again.head).toEqual(log.head);
    expect((await second.open({ ...vehicles, name: 'empty' })).head).toEqual(empty.head);
    expect((await again.read(0, 10)).map(plain)).toEqual(members.map(plain));
    expect((await again.readLatest()).map((member) => member.sequence)).toEqual([3, 5]);
    const { cursor, time } = await again.append([upsert('d')]);
    expect([cursor, time]).toEqual([{ ...log.head.cursor, sequence: 6 }, new Date(NOON_MS + 2).toISOString()]);
  });

  test('a log does not go on under another publicUrl', async () => {
    const store = await openStore(subject);
    await (await store.open(vehicles)).close();
    const moved = describeStream({ publicUrl: 'https://live.example.org/', name: 'vehicles' });
    await expect(store.open(moved)).rejects.toMatchObject({ code: 'ERR_STREAM_MOVED' });
    expect((await store.open(vehicles)).head.cursor.sequence).toBe(0);
  });

  test('DOC-3 what a log holds is held when it is opened again, by that stream alone', async () => {
    const open = await newOpener(subject);
    const first = await open();
    await (await first.open(vehicles)).append([observation(1, 'a'), upsert('b')]);
    await first.close();
    const store = await open();
    const log = await store.open(vehicles);
    const other = await store.open({ ...vehicles, name: 'others' });
    expect(await log.latest.hasVersions([iriOf(1), iriOf(2)])).toEqual(new Set([iriOf(1)]));
    expect(await other.latest.hasVersions([iriOf(1)])).toEqual(new Set());
    await expect(log.append([observation(1, 'b')])).rejects.toMatchObject({ code: 'ERR_VERSION_HELD' });
  });
}

const iriOf = (number: number | string) => `http://example.org/observations/${number}`;

/** A version under an IRI of its own, of one of ten entities. */
function observation(number: number | string, entity: number | string = number): UpsertDraft {
  return { ...upsert(entity, number), id: iriOf(number) };
}

/** How versions with IRIs of their own have to be kept: once. */
export function versionCases(subject: StoreSubject): void {
  test('DOC-3 a version with an IRI of its own is named by it and held once', async () => {
    const log = await openLog(subject);
    const commit = await log.append([observation(1, 'a'), upsert('b')]);
    expect(commit.members.map(({ id }) => id)).toEqual([iriOf(1), `${upsert('b').entity}#${commit.time}`]);
    await log.append([observation(2, 'a')]);
    expect(await log.latest.hasVersions([iriOf(1), iriOf(2), iriOf(3)])).toEqual(new Set([iriOf(1), iriOf(2)]));
    expect(await log.latest.hasVersions([commit.members[1]!.id])).toEqual(new Set());

    const before = log.head;
    const again = log.append([upsert('c'), observation(1, 'd')]);
    await expect(again).rejects.toMatchObject({ code: 'ERR_VERSION_HELD', details: { version: iriOf(1) } });
    const twice = log.append([observation(4, 'e'), observation(4, 'f')]);
    await expect(twice).rejects.toMatchObject({ code: 'ERR_VERSION_REPEATED', details: { version: iriOf(4) } });
    expect(log.head).toEqual(before);
    expect(await log.latest.hasVersions([iriOf(4)])).toEqual(new Set());
  });

  test('DOC-3 the end of an entity may have an IRI of its own, which is held once, also where nothing lives', async () => {
    const log = await openLog(subject);
    const end = { ...remove('a'), id: iriOf(1) };
    const { members } = await log.append([end, upsert('b')]);
    expect(members.map(({ id, kind }) => [id === iriOf(1), kind])).toEqual([
      [true, 'delete'],
      [false, 'upsert'],
    ]);
    expect([log.latest.size, await log.latest.hasVersions([iriOf(1)])]).toEqual([1, new Set([iriOf(1)])]);
    await log.append([observation(2, 'a')]);
    for (const draft of [end, { ...remove('b'), id: iriOf(2) }, observation(1, 'a')]) {
      await expect(log.append([draft])).rejects.toMatchObject({ code: 'ERR_VERSION_HELD' });
    }
    const twice = log.append([{ ...remove('a'), id: iriOf(5) }, observation(5, 'b')]);
    await expect(twice).rejects.toMatchObject({ code: 'ERR_VERSION_REPEATED', details: { version: iriOf(5) } });
    for (const number of [3, 4]) await log.append([{ ...remove('b'), id: iriOf(number) }]);
    expect((await log.readLatest()).map(({ id }) => id)).toEqual([iriOf(2)]);
    expect((await log.read(0, 10)).map(({ kind }) => kind)).toEqual(['delete', 'upsert', 'upsert', 'delete', 'delete']);
  });

  test('DOC-3 the IRI of an erased member is new again, and that of a newest version is not erased', async () => {
    const log = await openLog(subject);
    await log.append(Array.from({ length: 250 }, (_, key) => observation(key, key)));
    // Of the first page only the last entity keeps its version.
    await log.append(Array.from({ length: 249 }, (_, key) => observation(`${key}b`, key)));
    await log.unlink({ first: 1, last: 250 });
    await log.erase({ first: 1, last: 250 });
    const asked = [iriOf(0), iriOf(248), iriOf(249), iriOf('0b')];
    expect(await log.latest.hasVersions(asked)).toEqual(new Set([iriOf(249), iriOf('0b')]));
    await log.append([observation('249b', 249)]);
    expect(await log.latest.hasVersions(asked)).toEqual(new Set([iriOf('0b')]));
    await log.append([observation(0, 0)]);
    expect(await log.latest.hasVersions([iriOf(0)])).toEqual(new Set([iriOf(0)]));
  });
}
