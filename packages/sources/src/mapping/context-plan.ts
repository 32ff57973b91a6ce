import type { namedNode } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import type { EachRecord } from './compile-records.ts';
import type { ContextTerms } from './context-terms.ts';
import type { DocumentFacts } from './document-facts.ts';
import type { PathStep } from './paths.ts';
import type { ContextMapping, LineOf } from './schema.ts';
import type { Template } from './templates.ts';
import type { CompiledValue } from './values.ts';

/** A mapping that is a JSON-LD context, compiled. */
export interface ContextPlan {
  readonly kind: 'state' | 'observation';
  readonly toQuads: (jsonLd: object) => Promise<readonly Quad[]>;
  readonly context: ContextMapping['context'];
  readonly terms: ContextTerms;
  readonly eachRecord: EachRecord;
  readonly subject?: Template;
  /** Whether the IRI comes from the document, so that there is a record wherever there is one. */
  readonly subjectTells: boolean;
  readonly series?: Template;
  readonly typeNodes: readonly ReturnType<typeof namedNode>[];
  readonly versionTime?: CompiledValue;
  /** Whether the version time is said besides what the context makes. */
  readonly saysTime: boolean;
  /** Paths of the record that make no change. */
  readonly ignored: readonly (readonly PathStep[])[];
  /** The paths of the record that are accounted for. */
  readonly covered: readonly (readonly PathStep[])[];
  readonly facts: DocumentFacts;
  readonly lineOf?: LineOf;
}
