import { expect, test } from 'vitest';
import { parseQuads } from '../src/index.ts';

const TERMS = { a: 'x:a', b: 'x:b', c: 'x:c' };
const DOCUMENTS: Readonly<Record<string, object>> = {
  'http://c.example/terms': { '@context': TERMS },
  'http://xn--tst-qla.example/terms': { '@context': TERMS },
  'http://c.example/circle': { '@context': ['circle', TERMS] },
  // Each refers to the next one eight times: 16,777,216 contexts, in no more than 9 documents.
  ...Object.fromEntries(
    Array.from({ length: 8 }, (_, index) => [
      `http://c.example/repeated/${index}`,
      { '@context': Array.from({ length: 8 }, () => `${index + 1}`) },
    ]),
  ),
  'http://c.example/repeated/8': { '@context': TERMS },
};
const scoped = { a: 'x:a', b: { '@id': 'x:b', '@context': { c: 'x:c' } } };
const members = (count: number, context: unknown) =>
  Array.from({ length: count }, (_, index) => ({ '@context': context, '@id': `x:${index}`, a: 1 }));

function read(document: object, limitContextWork?: number) {
  const loaded: string[] = [];
  const loadContext = async (url: string) => {
    loaded.push(url);
    const found = DOCUMENTS[url];
    if (!found) throw new Error(`no context at ${url}`);
    return found;
  };
  const options = { loadContext, ...(limitContextWork !== undefined && { limitContextWork }) };
  return { loaded, quads: parseQuads(JSON.stringify(document), 'jsonld', 'http://c.example/page', options) };
}

const tooLarge = { code: 'ERR_JSONLD_CONTEXT_TOO_LARGE', details: { url: 'http://c.example/page' } };

test.each<[string, object, number]>([
  // The terms of a context within a term are copied with the others, each time that it is applied.
  ['of a term: where it is defined, and at its value', { '@context': scoped, b: { c: 1 } }, 3 * 2 + 4],
  ['of a term, whose values share it', { '@context': scoped, b: [{ c: 1 }, { c: 2 }] }, 3 * 2 + 4],
  ['of a type', { '@context': scoped, '@type': 'b', c: 1 }, 3 * 2 + 4],
  ['of members: each has its own', members(5, { a: 'x:a' }), 5],
  ['of members within others', { '@context': TERMS, a: members(5, { d: 'x:d' }) }, 3 + 5 * 4],
  ['that is referred to by all members, and applied once', members(5, 'terms'), 3],
  ['at a host beyond ASCII', { '@context': 'http://täst.example/terms', a: 1 }, 3],
  ['in a list: each is applied to what those before it give', { '@context': [TERMS, { d: 'x:d' }], d: 1 }, 3 + 4],
])('no more is read than the limit of context work: a context %s', async (_what, document, work) => {
  expect((await read(document, work).quads).length).toBeGreaterThan(0);
  await expect(read(document, work - 1).quads).rejects.toMatchObject(tooLarge);
});

const nested = Array.from({ length: 9 }).reduce<object>(
  (inner, _, index) => ({ [`t${index}`]: { '@id': `x:${index}`, '@context': [inner, inner] } }),
  { z: 'x:z' },
);

test.each<[string, object]>([
  ['within contexts, in 30 kB', { '@context': nested, t8: 1 }],
  ['of documents that refer to each other very often', { '@context': 'repeated/0', 'x:p': 1 }],
  [
    'of a thousand members, under a thousand terms',
    {
      '@context': Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`t${index}`, `x:${index}`])),
      '@graph': Array.from({ length: 1000 }, (_, index) => members(1, { a: `x:${index}` })[0]),
    },
  ],
])('contexts %s are refused before they are applied', async (_what, document) => {
  const startMs = performance.now();
  await expect(read(document).quads).rejects.toMatchObject(tooLarge);
  expect(performance.now() - startMs).toBeLessThan(5_000);
});

test('a context is loaded once; one that cannot be loaded is missed by its error, and so is a circle', async () => {
  const { loaded, quads } = read(members(3, 'terms'));
  expect(await quads).toHaveLength(3);
  expect(loaded).toEqual(['http://c.example/terms']);
  await expect(read({ '@context': 'nowhere', a: 1 }).quads).rejects.toThrow('no context at http://c.example/nowhere');
  await expect(read({ '@context': 'circle', a: 1 }).quads).rejects.toMatchObject({ code: 'ERR_RDF_MALFORMED' });
});

test('what only looks like a reference is not missed: a JSON literal', async () => {
  const literal = { '@type': '@json', '@value': { '@context': 'nowhere' } };
  expect(await read({ '@context': scoped, 'x:p': literal }).quads).toHaveLength(1);
});

test('a document that is deeper than the stack is malformed', async () => {
  const deep = `{"@context":${JSON.stringify(scoped)},"x:p":${'['.repeat(1e5)}${']'.repeat(1e5)}}`;
  await expect(parseQuads(deep, 'jsonld', 'x:page')).rejects.toMatchObject({ code: 'ERR_RDF_MALFORMED' });
});
