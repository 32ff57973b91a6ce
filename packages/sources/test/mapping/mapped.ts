import { isStreamError, type StreamError, type UpsertDraft } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import type { MappingMistake } from '../../src/errors.ts';
import { compileMapping, parseMapping } from '../../src/mapping/compile.ts';
import type { MappedDocument, MappingInput } from '../../src/mapping/map-document.ts';
import type { MappedProperty, Mapping } from '../../src/mapping/schema.ts';

/** Where mappings are used; the clock stands still, so that each document is mapped at once. */
export const urls = {
  publicUrl: 'https://live.example.org/',
  streamUrl: 'https://live.example.org/things',
  nowMs: () => 0,
};

/** What a document says, and its entities as drafts. */
export interface MappedDrafts extends MappedDocument {
  readonly drafts: readonly UpsertDraft[];
}

export function withDrafts(mapped: MappedDocument): MappedDrafts {
  const drafts = mapped.entities.map((candidate): UpsertDraft => {
    const { entity, id, fingerprint, versionTime } = candidate;
    return { kind: 'upsert', entity, origin: 'test', id, fingerprint, versionTime, quads: candidate.quads() };
  });
  return Object.assign(mapped, { drafts });
}

/** Maps a document by a mapping that has at least an id of its records. */
export function mapped(mapping: Partial<Mapping>, document: unknown, more: Partial<MappingInput> = {}): MappedDrafts {
  const whole = parseMapping({ subject: '{+stream}/entities/{id}', properties: [], ...mapping });
  return withDrafts(compileMapping(whole, urls).map({ document, ...more }) as MappedDocument);
}

/** A mapping with one property, whose predicate matters to nobody. */
export function property(one: Partial<MappedProperty>): Partial<Mapping> {
  return { properties: [{ predicate: 'rdfs:label', ...one }] };
}

/** What is said of the entities, each as lines of predicate and object; without their subjects. */
export function saidBy({ drafts }: MappedDrafts): string[][] {
  return drafts.map(({ quads }) => quads.map(quadText));
}

/** The values of properties, without their predicates. */
export function valuesBy({ drafts }: MappedDrafts): string[][] {
  return drafts.map(({ quads }) => quads.map(({ object }) => termText(object)));
}

/** The problems that records had. */
export function reasonsBy({ problems }: MappedDocument): unknown[] {
  return problems.map(({ details }) => details.reason);
}

/** The mistakes of what is no mapping: where, and what. */
export function mistakesOf(value: unknown, lineOf?: Parameters<typeof parseMapping>[1]): MappingMistake[] {
  try {
    parseMapping(value, lineOf);
    return [];
  } catch (error) {
    if (!isStreamError(error, 'ERR_MAPPING_INVALID')) throw error;
    return [...((error as StreamError).details.problems as MappingMistake[])];
  }
}

function quadText({ subject, predicate, object }: Quad): string {
  const local = predicate.value.replace(/^.*[/#]/, '');
  return `${subject.termType === 'BlankNode' ? `_:${subject.value} ` : ''}${local} ${termText(object)}`;
}

function termText(object: Quad['object']): string {
  if (object.termType === 'BlankNode') return `_:${object.value}`;
  if (object.termType !== 'Literal') return `<${object.value}>`;
  const datatype = object.datatype.value.replace(/^.*#/, '');
  if (object.language) return `"${object.value}"@${object.language}`;
  return datatype === 'string' ? `"${object.value}"` : `"${object.value}"^^${datatype}`;
}
