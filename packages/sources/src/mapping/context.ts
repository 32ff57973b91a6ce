/*
 * Maps records by a JSON-LD context: each becomes RDF as the JSON-LD document that it then is.
 *
 * By `{ "id": "@id", "name": "http://www.w3.org/2000/01/rdf-schema#label" }` the record
 * `{ "id": "https://e.example/1", "name": "x" }` becomes `<https://e.example/1> rdfs:label "x"`. How JSON-LD is read is
 * passed in; what it makes is checked, since one record that the log refuses would take the others along.
 */
import { hash } from 'node:crypto';
import { checkQuads, isDatatypeOfLanguage, namedNode } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { isMapping } from '../convert/converter.ts';
import type { MappingPath } from '../errors.ts';
import { languageTag } from '../gtfs/to-rdf.ts';
import { inSlices, Slices } from '../slices.ts';
import { faultOfIri, isAbsoluteIri } from './iris.ts';
import {
  type DocumentPlan,
  DocumentResult,
  instantIn,
  type MappedDocument,
  MappedEntity,
  type MappingInput,
  resultTimeQuad,
} from './map-document.ts';
import { type PathStep, RecordProblem, type Scope, type ValuePlace } from './paths.ts';
import { checkQuadCount, MAX_RECORD_QUADS, termText } from './properties.ts';
import type { ContextMapping, ProblemList } from './schema.ts';
import type { Template } from './templates.ts';

/** Makes quads of a JSON-LD document; it fetches nothing. */
export type ToQuads = (jsonLd: object) => Promise<readonly Quad[]>;

/** What is done with the records of a mapping by a context. */
export interface ContextPlan extends DocumentPlan {
  readonly toQuads: ToQuads;
  readonly context: ContextMapping['context'];
  readonly terms: ContextTerms;
  readonly subject: Template | undefined;
  /** Whether the IRI comes from the document, so that there is a record wherever there is one. */
  readonly subjectHasContent: boolean;
  /** Paths of the record that make no change. */
  readonly ignored: readonly (readonly PathStep[])[];
}

/** What is known of a JSON-LD context without reading a document by it. */
export interface ContextTerms {
  /** Names of fields that are other names of `@id`. */
  readonly idNames: ReadonlySet<string>;
  /** The fields that it says something of; with `@vocab` the record as a whole. */
  readonly paths: readonly (readonly PathStep[])[];
  /** Whether it may say anything of a field. */
  readonly reads: (name: string) => boolean;
  /** Whether a term stands for an IRI as it is. */
  readonly says: (iri: string) => boolean;
}

/**
 * Looks at the terms of a JSON-LD context; what makes of every text a literal that no RDF can hold is noted.
 *
 * @see specs/mappings.md MAP-13
 */
export function contextTerms(context: ContextMapping['context'], mistakes: ProblemList): ContextTerms {
  const parts = Array.isArray(context) ? context : [context];
  const entries = parts.flatMap((one) => Object.entries(one));
  const terms = entries.filter(([name]) => !name.startsWith('@'));
  for (const [index, part] of parts.entries()) {
    const at = Array.isArray(context) ? ['context', index] : ['context'];
    noteLiterals(at, part, mistakes);
    for (const [name, definition] of Object.entries(part)) noteLiterals([...at, name], definition, mistakes);
  }
  const idOf = (definition: unknown): unknown => (isMapping(definition) ? definition['@id'] : definition);
  const all = entries.some(([name, value]) => name === '@vocab' && value !== null);
  const defined = new Set(terms.flatMap(([name, definition]) => (definition === null ? [] : [name])));
  // A term may have a context of its own, which says more of the record.
  const mayReadAll = all || terms.some(([, definition]) => isMapping(definition) && '@context' in definition);
  return {
    reads: (name) => mayReadAll || /[@:]/.test(name) || defined.has(name),
    idNames: new Set(['@id', ...terms.filter(([, definition]) => idOf(definition) === '@id').map(([name]) => name)]),
    paths: all ? [[]] : [...defined].map((name) => [{ field: name }]),
    says: (iri) => terms.some(([, definition]) => idOf(definition) === iri),
  };
}

function noteLiterals(at: MappingPath, definition: unknown, mistakes: ProblemList): void {
  if (!isMapping(definition)) return;
  const { '@language': language, '@type': type } = definition;
  if (typeof language === 'string' && languageTag(language) === undefined) {
    mistakes.add([...at, '@language'], `"${language}" is not a language tag such as nl`);
  }
  if (typeof type === 'string' && isDatatypeOfLanguage(type)) {
    mistakes.add([...at, '@type'], `${type} cannot be given as a datatype: give the language`);
  }
}

/** Maps a document by a JSON-LD context, record by record. */
export async function mapByContext(plan: ContextPlan, input: MappingInput): Promise<MappedDocument> {
  const result = new DocumentResult(plan, input);
  const slices = new Slices(plan.nowMs);
  const { items, scopeOf } = await inSlices(result.find(), slices);
  for (const [index, item] of items.entries()) {
    const record = scopeOf(item, index);
    if (!record) continue;
    if (slices.isOver) await slices.next();
    result.begin(record);
    try {
      result.take(await mapRecord(plan, record));
    } catch (problem) {
      result.leaveOut(problem);
    }
  }
  return result.close();
}

/** @throws RecordProblem - it cannot be mapped */
async function mapRecord(plan: ContextPlan, record: Scope): Promise<MappedEntity> {
  const named = plan.subject?.expand(record);
  record.run.subject = named ?? '';
  const { iri, quads } = await contextQuads(plan, record.value, named);
  record.run.subject = iri;
  const entity = plan.series?.expand(record) ?? iri;
  const types = plan.types.quads(namedNode(iri));
  const versionTime = instantIn(plan.versionTime, record);
  const besides = versionTime !== undefined && plan.addsTime ? [...types, resultTimeQuad(iri, versionTime)] : types;
  // Quads of a parser need not have methods.
  const isMade = (one: Quad) =>
    quads.some(
      ({ subject, predicate, object }) =>
        subject.value === iri && predicate.value === one.predicate.value && termText(object) === termText(one.object),
    );
  const made = [...quads, ...besides.filter((one) => !isMade(one))];
  checkQuadCount(made.length, CONTEXT, record.value);
  if (made.length === 0 || (quads.length === 0 && versionTime === undefined && !plan.subjectHasContent)) {
    throw new RecordProblem(CONTEXT, 'the context defines none of the fields of the record', record.value);
  }
  if (plan.kind === 'observation') return new MappedEntity(entity, iri, versionTime, made, '');
  const counted =
    plan.ignored.length === 0
      ? made
      : [...(await contextQuads(plan, withoutPaths(record.value, plan.ignored), iri)).quads, ...types];
  return new MappedEntity(entity, undefined, versionTime, made, quadsText(counted));
}

/** Where the mapping asks for what a context makes. */
const CONTEXT: ValuePlace = { at: ['context'], path: '' };

/** Said of the record alone while it is read, which tells its IRI from those of its parts. Never published. */
const MARK = 'urn:uuid:4d0b7d5e-6f0a-4f39-9a3f-5f8f0f3c2b1e';

/**
 * Reads a record by a JSON-LD context.
 *
 * @param named - its IRI, where the mapping has a `subject`; else it is the one that the record has of itself
 * @throws RecordProblem - it is not JSON-LD, says what no text of RDF can, uses a named graph, or has no IRI that can be
 * that of an entity
 */
async function contextQuads(
  plan: ContextPlan,
  record: unknown,
  named: string | undefined,
): Promise<{ readonly iri: string; readonly quads: readonly Quad[] }> {
  const quads = await quadsOf(plan, record, named === undefined ? { [MARK]: true } : { '@id': named });
  if (quads.some(({ graph }) => graph.termType !== 'DefaultGraph')) {
    const reason = 'the context puts a part of the record into a named graph, which members cannot have';
    throw new RecordProblem(CONTEXT, reason, record);
  }
  if (named !== undefined) return { iri: named, quads };
  return { iri: ownIri(quads, record), quads: quads.filter((quad) => !isMark(quad)) };
}

async function quadsOf(plan: ContextPlan, record: unknown, besides: object): Promise<readonly Quad[]> {
  if (!isMapping(record)) {
    const reason = 'a mapping was expected: only its fields can be terms of the context';
    throw new RecordProblem(CONTEXT, reason, record);
  }
  const isNamed = '@id' in besides;
  const fields = Object.entries(record).filter(([name, value]) => {
    // A context of the source's own would have the last word, and could be anywhere.
    if (name === '@context' || name === MARK) return false;
    // The empty text is absent, and no IRI that stands for the stream.
    return !plan.terms.idNames.has(name) || (!isNamed && value !== '');
  });
  const read = fields.flatMap(([name, value]) => (plan.terms.reads(name) ? [value] : []));
  if (valueCount(read, MAX_RECORD_QUADS) > MAX_RECORD_QUADS) {
    const reason = `the context reads more than ${MAX_RECORD_QUADS} values of it: map less of it`;
    throw new RecordProblem(CONTEXT, reason, record);
  }
  try {
    const quads = await plan.toQuads({ '@context': plan.context, ...besides, ...Object.fromEntries(fields) });
    // Whoever reads the JSON-LD: one record that the log refuses would take all others of its commit along.
    checkQuads(quads, 'nquads', true);
    return quads;
  } catch (error) {
    const reason = `it is not JSON-LD (${error instanceof Error ? error.message : String(error)})`;
    throw new RecordProblem(CONTEXT, reason, record);
  }
}

/** How many texts, numbers and mappings are in a value; it stops to count beyond a limit. */
function valueCount(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = Array.isArray(value) ? 0 : 1;
  for (const inner of Object.values(value)) {
    if (count > limit) break;
    count += valueCount(inner, limit - count);
  }
  return Math.max(count, 1);
}

function ownIri(quads: readonly Quad[], record: unknown): string {
  const [mark, ...others] = quads.filter(isMark);
  if (mark?.subject.termType !== 'NamedNode' || others.length > 0) {
    const reason = 'the record has no IRI: give a "subject", or a term that is @id';
    throw new RecordProblem(CONTEXT, reason, record);
  }
  const { value: iri } = mark.subject;
  const fault = isAbsoluteIri(iri) ? faultOfIri(iri) : 'an absolute IRI was expected';
  if (fault !== undefined) throw new RecordProblem(CONTEXT, fault, iri);
  return iri;
}

function isMark({ predicate }: Quad): boolean {
  return predicate.value === MARK;
}

/** A copy of a record without what paths lead to. */
function withoutPaths(record: unknown, paths: readonly (readonly PathStep[])[]): unknown {
  return paths.reduce(withoutPath, record);
}

function withoutPath(value: unknown, [step, ...rest]: readonly PathStep[]): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return value;
  const leads = (key: string) => step === 'each' || key === String('item' in step ? step.item : step.field);
  const kept = Object.entries(value)
    .filter(([key]) => rest.length > 0 || !leads(key))
    .map(([key, item]) => [key, leads(key) ? withoutPath(item, rest) : item] as const);
  return Array.isArray(value) ? kept.map(([, item]) => item) : Object.fromEntries(kept);
}

/** Longer texts of nodes are hashed, in characters: two that have one node twice each would double its text at each level. */
const MAX_NODE_TEXT = 1000;

/**
 * What quads say, as text that does not depend on their order, nor on the labels of blank nodes that hang together as
 * trees.
 */
function quadsText(quads: readonly Quad[]): string {
  const bySubject = new Map<string, Quad[]>();
  for (const quad of quads) {
    const subject = nameOf(quad.subject);
    const known = bySubject.get(subject);
    if (known) known.push(quad);
    else bySubject.set(subject, [quad]);
  }
  const texts = new Map<string, string>();
  // In a loop: a list in RDF is as many levels deep as it has items.
  const textOf = (top: string): string => {
    const above = new Map<string, number>();
    const todo = [top];
    while (todo.length > 0) {
      const subject = todo.at(-1) as string;
      const said = bySubject.get(subject) ?? [];
      if (!above.has(subject) && !texts.has(subject)) {
        above.set(subject, above.size);
        const inner = said.flatMap(({ object }) => (object.termType === 'BlankNode' ? [nameOf(object)] : []));
        todo.push(...inner.filter((name) => !above.has(name) && !texts.has(name)).reverse());
        continue;
      }
      todo.pop();
      if (!above.has(subject)) continue;
      const lines = said.map(({ predicate, object }) => {
        if (object.termType !== 'BlankNode') return `${predicate.value} ${termText(object)}`;
        const level = above.get(nameOf(object));
        return `${predicate.value} ${level === undefined ? `[${texts.get(nameOf(object))}]` : `^${level}`}`;
      });
      const text = lines.sort().join('\n');
      texts.set(subject, subject === top || text.length <= MAX_NODE_TEXT ? text : hash('sha256', text, 'base64url'));
      above.delete(subject);
    }
    return texts.get(top) as string;
  };
  const inner = new Set(quads.flatMap(({ object }) => (object.termType === 'BlankNode' ? [nameOf(object)] : [])));
  const tops = [...bySubject.keys()].filter((subject) => !inner.has(subject));
  return tops
    .map((subject) => `${subject.startsWith('_:') ? '[]' : subject}\n${textOf(subject)}`)
    .sort()
    .join('\n\n');
}

function nameOf({ termType, value }: Term): string {
  return termType === 'BlankNode' ? `_:${value}` : `<${value}>`;
}
