import { namedNode, quad, type UpsertDraft } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { Store } from 'n3';
import SHACLValidator from 'rdf-validate-shacl';
import { expect, test } from 'vitest';
import { compileMapping, parseMapping } from '../../src/mapping/compile.ts';
import type { MappedDocument } from '../../src/mapping/map-document.ts';
import { urls, withDrafts } from './mapped.ts';

const compiled = compileMapping(
  parseMapping({
    subject: '{+stream}/entities/{id}',
    type: ['mv:ParkingFacility', 'schema:Place'],
    versionTime: { path: 'at', convert: 'epoch' },
    properties: [
      { predicate: 'rdfs:label', path: 'name', language: 'nl', required: true },
      { predicate: 'rdfs:label', path: 'english', language: 'en' },
      { predicate: 'dct:description', path: 'tags[*]' },
      { predicate: 'dct:type', path: 'kind', convert: { enum: { values: { a: 'schema:A' }, iri: true } }, iri: true },
      { predicate: 'dct:creator', value: 'https://city.example/', iri: true },
      ...['Capacity', 'RealTimeCapacity'].map((type) => ({
        predicate: 'mv:capacity',
        node: { type: `mv:${type}`, properties: [{ predicate: 'mv:value', path: type, datatype: 'xsd:integer' }] },
      })),
      {
        predicate: 'geo:hasGeometry',
        path: 'geometry',
        node: { properties: [{ predicate: 'geo:asWKT', path: '$this', convert: 'geometry' }] },
      },
    ],
  }),
  urls,
);
const { iri, quads } = compiled.shape(`${urls.streamUrl}/shape`);
const geometry = { type: 'Point', coordinates: [3.7, 51] };
const records = [
  { id: 1, at: 1, name: 'x', english: 'y', tags: ['p', 'q', 3], kind: 'a', Capacity: 3, RealTimeCapacity: 0, geometry },
  { id: 2, name: 'x' },
];
const { drafts } = withDrafts(compiled.map({ document: records }) as MappedDocument);

async function conforms(entity: string, said: readonly Quad[]): Promise<boolean> {
  const target = quad(namedNode(iri), namedNode('http://www.w3.org/ns/shacl#targetNode'), namedNode(entity));
  const report = await new SHACLValidator(new Store([...quads, target]) as never).validate(
    new Store([...said]) as never,
  );
  return report.conforms;
}

test('MAP-25 what the mapping writes has it', async () => {
  expect(drafts).toHaveLength(2);
  for (const { entity, quads: said } of drafts) expect(await conforms(entity, said)).toBe(true);
});

test('MAP-25 what lacks, repeats, changes or adds anything has it not', async () => {
  const [{ entity, quads: said }] = drafts as [UpsertDraft];
  const label = said.find(({ predicate }) => predicate.value.endsWith('#label')) as Quad;
  const node = said.find(({ predicate }) => predicate.value.endsWith('#value')) as Quad;
  const wrong: Quad[][] = [
    said.filter(({ predicate }) => !predicate.value.endsWith('#label')),
    [...said, { ...label, predicate: { ...label.predicate, value: 'https://e.example/more' } } as Quad],
    said.filter(({ predicate, subject }) => !(predicate.value.endsWith('#type') && subject.value === entity)),
    [...said, { ...node, predicate: { ...node.predicate, value: 'https://e.example/more' } } as Quad],
    [...said, { ...label, object: node.object } as Quad],
  ];
  for (const broken of wrong) expect(await conforms(entity, broken)).toBe(false);
});
