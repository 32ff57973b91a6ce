import { checkQuads } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import type { ContextPlan } from './context-plan.ts';
import { faultOfIri, isAbsoluteIri } from './iris.ts';
import { RecordProblem, type ValuePlace } from './paths.ts';

/** What a JSON-LD context makes of a record. */
export interface ContextQuads {
  /** IRI of what the record describes. */
  readonly iri: string;
  readonly quads: readonly Quad[];
}

/** Where the mapping asks for what a context makes. */
export const contextPlace: ValuePlace = { at: ['context'], path: '' };

/** Said of the record alone while it is read, which tells its IRI from those of its parts. Never published. */
const MARK = 'urn:uuid:4d0b7d5e-6f0a-4f39-9a3f-5f8f0f3c2b1e';

/**
 * Reads a record by a JSON-LD context.
 *
 * @param named - its IRI, where the mapping has a `subject`; else it is the one that the record has of itself
 * @throws RecordProblem - it is not JSON-LD, says what no text of RDF can, uses a named graph, or has no IRI that can be
 * that of an entity
 */
export async function contextQuads(plan: ContextPlan, record: unknown, named?: string): Promise<ContextQuads> {
  const quads = await quadsOf(plan, record, named === undefined ? { [MARK]: true } : { '@id': named });
  if (quads.some(({ graph }) => graph.termType !== 'DefaultGraph')) {
    const reason = 'the context puts a part of it into a named graph, which members cannot have';
    throw new RecordProblem(contextPlace, reason, record);
  }
  if (named !== undefined) return { iri: named, quads };
  return { iri: ownIri(quads, record), quads: quads.filter((quad) => !isMark(quad)) };
}

async function quadsOf(plan: ContextPlan, record: unknown, besides: object): Promise<readonly Quad[]> {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    const reason = 'a mapping was expected: only its fields can be terms of the context';
    throw new RecordProblem(contextPlace, reason, record);
  }
  const isNamed = '@id' in besides;
  const fields = Object.entries(record).filter(([name, value]) => {
    // A context of the source's own would have the last word, and could be anywhere.
    if (name === '@context' || name === MARK) return false;
    // The empty text is absent, and no IRI that stands for the stream.
    return !plan.terms.idNames.has(name) || (!isNamed && value !== '');
  });
  try {
    const quads = await plan.toQuads({ '@context': plan.context, ...besides, ...Object.fromEntries(fields) });
    // Whoever reads the JSON-LD: one record that the log refuses would take all others of its commit along.
    checkQuads(quads, 'nquads');
    return quads;
  } catch (error) {
    const reason = `it is no JSON-LD (${error instanceof Error ? error.message : String(error)})`;
    throw new RecordProblem(contextPlace, reason, record);
  }
}

function ownIri(quads: readonly Quad[], record: unknown): string {
  const [mark, ...others] = quads.filter(isMark);
  if (mark?.subject.termType !== 'NamedNode' || others.length > 0) {
    const reason = 'the record has no IRI of its own: give a "subject", or a term that is @id';
    throw new RecordProblem(contextPlace, reason, record);
  }
  const { value: iri } = mark.subject;
  const fault = isAbsoluteIri(iri) ? faultOfIri(iri) : 'an absolute IRI was expected';
  if (fault !== undefined) throw new RecordProblem(contextPlace, fault, iri);
  return iri;
}

function isMark({ predicate }: Quad): boolean {
  return predicate.value === MARK;
}
