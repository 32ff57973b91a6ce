import { commitDrafts, isStreamError, writeNewQuads } from '@ldes-live/rdf-stream';
import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { faultOfIri, PLAIN_IRI } from '../../src/mapping/iris.ts';
import { PathMistake, parsePath, stepsText } from '../../src/mapping/paths.ts';
import type { MappedProperty } from '../../src/mapping/schema.ts';
import { mapped, property } from './mapped.ts';

const name = fc.constantFrom('a', 'b', 'odd key', '__proto__', 'length', '0', '#text');
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, '', 'x', 'y', 0, 1.5, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
})).value;
const step = fc.oneof(
  name.map((field) => ({ field })),
  fc.nat(2).map((item) => ({ item })),
  fc.constant('each' as const),
);
const path = fc
  .tuple(fc.constantFrom('', '^', '$root', '^.^'), fc.array(step, { minLength: 1, maxLength: 3 }))
  .map(([start, steps]) => (start === '' ? stepsText(steps) : `${start}${stepsText(['each', ...steps])}`));

test('MAP-3 any text is a path or told to be none', () => {
  check(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a[\]*."^$0k ey]{0,8}$/)), (text) => {
      try {
        parsePath(text);
      } catch (error) {
        expect(error).toBeInstanceOf(PathMistake);
      }
    }),
  );
});

test('MAP-3 steps that are written are read as the same', () => {
  const any = fc.oneof(
    step,
    fc.string().map((field) => ({ field })),
  );
  check(
    fc.property(fc.array(any, { minLength: 1 }), (steps) => {
      expect(parsePath(stepsText(steps)).steps).toEqual(steps);
    }),
  );
});

test('MAP-6 whatever a document holds, paths make problems of records and nothing else', () => {
  check(
    fc.property(path, json, fc.boolean(), (one, document, asNode) => {
      const said = asNode ? { node: { properties: [{ predicate: 'dct:title', path: '$this' }] } } : {};
      const { problems, drafts, records } = mapped(
        { subject: 'urn:x:{$key}', key: ['$key'], ...property({ path: one, ...said }) },
        [{ a: 1 }, document],
      );
      expect(problems.length + drafts.length).toBe(records);
      for (const problem of problems) expect(isStreamError(problem, 'ERR_MAPPING_RECORD')).toBe(true);
    }),
  );
});

const oddText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'aZ0-_.:/#?@%<>"{}\\ \n\0\u0080\u00a0\u2028\ufeff\ud83d\ude8b'), maxLength: 5 }),
  fc.constantFrom(
    '',
    'en',
    'EN-gb',
    'en_US',
    'en--ltr',
    'urn:x',
    'http://e.example/',
    '5',
    'true',
    '2026-01-01T00:00:00Z',
  ),
);
const oddTexts = fc.oneof(
  oddText,
  oddText.map((end) => `http://e.example/${end}`),
  oddText.map((end) => `urn:x:${end}`),
);

test.each<[subject: string, one: Partial<MappedProperty>]>([
  ['{+id}', { path: 'a' }],
  ['urn:x:{id}', { path: 'a', iri: true }],
  ['{+stream}/entities/{id}', { path: 'a', iri: '{+a}' }],
  ['http://e.example/{+id}', { path: 'a', iri: 'http://e.example/{+a}' }],
  ['urn:x:{id}', { path: 'a', languagePath: 'b' }],
  ['urn:x:{id}', { path: 'a', datatype: 'xsd:double' }],
  ['urn:x:{id}', { path: 'a', node: { subject: '{+b}', properties: [{ predicate: 'dct:title', path: 'b' }] } }],
])(
  'MAP-13 of odd texts each record of %s %j is published or a problem, and none takes its neighbours along',
  (subject, one) => {
    const met = new Floors({ published: 10 });
    check(
      fc.property(fc.array(fc.record({ id: oddTexts, a: oddTexts, b: oddTexts }), { maxLength: 4 }), (odd) => {
        const sound = { id: 'urn:x:sound', a: subject, b: 'en' };
        const { problems, drafts, records } = mapped({ subject, ...property(one) }, [...odd, sound]);
        expect(records).toBe(odd.length + 1);
        for (const draft of drafts) {
          met.count('published');
          const [member] = commitDrafts(
            [draft],
            { cursor: { epoch: 'e', sequence: 0 }, timeMs: 0 },
            0,
            'urn:x:n',
          ).members;
          expect(() => writeNewQuads(member?.quads ?? [])).not.toThrow();
        }
        for (const problem of problems) expect(isStreamError(problem, 'ERR_MAPPING_RECORD')).toBe(true);
      }),
      { numRuns: 300, met },
    );
  },
);

/** The same, with the fields of all mappings in the opposite order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, turned(inner)]),
  );
}

test('MAP-2 the order of the fields of a record says nothing', async () => {
  await check(
    fc.asyncProperty(path, json, async (one, a) => {
      const of = (record: unknown) => mapped(property({ path: one }), [{ id: 1, ...(record as object) }]);
      const [first, second] = [of({ a, b: [a] }), of(turned({ a, b: [a] }))];
      expect(second.drafts).toEqual(first.drafts);
      expect(await second.unmapped()).toEqual(await first.unmapped());
    }),
  );
});

test('MAP-2 records of a mapping come in the order of their keys', () => {
  check(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 }), (keys) => {
      const of = (order: readonly string[]) => {
        const document = Object.fromEntries(order.map((key) => [key, { n: key }]));
        return mapped({ records: '[*]', subject: 'urn:x:{$key}', ...property({ path: 'n' }) }, document).drafts;
      };
      expect(of([...keys].reverse())).toEqual(of(keys));
    }),
  );
});

const VALUES = ['a', 'b', 'ab', '1:a', 'a1:b', 'http://purl.org/dc/terms/title'];
const KINDS: Partial<MappedProperty>[] = [{}, { language: 'nl' }, { language: 'nl-be' }, { datatype: 'urn:x' }];
const said: MappedProperty[] = ['dct:title', 'dct:source'].flatMap((predicate) =>
  KINDS.flatMap((kind) => VALUES.map((value) => ({ predicate, value, ...kind }))),
);

test('MAP-21 contents that differ in a value, or in what it is said by, have different fingerprints', () => {
  const [title, source] = [said.slice(0, VALUES.length), said.slice(said.length / 2)];
  const within = (properties: MappedProperty[]): MappedProperty[] => [
    { predicate: 'dct:source', node: { properties } },
  ];
  const contents: MappedProperty[][] = [
    [],
    ...said.map((one) => [one]),
    ...said.map((one) => within([one])),
    // Predicates that exchange their values, and nodes that do.
    ...title.flatMap((one) => source.map((other) => [one, other])),
    ...title.flatMap((one) => source.map((other) => [one, ...within([other])])),
    // What stands in a node, or after it.
    ...title.flatMap((one) => source.map((other) => within([one, other]))),
    ...title.flatMap((one) => source.map((other) => [...within([one]), other])),
  ];
  const prints = contents.map((properties) => mapped({ properties }, [{ id: 1 }]).entities[0]?.fingerprint);
  expect(new Set(prints).size).toBe(contents.length);
  expect(new Set(prints.map((print) => print?.length))).toEqual(new Set([22]));
});

const piece = fc.constantFrom(...'a Z 0 7 0x ab - -- . .. : 8 / ? # % @ xn--'.split(' '));
const iri = fc
  .tuple(fc.constantFrom('http://', 'https://', 'https://h.example/'), fc.array(piece, { maxLength: 12 }))
  .map(([beginning, pieces]) => beginning + pieces.join(''));

test('MAP-8 what is told to be sound at once is a URL that every reader takes as it stands', () => {
  check(
    fc.property(iri, (text) => {
      fc.pre(PLAIN_IRI.test(text));
      const host = /^https?:\/\/[^/?#]*/.exec(text)?.[0] as string;
      // Hosts are compared in lower case; ports that need not be said are left out.
      expect(new URL(text).href.replace(/^https?:\/\/[^/]*/, '')).toBe(text.slice(host.length));
      expect(`//${new URL(text).hostname}`).toBe(host.replace(/^https?:|:\d+$/g, '').toLowerCase());
    }),
    { numRuns: 1000, maxSkipsPerRun: 1000 },
  );
});

test('MAP-8 a long text that is almost sound is told in time that grows with it', () => {
  for (const text of ['a'.repeat(300_000), 'a.'.repeat(150_000), 'a-'.repeat(150_000), '/a'.repeat(150_000)]) {
    expect(PLAIN_IRI.test(`http://${text}!`)).toBe(false);
    expect(PLAIN_IRI.test(`http://h.example/${text}"`)).toBe(false);
  }
});

test('MAP-8 a host beyond ASCII is sound however often it was looked at', () => {
  const faults = new Set(Array.from({ length: 20_000 }, () => faultOfIri('https://münchen.example/straße')));
  expect([...faults]).toEqual([undefined]);
});
