import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describeStream, extentOfPage, type Member } from '@ldes-live/rdf-stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, onTestFinished, test } from 'vitest';
import { openLmdbStore } from '../src/lmdb-store.ts';

// Written by the code of commit ea7081a: three pages and six members, among them deletes, versions with IRIs of their own,
// one with version time, nested nodes and a graph. Page 0 is erased but for an entity that lives, page 1 is unlinked.
const DATA = join(import.meta.dirname, 'stores', 'version-2.data.mdb.gz');
/** What it had as the document of page 2: a header with a checksum, then "page 2". */
const DOCUMENT = 'TERTSEVMRjEGAAAAAVRSeHBhZ2UgMg==';
const BASE = 'http://localhost:3000/';

const textOf = ({ id, entity, kind, sequence, time, versionTime, nquads }: Member) =>
  JSON.stringify([id, entity, kind, sequence, time, versionTime ?? null, nquads]);

test('DOC-77 a store that an earlier commit wrote is opened, read whole and goes on', async () => {
  const path = await temporaryFolder({ 'data.mdb': gunzipSync(await readFile(DATA)) });
  const documents = join(path, 'documents', 'vehicles', 'mwro18g0i0000000', '0');
  await mkdir(documents, { recursive: true });
  await writeFile(join(documents, '501-750.page-w1'), Buffer.from(DOCUMENT, 'base64'));
  const open = async () => {
    const store = await openLmdbStore({ path, clock: () => Date.UTC(2026, 10, 22, 10), random: () => 0.1 });
    onTestFinished(() => store.close());
    return { store, log: await store.open(describeStream({ publicUrl: BASE, name: 'vehicles' })) };
  };
  const { store, log } = await open();
  expect(log.head).toEqual({ cursor: { epoch: 'mwro18g0i0000000', sequence: 756 }, timeMs: 1_795_341_604_001 });
  expect([log.heldFrom, log.removals]).toEqual([
    251,
    [
      { ...extentOfPage(0), state: 'tombstoned' },
      { ...extentOfPage(1), state: 'unlinked' },
    ],
  ]);
  const [members, latest] = [await log.read(250, 1000), await log.readLatest()];
  expect([members.length, latest.length]).toEqual([506, 252]);
  const digest = createHash('sha256').update([...members, ...latest].map(textOf).join('\n'));
  expect(digest.digest('hex')).toBe('8efc9a21c4cd4d411cb8d4e93f9e320d4cc61c19bff9beb40b392eb7755b22a1');
  expect(members.reduce((sum, { quads }) => sum + quads.length, 0)).toBe(2027);
  const iri = (key: string | number) => `${BASE}vehicles/entities/${key}`;
  const entry = (key: string | number, origin: string, sequence: number, fingerprint: string) => ({
    entity: iri(key),
    origin,
    sequence,
    fingerprint,
  });
  expect(log.latest.get(iri(0))).toEqual(entry(0, 'feed', 1, '0/0'));
  expect([...log.latest.ofOrigin('other')]).toEqual([
    { ...entry('rich', 'other', 751, 'rich'), versionTime: '2026-11-22T09:59:58Z' },
  ]);
  expect([1, 3].map((key) => log.latest.get(iri(key)))).toEqual([undefined, undefined]);
  const versions = [1, 2, 3, 4].map((number) => `http://example.org/observations/${number}`);
  expect(await log.latest.hasVersions(versions)).toEqual(new Set(versions.slice(0, 3)));
  // Of another format: it is made again.
  expect(await log.diskCache!.get(extentOfPage(2), 'page-w1')).toBeUndefined();
  await log.diskCache!.put(extentOfPage(2), 'page-w1', Buffer.from('page 2'));
  expect(String(await log.diskCache!.get(extentOfPage(2), 'page-w1'))).toBe('page 2');

  expect(log.sequencePath).toBe(`${BASE}ns/live#sequence`);
  await log.erase(extentOfPage(1));
  const commit = await log.append([{ kind: 'delete', entity: iri(0), origin: 'feed' }]);
  await store.close();
  const { log: again } = await open();
  expect([again.head.cursor, again.sequencePath]).toEqual([commit.cursor, log.sequencePath]);
  expect(commit.members[0]?.nquads).toContain(`<${log.sequencePath}> "757"`);
  expect((await again.read(500, 1000)).map(textOf)).toEqual([...members.slice(250), ...commit.members].map(textOf));
  expect((await again.readLatest()).map(textOf)).toEqual(latest.slice(1).map(textOf));
});
