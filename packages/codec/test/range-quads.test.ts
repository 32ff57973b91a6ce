import { expect, test } from 'vitest';
import { rangeQuads, writeQuads } from '../src/index.ts';
import { expectTurtle } from './expect-turtle.ts';
import { description } from './sample-stream.ts';

const url = `${description.url}/pages/range-0`;

test('a range relates to its pages', async () => {
  await expectTurtle(
    rangeQuads({ url, sealed: false, pages: [{ url: `${description.url}/pages/0` }] }),
    '<> a tree:Node ; tree:relation [ a tree:Relation ; tree:node <0> ] .',
    url,
  );
});

test('DOC-5 only a sealed range says that it is immutable', () => {
  expect(writeQuads(rangeQuads({ url, sealed: true, pages: [] }), 'nquads', {})).toContain('ldes#immutable> "true"');
  expect(writeQuads(rangeQuads({ url, sealed: false, pages: [] }), 'nquads', {})).not.toContain('immutable');
});
