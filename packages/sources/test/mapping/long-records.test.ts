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
    expect(problems.map(({ message }) => /more than (?:20000 statements|100000 values)/.test(message))).toEqual([
      true,
      true,
    ]);
    expect(unreadableEntities).toEqual([2, 3].map((id) => `${ENTITIES}${id}`));
  },
);

const hasPart = (path: string, ...inner: Mapping['properties']): Mapping['properties'] => [
  { predicate: 'dct:hasPart', path, node: { properties: inner } },
];
const title = (path: string) => ({ predicate: 'dct:title', path });
const many = (count: number, value: unknown = 1) => Array(count).fill(value);
const texts = { long: 'x'.repeat(2 ** 20) };

test.each<[what: string, properties: Mapping['properties'], fits: object, more: object]>([
  ['equal values', [title('a[*]')], { a: many(100_000) }, { a: many(100_001) }],
  ['equal values in lists', [title('a[*][*]')], { a: many(100, many(999)) }, { a: many(100, many(1000)) }],
  ['values of a mapping', [title('a.*')], { a: { ...many(10) } }, { a: { ...many(100_001) } }],
  ['nodes that are omitted', hasPart('a[*]', title('b')), { a: many(50_000, {}) }, { a: many(50_001, {}) }],
  ['values for each node', hasPart('a[*]', title('^.a[*]')), { a: many(314) }, { a: many(316) }],
  ['texts for each node', hasPart('a[*]', title('^.long')), { ...texts, a: many(24) }, { ...texts, a: many(25) }],
  [
    'parts of texts',
    [{ ...title('a[*]'), convert: { split: ',' } }],
    { a: many(4, '1,'.repeat(19_999)) },
    { a: many(6, '1,'.repeat(19_999)) },
  ],
  [
    'items of JSON in texts',
    [{ ...title('a[*]'), convert: 'json' }],
    { a: many(9, `[${many(9000)}]`) },
    { a: many(12, `[${many(9000)}]`) },
  ],
  [
    'values by one path of several',
    [title('a[*] | b'), { predicate: 'rdfs:label', path: 'c' }],
    { a: many(100_000), c: 1 },
    { a: many(100_001), b: 1, c: 1 },
  ],
])('MAP-83 a hundred thousand values at most are taken for a record: %s', (_, properties, fits, more) => {
  const { drafts, problems } = mapped({ properties }, [
    { id: 1, ...more },
    { id: 2, ...fits },
  ]);
  expect(drafts.map(({ entity }) => entity)).toEqual([`${ENTITIES}2`]);
  expect(problems.map(({ details }) => `${details.reason}`)).toEqual([
    'it takes more than 100000 values: map less of them',
  ]);
});

test('MAP-83 values outside of the records count over the document, also those of records that are ignored', () => {
  const mapping = { records: 'records[*]', properties: [title('$root.shared[*]'), title('own[*]')] };
  const records = Array.from({ length: 202 }, (_, id) => ({ id, own: many(id === 0 ? 99_999 : 1) }));
  const { drafts, problems } = mapped(mapping, { shared: many(50_000, null), records });
  expect(drafts).toHaveLength(199);
  expect(problems.map(({ details }) => [details.record, details.reason])).toEqual([
    [1, 'it takes more than 100000 values: map less of them'],
    ...[201, 202].map((id) => [id, 'it takes more than 10000000 values outside of the records: map less of them']),
  ]);
  expect(drafts[198]?.quads).toHaveLength(1);
});

test('MAP-83 what a lookup leads to is outside of the records, and its nodes have labels of their own', () => {
  const mapping: Partial<Mapping> = {
    lookups: { sites: { key: 'code', by: 'site' } },
    properties: [...hasPart('parts[*]', title('n')), ...hasPart('$sites.parts[*]', title('n'))],
  };
  const sites = [
    { code: 'a', parts: [{ n: 1 }] },
    { code: 'b', parts: many(100_001, { n: 1 }) },
  ];
  const document = ['a', 'b'].map((site, id) => ({ id, site, parts: [{ n: 2 }] }));
  const { drafts, problems } = mapped(mapping, document, { lookups: { sites } });
  expect(new Set(drafts.flatMap(({ quads }) => quads.map(({ subject }) => subject.value))).size).toBe(3);
  expect(problems.map(({ details }) => details.record)).toEqual([2]);
});

test('MAP-55 a text is split to twenty thousand parts at most', () => {
  const records = [20_000, 20_001].map((count, id) => ({ id, a: many(count).join() }));
  const { drafts } = mapped({ properties: [{ ...title('a'), convert: 'split' }] }, records);
  expect(drafts.map(({ entity }) => entity)).toEqual([`${ENTITIES}0`]);
});

test('MAP-6 of a long value a report has what it shows, and looks at no more', () => {
  let looked = 0;
  const item = {
    get v() {
      looked += 1;
      return looked;
    },
  };
  const { problems } = mapped(property({ path: 'a' }), [{ id: 1, a: { list: many(1000, item) } }]);
  expect(problems[0]?.details.sample).toMatch(/^\{"list":\[\{"v":\d+\},.{60,}…$/);
  expect(looked).toBeLessThan(200);
});

test('MAP-23 of a record ten thousand fields and items are looked at', async () => {
  const mapping = property({ path: 'parts[*].n' });
  const all = [...parts(4997), { more: 1 }, { n: 1 }, { late: 1 }];
  expect(await mapped(mapping, [{ id: 1, parts: all }]).unmapped()).toEqual(['parts[4997].more']);
});
