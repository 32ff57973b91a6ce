import {
  blankNode,
  type DeleteDraft,
  type Draft,
  languageLiteral,
  literal,
  type Member,
  namedNode,
  quad,
  rdf,
  type UpsertDraft,
  xsd,
} from '@ldes-live/rdf-stream';

const EX = 'http://example.org/';

/** IRI of an entity of the fixtures. */
export function entityIri(key: string | number): string {
  return `${EX}vehicles/${key}`;
}

/** A new state of an entity, with every kind of term that may be in one. */
export function upsert(key: string | number, state: string | number = 0, origin = 'feed'): UpsertDraft {
  const entity = entityIri(key);
  const [node, position, stop] = [namedNode(entity), blankNode('position'), blankNode('stop')];
  return {
    kind: 'upsert',
    entity,
    origin,
    fingerprint: `${key}/${state}`,
    versionTime: '2026-11-21T11:59:58Z',
    quads: [
      quad(node, namedNode(rdf.type), namedNode(`${EX}Vehicle`)),
      quad(node, namedNode(`${EX}label`), languageLiteral(`Line "${state}"\n\\ \u{1F68B} \u0001`, 'nl-BE')),
      quad(node, namedNode(`${EX}speed`), literal('12.50', xsd.decimal)),
      quad(node, namedNode(`${EX}note`), literal('')),
      quad(node, namedNode(`${EX}position`), position),
      quad(position, namedNode(`${EX}nearest`), stop, namedNode(`${EX}graph`)),
      quad(stop, namedNode(`${EX}of`), node, blankNode('graph')),
    ],
  };
}

/** The end of an entity. */
export function remove(key: string | number, origin = 'feed'): DeleteDraft {
  return { kind: 'delete', entity: entityIri(key), origin };
}

/** A draft with an IRI that no syntax can write. */
export function unwritable(key: string | number): Draft {
  const broken = quad(namedNode(entityIri(key)), namedNode(`${EX}link`), namedNode(`${EX}a> b`));
  return { ...upsert(key), quads: [broken] };
}

/** All of a member as plain text and numbers, blank node labels and the order of quads included. */
export function plain(member: Member): unknown {
  const { nquads: _, ...rest } = member;
  return {
    ...rest,
    quads: member.quads.map(({ subject, predicate, object, graph }) =>
      [subject, predicate, object, graph].map(plainTerm),
    ),
  };
}

function plainTerm(term: Member['quads'][number]['object' | 'graph']): readonly string[] {
  return term.termType === 'Literal'
    ? [term.termType, term.value, term.language, term.datatype.value]
    : [term.termType, term.value];
}
