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

test('half a character is in no IRI', async () => {
  expect([isIri('urn:\ud83d\ude8b'), isIri('urn:\ud83d'), isIri('urn:\ude8bx')]).toEqual([true, false, false]);
  const read = jsonLdNodes({ '@id': 'urn:\ud83d', 'urn:p': 1 }, noContexts);
  await expect(read).rejects.toMatchObject({ code: 'ERR_TERM_UNSUPPORTED' });
});
