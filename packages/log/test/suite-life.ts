import { describeStream } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { plain, remove, upsert } from './suite-drafts.ts';
import { NOON_MS, openLog, openStore, type StoreSubject, vehicles } from './suite-place.ts';

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
    await expect(log.members(0, 1)).rejects.toMatchObject(refused);
    await expect(log.latestMembers()).rejects.toMatchObject(refused);
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

  test('a read that is under way when the log closes ends with an error, not with a part', async () => {
    const log = await openLog(subject);
    await log.append(Array.from({ length: 600 }, (_, key) => upsert(key)));
    const read = log.members(0, 600);
    await Promise.all([expect(read).rejects.toMatchObject({ code: 'ERR_LOG_CLOSED' }), log.close()]);
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
    const place = await subject.newPlace();
    const options = { clock: () => NOON_MS, random: () => 0.25 };
    const first = await place.open(options);
    const log = await first.open(vehicles);
    const empty = await first.open({ ...vehicles, name: 'empty' });
    await log.append([upsert('a'), upsert('b', 0, 'other'), upsert('c')]);
    await log.append([remove('a'), upsert('b', 1, 'other')]);
    const members = await log.members(0, 10);
    await first.close();

    const second = await place.open({ clock: () => NOON_MS - 1000, random: () => 0.75 });
    const again = await second.open(vehicles);
    expect(again.head).toEqual(log.head);
    expect((await second.open({ ...vehicles, name: 'empty' })).head).toEqual(empty.head);
    expect((await again.members(0, 10)).map(plain)).toEqual(members.map(plain));
    expect((await again.latestMembers()).map((member) => member.sequence)).toEqual([3, 5]);
    for (const origin of ['feed', 'other']) {
      expect([...again.latest.entriesOf(origin)]).toEqual([...log.latest.entriesOf(origin)]);
    }
    const commit = await again.append([upsert('d')]);
    expect(commit).toMatchObject({
      cursor: { epoch: log.head.cursor.epoch, sequence: 6 },
      time: new Date(NOON_MS + 2).toISOString(),
    });
    await second.close();
    await place.remove();
  });

  test('DOC-25 a log does not go on under another publicUrl', async () => {
    const store = await openStore(subject);
    await (await store.open(vehicles)).close();
    const moved = describeStream({ publicUrl: 'https://live.example.org/', name: 'vehicles' });
    await expect(store.open(moved)).rejects.toMatchObject({ code: 'ERR_STREAM_MOVED' });
    expect((await store.open(vehicles)).head.cursor.sequence).toBe(0);
  });
}
