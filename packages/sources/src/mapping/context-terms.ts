import type { PathStep } from './paths.ts';
import type { ContextMapping } from './schema.ts';

/** What is known of a JSON-LD context without reading a document by it. */
export interface ContextTerms {
  /** Names of fields that are other names of `@id`. */
  readonly idNames: ReadonlySet<string>;
  /** The fields that it says something of; with `@vocab` the record as a whole. */
  readonly paths: readonly (readonly PathStep[])[];
  /** Whether a term stands for an IRI as it is. */
  readonly says: (iri: string) => boolean;
}

/** Looks at the terms of a JSON-LD context. */
export function contextTerms(context: ContextMapping['context']): ContextTerms {
  const entries = (Array.isArray(context) ? context : [context]).flatMap((one) => Object.entries(one));
  const terms = entries.filter(([name]) => !name.startsWith('@'));
  const idOf = (definition: unknown): unknown =>
    typeof definition === 'object' && definition !== null ? (definition as { '@id'?: unknown })['@id'] : definition;
  const all = entries.some(([name, value]) => name === '@vocab' && value !== null);
  return {
    idNames: new Set(['@id', ...terms.filter(([, definition]) => idOf(definition) === '@id').map(([name]) => name)]),
    paths: all ? [[]] : terms.filter(([, definition]) => definition !== null).map(([name]) => [{ field: name }]),
    says: (iri) => terms.some(([, definition]) => idOf(definition) === iri),
  };
}
