import { PAGE_MEMBERS } from '@ldes-live/rdf-stream';
import { expect, test, vi } from 'vitest';
import { KeptDocument } from '../src/documents/kept-document.ts';
import { KeptDocuments } from '../src/documents/kept-documents.ts';
import { EPOCH, fill, testServer, upsert } from './test-server.ts';

const single = (name: string, version = '1') => new KeptDocument(name, { version });
const member = (name: string, version = '1', family = 'stream') => new KeptDocument(name, { version, family });

test('DOC-65 a family is dropped together when one of it is kept in another version, and other families stay', () => {
  const documents = new KeptDocuments(1000);
  const [a, b] = [member('a'), member('b')];
  for (const kept of [a, b, member('c', '1', 'another'), single('page')]) documents.add(kept, 10);
  expect(documents.get('a')).toBe(a);
  const newer = member('d', '2');
  documents.add(newer, 10);
  expect(['a', 'b', 'c', 'd', 'page'].filter((url) => documents.get(url))).toEqual(['c', 'd', 'page']);
  // What ends up being made of a document that was dropped is not counted.
  documents.grow(b, 1e6);
  expect(documents.get('page')).toBeDefined();
});

test('DOC-65 families have a quarter of the room, in the order of use, and not a byte more', () => {
  const documents = new KeptDocuments(400);
  for (const name of ['latest', 'open']) documents.add(single(name), 150);
  const names = Array.from({ length: 11 }, (_, index) => `tail ${index}`);
  const kept = () => names.filter((name) => documents.get(name));
  for (const name of names.slice(0, 10)) documents.add(member(name), 10);
  expect(kept()).toHaveLength(10);
  documents.use(documents.get('tail 0') as KeptDocument);
  documents.add(member('tail 10'), 10);
  expect(kept()).toEqual(names.filter((name) => name !== 'tail 1'));
  for (const name of ['latest', 'open']) expect(documents.get(name)).toBeDefined();
});

test('DOC-65 what families do not use is there for the others, and the other way round only their part', () => {
  const documents = new KeptDocuments(400);
  for (let index = 0; index < 40; index += 1) documents.add(single(`page ${index}`), 10);
  const pages = () => Array.from({ length: 40 }, (_, index) => index).filter((index) => documents.get(`page ${index}`));
  expect(pages()).toHaveLength(40);
  for (let index = 0; index < 40; index += 1) documents.add(member(`tail ${index}`), 10);
  expect(pages()).toEqual(Array.from({ length: 30 }, (_, index) => index + 10));
});

test('DOC-65 one that is larger than all of a family may be is kept while it is the last, and costs the others no more', () => {
  const documents = new KeptDocuments(400);
  documents.add(single('latest'), 300);
  documents.add(member('large'), 5000);
  expect([documents.get('latest'), documents.get('large')]).not.toContain(undefined);
  documents.use(documents.get('latest') as KeptDocument);
  documents.grow(documents.get('latest') as KeptDocument, 1);
  expect(documents.get('large')).toBeUndefined();
});

test('DOC-65 however many tails are asked for, the latest state and the open page stay ready', async () => {
  const server = await testServer({ limitKeptBytes: 200_000 });
  await fill(server, 300, 50);
  const latestRead = vi.spyOn(server.log, 'latestMembers');
  const membersRead = vi.spyOn(server.log, 'members');
  const get = (name: string) => server.get(`/vehicles/${name}`, { accept: 'application/n-triples' });
  const made = async () => {
    await get('latest');
    await get(`pages/${EPOCH}/1`);
    return [latestRead.mock.calls.length, membersRead.mock.calls.filter(([, limit]) => limit === PAGE_MEMBERS).length];
  };
  expect(await made()).toEqual([1, 1]);
  const tails = async () => {
    for (let after = 0; after < 250; after += 1) await get(`pages/${EPOCH}/after-${after}`);
  };
  await tails();
  expect(await made()).toEqual([1, 1]);
  await server.log.append([upsert(1, -1)]);
  expect(await made()).toEqual([2, 2]);
  await tails();
  expect(await made()).toEqual([2, 2]);
});
