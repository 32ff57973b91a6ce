import { expect, test } from 'vitest';
import type { Mapping } from '../../src/mapping/schema.ts';
import { mapped, property } from './mapped.ts';

const ENTITIES = 'https://live.example.org/things/entities/';

test('of a document a hundred thousand quads are held; others are made again, are the same, and count for nothing', () => {
  const mapping: Partial<Mapping> = {
    lookups: { sites: { key: 'code', by: 'site' } },
    properties: [
      { predicate: 'dct:title', path: 'titles[*]' },
      { predicate: 'rdfs:label', path: '$sites.name' },
    ],
  };
  const titles = Array.from({ length: 10_000 }, (_, index) => `title ${index}`);
  const document = Array.from({ length: 11 }, (_, id) => ({ id, titles, site: 'none' }));
  const { entities, findings } = mapped(mapping, document, { lookups: { sites: [] } });
  const [first, again] = [1, 2].map(() => entities.map((entity) => entity.quads()));
  expect(first?.map((quads, index) => quads === again?.[index])).toEqual([...Array(10).fill(true), false]);
  expect(entities[10]?.quads()).toHaveLength(10_000);
  expect(findings).toEqual({ 'lookup-without-record:sites': 11 });
});

const parts = (count: number) => Array.from({ length: count }, (_, index) => ({ n: index }));

test.each<[what: string, properties: Mapping['properties'], fits: number, statements: number]>([
  ['values', [{ predicate: 'dct:title', path: 'parts[*].n' }], 20_000, 20_000],
  [
    'nodes',
    [{ predicate: 'dct:hasPart', path: 'parts[*]', node: { properties: [{ predicate: 'dct:title', path: 'n' }] } }],
    10_000,
    20_000,
  ],
  [
    'nodes of all with all',
    [
      {
        predicate: 'dct:hasPart',
        path: 'parts[*]',
        node: { properties: [{ predicate: 'dct:title', path: '^.parts[*].n' }] },
      },
    ],
    140,
    140 * 141,
  ],
])(
  'MAP-82 a record becomes 20,000 statements at most, by its %s; one with more is left out',
  (_, properties, fits, statements) => {
    const document = [
      { id: 1, parts: parts(fits) },
      { id: 2, parts: parts(fits + 1) },
      { id: 3, parts: parts(200_000) },
    ];
    const { drafts, problems, unreadableEntities } = mapped({ properties }, document);
    expect(drafts.map(({ entity, quads }) => [entity, quads.length])).toEqual([[`${ENTITIES}1`, statements]]);
    expect(problems.map(({ message }) => /more than 20000 statements/.test(message))).toEqual([true, true]);
    expect(unreadableEntities).toEqual([2, 3].map((id) => `${ENTITIES}${id}`));
  },
);

test('MAP-23 of a record ten thousand fields and items are looked at', async () => {
  const mapping = property({ path: 'parts[*].n' });
  const all = [...parts(4997), { more: 1 }, { n: 1 }, { late: 1 }];
  expect(await mapped(mapping, [{ id: 1, parts: all }]).unmapped()).toEqual(['parts[4997].more']);
});
