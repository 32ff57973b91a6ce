import { ownNamespace, prefixes, rdf, sh } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { rtShape } from '../../src/gtfs-rt/rt-shape.ts';
import { rtVocabulary } from '../../src/gtfs-rt/rt-vocabulary.ts';
import { publicUrl, streamUrl } from './turtle-tree.ts';

const { iri, quads } = rtShape(publicUrl, `${streamUrl}/shape`);
const namespace = ownNamespace(publicUrl, 'rt');
const vocabulary = rtVocabulary(namespace);

const objectsOf = (predicate: string) =>
  new Set(quads.filter((quad) => quad.predicate.value === predicate).map(({ object }) => object.value));
const own = (values: Iterable<string>) => new Set([...values].filter((value) => value.startsWith(namespace)));
const ownOf = (type: string) =>
  new Set(
    vocabulary
      .filter(({ predicate, object }) => predicate.value === rdf.type && object.value === type)
      .map(({ subject }) => subject.value),
  );

test('DOC-55 the shape has every own property and class of the vocabulary, and no others', () => {
  expect(own(objectsOf(sh.path))).toEqual(ownOf(`${prefixes.rdf}Property`));
  expect(own(objectsOf(sh.hasValue))).toEqual(ownOf(`${prefixes.rdfs}Class`));
});

test('DOC-55 the shape has every concept of the vocabulary', () => {
  const listed = own(objectsOf(rdf.first));
  for (const concept of ownOf(`${prefixes.skos}Concept`)) expect(listed).toContain(concept);
});

test('DOC-55 every shape that another refers to is described, as a part of the document', () => {
  const described = new Set(
    quads.filter(({ object }) => object.value === sh.NodeShape).map(({ subject }) => subject.value),
  );
  expect(described).toContain(iri);
  for (const shape of objectsOf(sh.node)) expect(described).toContain(shape);
  for (const shape of described) expect(shape.startsWith(`${streamUrl}/shape#`)).toBe(true);
});

test('DOC-55 the shape is the same whenever it is made', () => {
  expect(rtShape(publicUrl, `${streamUrl}/shape`).quads).toEqual(quads);
});
