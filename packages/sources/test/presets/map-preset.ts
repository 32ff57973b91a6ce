import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { blankNode, namedNode, prefixes, quad, type UpsertDraft } from '@ldes-live/rdf-stream';
import { size } from '@ldes-live/test-support/properties';
import { describedTree } from '@ldes-live/test-support/rdf';
import type { NamedNode, Quad, Term } from '@rdfjs/types';
import { Parser } from 'n3';
import SHACLValidator from 'rdf-validate-shacl';
import { expect } from 'vitest';
import { parse } from 'yaml';
import {
  compileMapping,
  loadPreset,
  type MappedDocument,
  type Mapping,
  mappingPrefixes,
  presetNames,
  readDocument,
} from '../../src/index.ts';
import { type MappedDrafts, urls, withDrafts } from '../mapping/mapped.ts';

const terms: Readonly<Record<string, string>> = {
  ...mappingPrefixes,
  datex: 'http://vocab.datex.org/terms#',
  gbfs: 'https://w3id.org/gbfs#',
  sdm: 'https://smartdatamodels.org/dataModel.Parking/',
};

/** An IRI of a compact one. */
export function iri(compact: string): string {
  const [prefix = '', name = ''] = compact.split(/:(.*)/s);
  return `${terms[prefix]}${name}`;
}

/** What a mapping makes of documents. */
export interface MappedPreset extends MappedDrafts {
  /** The draft of an entity, or the observation, whose IRI ends so. */
  readonly of: (end: string) => UpsertDraft;
  /** What drafts say that the closed shape of the mapping does not allow. */
  readonly ownShapeFindings: (drafts: readonly UpsertDraft[]) => Promise<string[]>;
}

/** Documents as they came; a body that is no bytes is written as JSON. */
interface PresetInput {
  readonly body: unknown;
  readonly lookups?: Readonly<Record<string, Uint8Array>>;
  readonly topic?: readonly string[];
}

/** Maps a document by a preset. */
export function mapPreset(preset: string | Mapping, { body, lookups = {}, topic = [] }: PresetInput): MappedPreset {
  const compiled = compileMapping(typeof preset === 'string' ? mappingOf(preset) : preset, urls);
  const bytes = body instanceof Uint8Array ? body : new TextEncoder().encode(JSON.stringify(body));
  const made = compiled.map({
    document: readDocument(bytes, compiled.reading),
    lookups: Object.fromEntries(
      Object.entries(lookups).map(([name, bytes]) => [name, readDocument(bytes, compiled.lookups[name]?.reads ?? {})]),
    ),
    topic,
  }) as MappedDocument;
  const mapped = withDrafts(made);
  const shape = compiled.shape(`${urls.streamUrl}/shape`);
  return Object.assign(mapped, {
    of: (end: string) => {
      const draft = mapped.drafts.find(({ entity, id }) => (id ?? entity).endsWith(end));
      if (draft) return draft;
      throw new Error(`There is no draft of ${end} among ${mapped.drafts.map(({ entity }) => entity).join(', ')}`);
    },
    ownShapeFindings: (drafts: readonly UpsertDraft[]) =>
      findingsOf(validator([...shape.quads, ...targets(shape.iri, drafts)]), drafts),
  });
}

/** A sample of this repository. */
export function sample(name: string): Uint8Array {
  return new Uint8Array(readFileSync(fileURLToPath(new URL(`./samples/${name}`, import.meta.url))));
}

/** A sample that is JSON, to be changed. */
export function sampleJson(name: string) {
  return JSON.parse(new TextDecoder().decode(sample(name)));
}

/** The mapping of a preset, or of a format of one publisher. */
export function mappingOf(preset: string): Mapping {
  if (presetNames().includes(preset)) return loadPreset(preset).mapping;
  return parse(readFileSync(new URL(`./mappings/${preset}.yml`, import.meta.url), 'utf8')) as Mapping;
}

const stations = (version: number) => ({ lookups: { information: `gbfs-${version}-station-information.json` } });
const topic = ['v1.1', 'Datastreams(12)', 'Observations'];

type Beside = { readonly lookups?: Readonly<Record<string, string>>; readonly topic?: readonly string[] };

/** The samples, made up in this repository: what each is mapped by, and which shape that has. */
export const samples: Readonly<Record<string, readonly [preset: string, HandWrittenShapes, Beside?]>> = {
  'aalen.json': ['parking-aalen', 'parking'],
  'basel.json': ['parking-basel', 'parking'],
  'bietigheim.csv': ['bietigheim', 'parking'],
  'datex2-status.xml': ['datex2-parking', 'parking', { lookups: { sites: 'datex2-table.xml' } }],
  'freiburg.json': ['parking-freiburg', 'parking'],
  'freiburg-park-and-ride.json': ['parking-freiburg-park-and-ride', 'parking'],
  'gbfs-2-free-bike-status.json': ['gbfs-vehicle-status', 'gbfs'],
  'gbfs-2-station-status.json': ['gbfs-station-status', 'gbfs', stations(2)],
  'gbfs-3-station-status.json': ['gbfs-station-status', 'gbfs', stations(3)],
  'gbfs-3-vehicle-status.json': ['gbfs-vehicle-status', 'gbfs'],
  'ghent-1.json': ['ghent-garages', 'parking'],
  'ghent-2.json': ['ghent-garages', 'parking'],
  'gios-sensor.json': ['gios', 'observation'],
  'gios-station.json': ['gios-station', 'observation', { lookups: { sensors: 'gios-sensors.json' } }],
  'karlsruhe.json': ['parking-karlsruhe', 'parking'],
  'nedap.json': ['parking-nedap', 'parking'],
  'ngsi-ld-parking-key-values.json': ['ngsi-ld-parking', 'parking'],
  'ngsi-ld-parking-normalised.json': ['ngsi-ld-parking', 'parking'],
  'ngsi-ld-spots.json': ['ngsi-ld-parking-spot', 'parking'],
  'parkapi.json': ['parkapi', 'parking'],
  'sensade.json': ['sensade', 'parking'],
  'sensorthings-mqtt-observation.json': ['sensorthings-mqtt', 'observation', { topic }],
  'sensorthings-observations.json': ['sensorthings', 'observation'],
  'usgs.json': ['usgs-water', 'observation'],
  'waqi.json': ['waqi', 'observation'],
};

/** What a sample is mapped to. */
export function ofSample(file: string): MappedPreset {
  const [preset, , { lookups = {}, topic = [] } = {}] = samples[file] as (typeof samples)[string];
  const bodies = Object.entries(lookups).map(([name, lookup]) => [name, sample(lookup)]);
  return mapPreset(preset, { body: sample(file), lookups: Object.fromEntries(bodies), topic });
}

const { factory } = new SHACLValidator(new Set() as never) as unknown as {
  readonly factory: { dataset(quads: readonly Quad[]): never };
};

/** Points a shape at what drafts are of. */
function targets(shape: string, drafts: readonly UpsertDraft[]): Quad[] {
  return drafts.map(({ entity, id }) =>
    quad(namedNode(shape), namedNode(`${prefixes.sh}targetNode`), namedNode(id ?? entity)),
  );
}

/** The quads of drafts in one graph: each has blank nodes of its own. */
function joined(drafts: readonly UpsertDraft[]): Quad[] {
  return drafts.flatMap(({ quads }, index) => {
    const own = <Node extends Term>(node: Node) =>
      node.termType === 'BlankNode' ? blankNode(`d${index}-${node.value}`) : node;
    return quads.map(({ subject, predicate, object }) => quad(own(subject), predicate as NamedNode, own(object)));
  });
}

function validator(shapes: readonly Quad[]): SHACLValidator {
  return new SHACLValidator(factory.dataset(shapes));
}

async function findingsOf(shapes: SHACLValidator, drafts: readonly UpsertDraft[]): Promise<string[]> {
  const report = await shapes.validate(factory.dataset(joined(drafts)));
  return report.results.map(
    ({ message, path, focusNode, value }) =>
      `${focusNode?.value} ${path?.value} ${value?.value}: ${message.map((text) => text.value).join(' ')}`,
  );
}

/** The shapes in `specs/shapes` that are written by hand. */
export type HandWrittenShapes = 'parking' | 'observation' | 'gbfs';

// Reading shapes takes longer than validating by them.
const handWritten = new Map<HandWrittenShapes, SHACLValidator>();

/** What a hand-written shape finds in each draft. */
export function shapeFindings(name: HandWrittenShapes, drafts: readonly UpsertDraft[]): Promise<string[]> {
  let shapes = handWritten.get(name);
  if (!shapes) {
    const url = new URL(`../../../../specs/shapes/${name}.ttl`, import.meta.url);
    shapes = validator(new Parser({ baseIRI: url.href }).parse(readFileSync(fileURLToPath(url), 'utf8')));
    handWritten.set(name, shapes);
  }
  return findingsOf(shapes, drafts);
}

const header = Object.entries(terms)
  .map(([prefix, value]) => `@prefix ${prefix}: <${value}> .`)
  .join('\n');

/** What is said of the first subject of a Turtle text, nested, in a form that compares. */
export function tree(turtle: string): unknown {
  const quads = new Parser({ baseIRI: urls.publicUrl }).parse(`${header}\n${turtle}`) as Quad[];
  return describedTree(quads, quads[0]?.subject as Term);
}

/** What is said of the subject of a draft, nested, in a form that compares. */
export function said(draft: UpsertDraft): unknown {
  return describedTree(draft.quads, namedNode(draft.id ?? draft.entity));
}

/** The values that a draft has, of its own subject or of any node, in order. */
export function values(draft: UpsertDraft, predicate: string): string[] {
  return draft.quads
    .filter((quad) => quad.predicate.value === iri(predicate))
    .map(({ object }) =>
      object.termType === 'Literal' && object.language ? `${object.value}@${object.language}` : object.value,
    )
    .sort();
}

/** What a draft says by the predicates of a record, and its time, in the form of that record: values with bars between. */
export function told(draft: UpsertDraft, said: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const short = (text: string) => text.replaceAll(mappingPrefixes.mv as string, 'mv:');
  const of = (name: string) => (name === 'time' ? draft.versionTime : short(values(draft, name).join('|')));
  return Object.fromEntries(Object.keys(said).map((name) => [name, of(name)]));
}

/** The datatypes of values that a draft has. */
export function datatypes(draft: UpsertDraft, predicate: string): string[] {
  return draft.quads.flatMap(({ predicate: { value }, object }) =>
    value === iri(predicate) && object.termType === 'Literal' ? [object.datatype.value.replace(/^.*#/, '')] : [],
  );
}

/** The fingerprints of a document, by entity. */
export function fingerprints({ entities }: MappedDocument): ReadonlyMap<string, string> {
  return new Map(entities.map(({ entity, fingerprint }) => [entity, fingerprint]));
}

// The drafts of one document are much alike: the gate validates some, the night all.
const validated = size({ gate: 10, night: Number.POSITIVE_INFINITY });

/** That a document is mapped whole: nothing of it is unaccounted for, and what it is mapped to has both shapes. */
export async function expectWhole(mapped: MappedPreset, shape: HandWrittenShapes): Promise<void> {
  expect(await mapped.unmapped()).toEqual([]);
  const drafts = mapped.drafts.slice(0, validated);
  expect(await mapped.ownShapeFindings(drafts)).toEqual([]);
  expect(await shapeFindings(shape, drafts)).toEqual([]);
}
