import { expect, test } from 'vitest';
import { isIri, jsonLdNodes } from '../src/index.ts';

const noContexts = async (url: string): Promise<object> => {
  throw new Error(url);
};

test('tells of what is at the top and says nothing that its context defines, in its order', async () => {
  const dropped: (string | undefined)[] = [];
  const said = { '@id': 'urn:a', 'urn:p': [1, { '@id': 'urn:c' }] };
  const document = [{ '@id': 'urn:b', p: 1 }, said, { p: 1 }, 'text', { '@value': 'x' }, { '@id': 'urn:d' }];
  const nodes = await jsonLdNodes(document, noContexts, (id) => dropped.push(id));
  expect(nodes.map(({ id, quads }) => [id, quads.length])).toEqual([['urn:a', 2]]);
  expect(dropped).toEqual(['urn:b', undefined, undefined, undefined, 'urn:d']);
  // Those who do not ask are not told.
  expect(await jsonLdNodes(document, noContexts)).toHaveLength(1);
});

test('half a character is in no IRI, nor a space in a language tag', async () => {
  expect([isIri('urn:\ud83d\ude8b'), isIri('urn:\ud83d'), isIri('urn:\ude8bx')]).toEqual([true, false, false]);
  const refused = { code: 'ERR_TERM_UNSUPPORTED' };
  await expect(jsonLdNodes({ '@id': 'urn:\ud83d', 'urn:p': 1 }, noContexts)).rejects.toMatchObject(refused);
  const text = { '@value': 'x', '@language': 'nl be' };
  await expect(jsonLdNodes({ 'urn:p': text }, noContexts)).rejects.toMatchObject({
    ...refused,
    details: { term: '"nl be"' },
  });
});

test('what looks like a keyword in place of an IRI says nothing', async () => {
  const inner = { '@id': 'urn:b', 'urn:p': 1 };
  const ignored = { '@id': '@ignored', '@type': 'urn:T', 'urn:p': [1, inner], '@graph': [{ 'urn:p': 1 }] };
  const [node] = await jsonLdNodes({ '@id': 'urn:a', 'urn:q': ignored, 'urn:r': 2 }, noContexts);
  expect(node?.quads.map(({ subject, predicate }) => [subject.value, predicate.value])).toEqual([
    ['urn:b', 'urn:p'],
    ['urn:a', 'urn:r'],
  ]);
});
