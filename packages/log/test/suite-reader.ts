import { expect, test } from 'vitest';
import { entityIri, openReader, plain, remove, type StoreSubject, upsert } from './suite-place.ts';
import { fill, pagesOf } from './suite-removal.ts';

/** How whoever reads a log has to see it: dense, bounded and true at the time of the call. */
export function readerCases(subject: StoreSubject): void {
  test('DOC-22 head, latest state, members and subscribers learn of a commit together', async () => {
    const { log, reader } = await openReader(subject);
    const reads: Promise<unknown>[] = [];
    let resolved = false;
    reader.subscribe((commit) => {
      // Who writes it learns of it no sooner than others there.
      expect(reader !== log || !resolved).toBe(true);
      expect(reader.head).toEqual({ cursor: commit.cursor, timeMs: Date.parse(commit.time) });
      expect(reader.latest.get(entityIri('a'))).toMatchObject({ sequence: 1 });
      reads.push(reader.read(0, 10).then((members) => expect(members.map(plain)).toEqual(commit.members.map(plain))));
    });
    const append = log.append([upsert('a')]);
    expect(reader.head.cursor.sequence).toBe(0);
    expect(reader.latest.size).toBe(0);
    await append.then(() => {
      resolved = true;
    });
    await reader.caughtUp();
    expect(reads).toHaveLength(1);
    await Promise.all(reads);
    expect(reader.completeToMs()).toBeGreaterThanOrEqual(reader.head.timeMs);
    expect(reader.sequencePath).toBe(log.sequencePath);
  });

  test('each subscription is called with each commit in order, until it is ended', async () => {
    const { log, reader } = await openReader(subject);
    const seen: number[] = [];
    const note = ({ cursor }: { cursor: { sequence: number } }) => void seen.push(cursor.sequence);
    const ends = [reader.subscribe(note), reader.subscribe(note)];
    for (const key of [1, 2]) await log.append([upsert(key), remove('never')].slice(0, 1));
    await reader.caughtUp();
    for (const end of [ends[0]!, ends[0]!]) end();
    await log.append([upsert(3), upsert(4)]);
    await reader.caughtUp();
    expect(seen).toEqual([1, 1, 2, 2, 4]);
  });

  test('members are read back as they were committed, whatever slice is asked for', async () => {
    const { log, reader } = await openReader(subject);
    const commits = [await log.append([1, 2, 3].map((key) => upsert(key))), await log.append([remove(2), upsert(4)])];
    const members = commits.flatMap((commit) => commit.members).map(plain);
    await reader.caughtUp();
    for (let after = 0; after <= 6; after += 1) {
      for (let limit = 1; limit <= 6; limit += 1) {
        expect((await reader.read(after, limit)).map(plain)).toEqual(members.slice(after, after + limit));
      }
    }
    expect(await reader.read(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });

  test('a read tells what was stored when it was called', async () => {
    const { log, reader } = await openReader(subject);
    await log.append(Array.from({ length: 600 }, (_, key) => upsert(key)));
    await reader.caughtUp();
    const [members, latest] = [reader.read(0, 1000), reader.readLatest()];
    await log.append([remove(0), upsert(1, 'new')]);
    const sequences = Array.from({ length: 600 }, (_, index) => index + 1);
    expect((await members).map((member) => member.sequence)).toEqual(sequences);
    expect((await latest).map((member) => member.sequence)).toEqual(sequences);
    await reader.caughtUp();
    expect((await reader.readLatest()).map((member) => member.sequence)).toEqual([...sequences.slice(2), 602]);
  });

  test('a read asks for limitRead members at most, 10000 by default, and for whole numbers in their range', async () => {
    const { log, reader } = await openReader(subject, { limitRead: 2 });
    await log.append([upsert(1), upsert(2), upsert(3)]);
    await reader.caughtUp();
    expect(await reader.read(0, 2)).toHaveLength(2);
    const refused = { code: 'ERR_READ_RANGE', details: { name: 'limit', value: 3, from: 1, to: 2 } };
    await expect(reader.read(0, 3)).rejects.toMatchObject(refused);
    const { reader: other } = await openReader(subject);
    expect(await other.read(0, 10_000)).toEqual([]);
    const wrongAfter = [-1, 0.5, Number.NaN, 2 ** 53].map((after) => [after, 1]);
    const wrongLimit = [0, 1.5, Number.POSITIVE_INFINITY, 10_001].map((limit) => [0, limit]);
    for (const [after, limit] of [...wrongAfter, ...wrongLimit] as [number, number][]) {
      await expect(other.read(after, limit)).rejects.toMatchObject({ code: 'ERR_READ_RANGE' });
    }
  });

  test('RET-5 pages that are unlinked are whole, and erased ones are not read any more', async () => {
    const { log, reader } = await openReader(subject);
    const members = await fill(log);
    await reader.caughtUp();
    expect([reader.removals, reader.heldFrom]).toEqual([[], 1]);
    await log.unlink(pagesOf(0, 1));
    await reader.caughtUp();
    expect(reader.removals).toEqual([{ ...pagesOf(0, 1), state: 'unlinked' }]);
    expect((await reader.read(0, 1000)).map(plain)).toEqual(members.map(plain));
    expect(reader.heldFrom).toBe(1);

    await log.erase(pagesOf(1, 1));
    const removed = { code: 'ERR_MEMBERS_REMOVED', details: { stream: 'vehicles', heldFrom: 501 } };
    for (const after of [0, 250, 400, 499]) await expect(reader.read(after, 251)).rejects.toMatchObject(removed);
    // Who was told of it knows from where on there is more.
    expect(reader.heldFrom).toBe(501);
    expect(reader.removals).toEqual([
      { ...pagesOf(0, 0), state: 'unlinked' },
      { ...pagesOf(1, 1), state: 'tombstoned' },
    ]);
    expect((await reader.read(0, 250)).map(plain)).toEqual(members.slice(0, 250).map(plain));
    expect((await reader.read(500, 1000)).map(plain)).toEqual(members.slice(500).map(plain));
    // Of the erased page what is newest still stands.
    const newest = (await reader.readLatest()).map(({ sequence }) => sequence);
    expect(newest).toEqual(reader.latest.sequences());
    expect(newest.some((sequence) => sequence > 250 && sequence <= 500)).toBe(true);
    const wanted = [1000, newest[0]!, 501];
    expect((await reader.readMembers(wanted)).map(plain)).toEqual(wanted.map((each) => plain(members[each - 1]!)));
    await expect(reader.readMembers([501, 252])).rejects.toMatchObject({ code: 'ERR_MEMBERS_REMOVED' });
    await expect(reader.readMembers([1, 1001])).rejects.toMatchObject({ code: 'ERR_READ_RANGE' });
    expect(await reader.readMembers([])).toEqual([]);
  });

  test('a reader that is closed refuses everything, also what is under way', async () => {
    const { log, reader } = await openReader(subject);
    await log.append(Array.from({ length: 600 }, (_, key) => upsert(key)));
    await reader.caughtUp();
    const refused = { code: 'ERR_LOG_CLOSED', details: { stream: 'vehicles' } };
    const read = expect(reader.read(0, 600)).rejects.toMatchObject(refused);
    await Promise.all([read, reader.close(), reader.close()]);
    for (const late of [reader.read(0, 1), reader.readMembers([1]), reader.readLatest(), reader.caughtUp()]) {
      await expect(late).rejects.toMatchObject(refused);
    }
    expect(() => reader.subscribe(() => {})).toThrow(expect.objectContaining(refused));
    expect(reader.head.cursor.sequence).toBe(600);
  });
}
