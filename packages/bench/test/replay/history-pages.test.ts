import { parseQuads } from '@ldes-live/codec';
import { prov, rdf, tree } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { type HistoryShape, historyDocuments, historyNumber } from '../../src/replay/history-pages.ts';

const BASE = 'http://bench.invalid/history/';

async function pagesOf(shape: Partial<HistoryShape>) {
  const whole: HistoryShape = {
    baseUrl: BASE,
    members: 7,
    pageMembers: 3,
    entities: 2,
    format: 'ttl',
    isOrdered: false,
    ...shape,
  };
  const format = ({ nq: 'nquads', ttl: 'turtle' } as const)[whole.format];
  const documents = [...historyDocuments(whole)];
  return Promise.all(
    documents.map(async ([name, text]) => ({ name, quads: await parseQuads(text, format, `${BASE}${name}`) })),
  );
}

test.each(['nq', 'ttl'] as const)(
  'a history in %s has a root that leads to pages, and eight quads a member',
  async (format) => {
    const [root, ...pages] = await pagesOf({ format });
    const led = root?.quads.filter(({ predicate }) => predicate.value === tree.node).map(({ object }) => object.value);
    expect(led).toEqual(pages.map(({ name }) => `${BASE}${name}`));
    const members = pages.flatMap(({ quads }) => quads.filter(({ predicate }) => predicate.value === tree.member));
    expect(members.map(({ object }) => historyNumber(object.value))).toEqual([0, 1, 2, 3, 4, 5, 6]);
    for (const { object } of members) {
      expect(pages.flatMap(({ quads }) => quads.filter(({ subject }) => subject.value === object.value))).toHaveLength(
        8,
      );
    }
  },
);

test('both formats say the same', async () => {
  const said = async (format: 'nq' | 'ttl') =>
    (await pagesOf({ format, isOrdered: true })).flatMap(({ quads }) =>
      quads
        .filter(({ subject, object }) => `${subject.termType}${object.termType}`.includes('Blank') === false)
        .map(({ subject, predicate, object }) =>
          [subject, predicate, object].map(({ value }) => value.replaceAll('.nq', '.ttl')).join(' '),
        ),
    );
  expect((await said('nq')).sort()).toEqual((await said('ttl')).sort());
});

test('an ordered history bounds the times of each page, whose members lie between', async () => {
  const [root, ...pages] = await pagesOf({ isOrdered: true });
  const quads = root?.quads ?? [];
  const relations = quads
    .filter(({ predicate }) => predicate.value === tree.relation)
    .map(({ object }) => object.value);
  const of = (relation: string, property: string) =>
    quads.find(({ subject, predicate }) => subject.value === relation && predicate.value === property)?.object.value;
  expect(relations).toHaveLength(2 * pages.length);
  for (const relation of relations) {
    const page = pages.find(({ name }) => `${BASE}${name}` === of(relation, tree.node));
    const times = page?.quads.filter(({ predicate }) => predicate.value === prov.generatedAtTime) ?? [];
    const bound = of(relation, tree.value) ?? '';
    expect(times.length).toBeGreaterThan(0);
    for (const { object } of times) {
      if (of(relation, rdf.type) === tree.GreaterThanOrEqualToRelation) expect(object.value >= bound).toBe(true);
      else expect(object.value < bound).toBe(true);
    }
  }
});
