import type { Quad } from '@rdfjs/types';
import { literal, namedNode, quad } from './data-factory.ts';
import type { Draft, UpsertDraft } from './draft.ts';
import type { Member } from './member.ts';
import { relabelBlankNodes } from './relabel-blank-nodes.ts';
import { as, dct, prov, rdf, xsd } from './vocabulary.ts';

/** Where and when a draft becomes a member. */
export interface VersionPlace {
  /** The member's sequence number. */
  readonly sequence: number;
  /** Publication time: xsd:dateTime in UTC with milliseconds. */
  readonly time: string;
  /** IRI of the property for the sequence number. */
  readonly sequencePath: string;
}

/**
 * Makes the member that a draft becomes at its place in the log.
 *
 * The version's IRI is the draft's, or else the entity's with the publication time as its fragment. What the draft
 * says of the entity is then said of the version; blank nodes get labels that are unique in the stream and follow
 * from the sequence alone, so that every server over the same log writes the same bytes.
 *
 * @see specs/documents.md DOC-3
 */
export function versionDraft(draft: Draft, place: VersionPlace): Member {
  const id = draft.id ?? versionIri(draft.entity, place.time);
  const version = namedNode(id);
  const stated = draft.kind === 'upsert' ? aboutVersion(draft, version, place.sequence) : [];
  const isType = (candidate: Quad) => candidate.subject.equals(version) && candidate.predicate.value === rdf.type;
  const quads = [
    ...(draft.kind === 'delete' ? [quad(version, namedNode(rdf.type), namedNode(as.Delete))] : stated.filter(isType)),
    quad(version, namedNode(dct.isVersionOf), namedNode(draft.entity)),
    quad(version, namedNode(prov.generatedAtTime), literal(place.time, xsd.dateTime)),
    quad(version, namedNode(place.sequencePath), literal(String(place.sequence), xsd.integer)),
    ...stated.filter((candidate) => !isType(candidate)),
  ];
  const base = { id, entity: draft.entity, kind: draft.kind, sequence: place.sequence, time: place.time, quads };
  return draft.kind === 'upsert' && draft.versionTime !== undefined
    ? { ...base, versionTime: draft.versionTime }
    : base;
}

/**
 * IRI of a version that has none of its own: the entity's with the publication time as its fragment.
 *
 * @param time - publication time: xsd:dateTime in UTC with milliseconds
 */
export function versionIri(entity: string, time: string): string {
  // An entity IRI may have a fragment already, and an IRI has only one.
  return `${entity}${entity.includes('#') ? '/' : '#'}${time}`;
}

function aboutVersion({ id, entity, quads }: UpsertDraft, version: Quad['subject'], sequence: number): Quad[] {
  const relabelled = relabelBlankNodes(quads, sequence);
  // What has an IRI of its own is said of that: the entity may be named beside it.
  if (id !== undefined) return relabelled;
  return relabelled.map((said) =>
    said.subject.termType === 'NamedNode' && said.subject.value === entity
      ? quad(version, namedNode(said.predicate.value), said.object, said.graph)
      : said,
  );
}
