import { tree } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { readStreamContext, tileQuads, writeQuads } from '../src/index.ts';
import { expectTurtle } from './expect-turtle.ts';
import { description } from './sample-stream.ts';

const url = `${description.url}/tiles`;
const area = 'POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))';

test('DOC-31 a tile leads to others by where they are, and to what is nowhere without a bound', async () => {
  await expectTurtle(
    tileQuads(description, {
      url: `${url}/1/1/0`,
      isRoot: false,
      links: [{ url: `${url}/2/2/1`, area }, { url: `${url}/2/3/1`, area }, { url: `${url}/elsewhere` }],
    }),
    `@prefix geo: <http://www.opengis.net/ont/geosparql#> .
    <0> a tree:Node ; tree:relation
      [ a tree:GeospatiallyContainsRelation ; tree:node <../../2/2/1> ; tree:path _:p ; tree:value "${area}"^^geo:wktLiteral ] ,
      [ a tree:GeospatiallyContainsRelation ; tree:node <../../2/3/1> ; tree:path _:p ; tree:value "${area}"^^geo:wktLiteral ] ,
      [ a tree:Relation ; tree:node <../../elsewhere> ] .
    _:p <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> geo:hasGeometry ;
      <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> ( geo:asWKT ) .`,
    `${url}/1/1/0`,
  );
});

test('DOC-31 the root of the place view is a view of the stream, other tiles are not', () => {
  const root = tileQuads(description, { url, isRoot: true, links: [] });
  expect(readStreamContext(root, url)).toMatchObject({ stream: description.iri });
  expect(writeQuads(root, 'nquads', {})).toContain('ldes#versionAmount> "1"');
  const tile = tileQuads(description, { url: `${url}/1/0/0`, isRoot: false, links: [] });
  expect(tile.map(({ predicate, object }) => [predicate.value.split('#')[1], object.value])).toEqual([
    ['type', tree.Node],
  ]);
});
