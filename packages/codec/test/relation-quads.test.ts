import { expect, test } from 'vitest';
import { relationQuads } from '../src/relation-quads.ts';
import { expectTurtle } from './expect-turtle.ts';

const node = 'http://localhost:3000/vehicles';

test('DOC-5 a sealed node is bounded by the times of its first and last member, an open one from below', async () => {
  const quads = relationQuads(node, [
    { url: `${node}/pages/0`, firstTime: '2026-01-01T00:00:00.000Z', lastTime: '2026-01-31T23:59:59.999Z' },
    { url: `${node}/pages/1`, firstTime: '2026-01-31T23:59:59.999Z' },
  ]);
  await expectTurtle(
    quads,
    `<> tree:relation
      [ a tree:GreaterThanOrEqualToRelation ; tree:node <vehicles/pages/0> ;
        tree:path prov:generatedAtTime ; tree:value "2026-01-01T00:00:00.000Z"^^xsd:dateTime ],
      [ a tree:LessThanRelation ; tree:node <vehicles/pages/0> ;
        tree:path prov:generatedAtTime ; tree:value "2026-02-01T00:00:00.000Z"^^xsd:dateTime ],
      [ a tree:GreaterThanOrEqualToRelation ; tree:node <vehicles/pages/1> ;
        tree:path prov:generatedAtTime ; tree:value "2026-01-31T23:59:59.999Z"^^xsd:dateTime ] .`,
    node,
  );
});

test('DOC-5 a node without members gets a relation without a bound', async () => {
  await expectTurtle(
    relationQuads(node, [{ url: `${node}/pages/0` }]),
    '<> tree:relation [ a tree:Relation ; tree:node <vehicles/pages/0> ] .',
    node,
  );
});

test('no nodes, no relations', () => {
  expect(relationQuads(node, [])).toEqual([]);
});
