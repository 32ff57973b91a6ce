import {
  blankNode,
  languageLiteral,
  literal,
  type Member,
  namedNode,
  quad,
  writeQuads,
  xsd,
} from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { fromRecord, recordOf } from '../src/storage.ts';
import { plain } from './suite-place.ts';

const iri = fc.constantFrom('http://example.org/', 'urn:a:b', 'http://example.org/é#\u{1F68B}').map(namedNode);
const node = fc.oneof(
  iri,
  fc.constantFrom('m1b0', 'm1b1', 'm12b3').map((label) => blankNode(label)),
);
const text = fc.string({ unit: 'binary', maxLength: 12 });
const literalTerm = fc.oneof(
  text.map((value) => literal(value)),
  text.map((value) => literal(value, xsd.integer)),
  fc
    .tuple(text, fc.constantFrom('nl', 'nl-BE', 'sr-Latn-RS'))
    .map(([value, language]) => languageLiteral(value, language)),
);
const member: fc.Arbitrary<Member> = fc.record(
  {
    id: fc.webUrl(),
    entity: fc.webUrl(),
    kind: fc.constantFrom('upsert', 'delete'),
    sequence: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    time: fc.constant('2026-11-21T12:00:00.000Z'),
    versionTime: fc.constant('2026-11-21T11:59:58+01:00'),
    quads: fc.array(
      fc
        .tuple(node, iri, fc.oneof(node, literalTerm), fc.option(node, { nil: undefined }))
        .map(([subject, predicate, object, graph]) => quad(subject, predicate, object, graph)),
      { maxLength: 6 },
    ),
  },
  { requiredKeys: ['id', 'entity', 'kind', 'sequence', 'time', 'quads'] },
);

test('a member comes back from its record as it was, blank node labels and the order of quads included', () => {
  check(
    fc.property(member, (given) => {
      const entry = { ...given, origin: 'feed', nquads: writeQuads(given.quads, 'nquads', {}) };
      expect(plain(fromRecord(recordOf(entry, given.time), given.sequence))).toEqual(plain(given));
    }),
  );
});

test('a line that nobody can read is left out of its member, and told', () => {
  const type = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>';
  const good = `<urn:a:b> <urn:a:c> "^^${type} ." .\n<urn:a:b> <urn:a:datatype> ${type} .\n`;
  const bad = `<urn:a:b> <urn:a:c> "x"^^${type} .\n`;
  const told: string[] = [];
  const read = (nquads: string) =>
    fromRecord({ id: 'urn:a:1', entity: 'urn:a:b', kind: 'upsert', time: '', nquads }, 1, (line) => told.push(line));
  expect(read(good).nquads).toBe(good);
  expect(told).toEqual([]);
  const member = read(`${bad}${good}${bad}`);
  expect([member.nquads, member.quads.length, told]).toEqual([good, 2, [bad.trim(), bad.trim()]]);
});

test('a stored member has its text, and reads its quads from it once, when they are asked for', () => {
  const nquads = '<urn:a:b> <urn:a:c> "d" .\n';
  const stored = fromRecord({ id: 'urn:a:1', entity: 'urn:a:b', kind: 'upsert', time: '', nquads }, 1);
  expect(stored.nquads).toBe(nquads);
  expect(stored.quads).toHaveLength(1);
  expect(stored.quads).toBe(stored.quads);
  const broken = fromRecord({ id: 'urn:a:1', entity: 'urn:a:b', kind: 'upsert', time: '', nquads: 'no quads' }, 1);
  expect(broken.nquads).toBe('no quads');
  expect(() => broken.quads).toThrow(expect.objectContaining({ code: 'ERR_RDF_MALFORMED' }));
});
