import { languageLiteral, literal, type Member, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { entityName } from '../src/follow/summary.ts';

const LABEL = 'http://www.w3.org/2000/01/rdf-schema#label';

function memberOf(entity: string, ...labels: readonly [string, ReturnType<typeof literal>][]): Member {
  const id = `${entity}#1`;
  const quads = labels.map(([property, label]) => quad(namedNode(id), namedNode(property), label));
  return { id, entity, kind: 'upsert', sequence: 1, time: '2026-11-20T09:00:00.000Z', quads };
}

test('the first label names an entity', () => {
  const labels: [string, ReturnType<typeof literal>][] = [
    [LABEL, literal('Tram 101')],
    [LABEL, languageLiteral('Tram honderd een', 'nl')],
  ];
  expect(entityName(memberOf('http://a/s/entities/vehicles/101', ...labels))).toBe('Tram 101');
  expect(entityName(memberOf('http://a/1', ['http://purl.org/dc/terms/title', literal('Works')]))).toBe('Works');
});

test.each([
  ['http://a/s/entities/trips/1-out-0215/20261121/02:15:00', '1-out-0215'],
  ['http://a/b/s/entities/vehicles/4382', '4382'],
  ['http://a/s/entities/trips/%E5%9C%9F', '土'],
  ['http://a/s/entities/trips/%E5', '%E5'],
  ['http://a/parkings/sint-pietersplein', 'sint-pietersplein'],
  ['http://a/parkings/', 'parkings/'],
  ['http://a/list#first', 'first'],
  ['urn:uuid:1', 'urn:uuid:1'],
])('%s is called %s for want of a label', (iri, name) => {
  expect(entityName(memberOf(iri))).toBe(name);
});
