import { expect, test } from 'vitest';
import { as, blankNode, dct, literal, namedNode, prov, quad, rdf, xsd } from '../src/index.ts';
import { versionDraft } from '../src/version-draft.ts';

const PLACE = { sequence: 42, time: '2026-01-01T00:00:00.000Z', sequencePath: 'http://localhost/ns/live#sequence' };
const ENTITY = 'http://example.org/vehicles/1';
const entity = namedNode(ENTITY);
const p = namedNode('http://example.org/p');

const draft = {
  kind: 'upsert',
  entity: ENTITY,
  origin: 'feed',
  fingerprint: 'f',
  versionTime: '2025-12-31T23:59:59Z',
  quads: [
    quad(entity, p, blankNode('x')),
    quad(blankNode('x'), p, literal('1')),
    quad(entity, namedNode(rdf.type), namedNode('http://example.org/Vehicle')),
    quad(namedNode('http://example.org/other'), p, entity),
    quad(blankNode('y'), p, blankNode('x')),
  ],
} as const;

test('DOC-3 what is said of the entity is said of its version, with type, entity, time and sequence first', () => {
  const member = versionDraft(draft, PLACE);
  expect(member).toMatchObject({
    id: `${ENTITY}#${PLACE.time}`,
    entity: ENTITY,
    kind: 'upsert',
    sequence: 42,
    time: PLACE.time,
    versionTime: draft.versionTime,
  });
  const version = namedNode(member.id);
  const expected = [
    quad(version, namedNode(rdf.type), namedNode('http://example.org/Vehicle')),
    quad(version, namedNode(dct.isVersionOf), entity),
    quad(version, namedNode(prov.generatedAtTime), literal(PLACE.time, xsd.dateTime)),
    quad(version, namedNode(PLACE.sequencePath), literal('42', xsd.integer)),
    quad(version, p, blankNode('m42b0')),
    quad(blankNode('m42b0'), p, literal('1')),
    // As an object the entity stays the entity: a statement about it, not about its version.
    quad(namedNode('http://example.org/other'), p, entity),
    quad(blankNode('m42b1'), p, blankNode('m42b0')),
  ];
  expect(member.quads).toHaveLength(expected.length);
  for (const [index, said] of expected.entries()) expect(member.quads[index]?.equals(said)).toBe(true);
});

test('DOC-3 a delete says what it deletes and when, and nothing else', () => {
  const member = versionDraft({ kind: 'delete', entity: ENTITY, origin: 'feed' }, PLACE);
  expect(member.kind).toBe('delete');
  expect(member.quads.map(({ predicate, object }) => [predicate.value, object.value])).toEqual([
    [rdf.type, as.Delete],
    [dct.isVersionOf, ENTITY],
    [prov.generatedAtTime, PLACE.time],
    [PLACE.sequencePath, '42'],
  ]);
});

test('DOC-3 a delete that has an IRI of its own is named by it', () => {
  const id = 'http://example.org/ends/7';
  const member = versionDraft({ kind: 'delete', entity: ENTITY, origin: 'feed', id }, PLACE);
  expect(member).toMatchObject({ id, entity: ENTITY, kind: 'delete' });
  expect(member.quads.map(({ subject }) => subject.value)).toEqual([id, id, id, id]);
});

test('DOC-3 an entity IRI with a fragment gives a version IRI with one fragment', () => {
  const member = versionDraft({ kind: 'delete', entity: 'http://example.org/feed#v1', origin: 'feed' }, PLACE);
  expect(member.id).toBe(`http://example.org/feed#v1/${PLACE.time}`);
});

test('DOC-3 a version that has an IRI of its own is named by it, and what is said of it stays as it is', () => {
  const id = 'http://example.org/observations/7';
  const quads = [
    quad(namedNode(id), namedNode(rdf.type), namedNode('http://example.org/Observation')),
    quad(namedNode(id), p, entity),
    quad(entity, p, blankNode('x')),
  ];
  const member = versionDraft({ ...draft, id, quads }, PLACE);
  expect(member).toMatchObject({ id, entity: ENTITY, sequence: 42, versionTime: draft.versionTime });
  expect(member.quads.map(({ subject, predicate, object }) => [subject.value, predicate.value, object.value])).toEqual([
    [id, rdf.type, 'http://example.org/Observation'],
    [id, dct.isVersionOf, ENTITY],
    [id, prov.generatedAtTime, PLACE.time],
    [id, PLACE.sequencePath, '42'],
    [id, p.value, ENTITY],
    [ENTITY, p.value, 'm42b0'],
  ]);
});
