import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/options.ts';
import { member, ROOT, relation, runOf } from './scripted-pages.ts';

test.each([1, 4])('at most %i pages are asked for at once', async (pageRequests) => {
  const names = [...'abcdefghij'];
  const pages = {
    '/root': ROOT + names.map((name) => relation(name)).join(''),
    ...Object.fromEntries(names.map((name) => [`/${name}`, member(`${name}1`, '01:00')])),
  };
  const { ids, scripted } = await runOf(pages, {}, { limits: { ...DEFAULT_LIMITS, pageRequests } });
  expect([ids.length, scripted.mostUnderWay]).toEqual([10, pageRequests]);
});

test.each([
  [{ memberQuads: 1 }, 'ERR_TREE_MEMBER_TOO_LARGE'],
  [{ memberQuads: 2 }, undefined],
  [{ waitingMembers: 1 }, 'ERR_TREE_WAITING_TOO_MANY'],
  [{ waitingMembers: 2 }, undefined],
  [{ waitingQuads: 3 }, 'ERR_TREE_WAITING_TOO_LARGE'],
  [{ waitingQuads: 4 }, undefined],
])('READ-32 members and those that wait are limited: by %o, %s', async (limit, code) => {
  const root = ROOT + member('a1', '01:00') + member('b1', '02:00');
  const ran = runOf(root, { order: 'ascending' }, { limits: { ...DEFAULT_LIMITS, ...limit } });
  if (code !== undefined) await expect(ran).rejects.toMatchObject({ code });
  else expect((await ran).ids).toEqual(['a1', 'b1']);
});

test.each([
  [{ waitingQuads: 6 }, 'x'.repeat(511), undefined],
  [{ waitingQuads: 6 }, 'x'.repeat(512), 'ERR_TREE_WAITING_TOO_LARGE'],
  [{ waitingQuads: 5 }, '', 'ERR_TREE_WAITING_TOO_LARGE'],
])('READ-32 of the newest versions too, by %o, one counts again for each 512 characters', async (limit, text, code) => {
  // The first is replaced.
  const root =
    ROOT + member('a1', '01:00') + member('a2', '02:00', `; ex:name "${text}"`) + member('b1', '02:00', '; ex:n 1');
  const ran = runOf(root, { from: 'latest' }, { limits: { ...DEFAULT_LIMITS, ...limit } });
  if (code !== undefined) await expect(ran).rejects.toMatchObject({ code });
  else expect((await ran).ids).toEqual(['a2', 'b1']);
});

const TWO = 2 * 512;

test.each([
  [2, '', 'ERR_TREE_PAGES_TOO_MANY'],
  [3, '', undefined],
  [4, 'x'.repeat(TWO), 'ERR_TREE_PAGES_TOO_MANY'],
  [5, 'x'.repeat(TWO), undefined],
])(
  'READ-40 of a tree no more than %i pages are known at a time, a long URL as several',
  async (knownPages, long, code) => {
    const pages = { '/root': ROOT + relation('p') + relation(`q${long}`), '/p': '', [`/q${long}`]: '' };
    const ran = runOf(pages, {}, { limits: { ...DEFAULT_LIMITS, knownPages } });
    if (code !== undefined) await expect(ran).rejects.toMatchObject({ code, details: { limitPages: knownPages } });
    else expect((await ran).scripted.requests).toHaveLength(3);
  },
);

test.each([
  [{ documentBytes: 4_000 }, 'ERR_RESPONSE_TOO_LARGE'],
  [{ documentQuads: 80 }, 'ERR_RDF_TOO_MANY'],
])(
  'READ-41 pages that are read at once share %o; one that is too large for that is read alone',
  async (limit, code) => {
    const names = [...'abcdef'];
    const page = (name: string, count: number) =>
      Array.from({ length: count }, (_, index) => member(`${name}${index}`, '01:00')).join('');
    const pages = (count: number) => ({
      '/root': ROOT + names.map((name) => relation(name)).join(''),
      ...Object.fromEntries(names.map((name) => [`/${name}`, page(name, count)])),
    });
    const limits = { ...DEFAULT_LIMITS, ...limit };
    const { ids, scripted } = await runOf(pages(20), {}, { limits });
    expect(new Set(ids).size).toBe(6 * 20);
    // Four in vain, and then each alone.
    expect(scripted.requests).toHaveLength(1 + 4 + 6);
    await expect(runOf(pages(60), {}, { limits })).rejects.toMatchObject({ code });
  },
);
