import type { namedNode } from '@ldes-live/rdf-stream';
import type { FindInLookup } from './compile-lookups.ts';
import type { CompiledProperty } from './compile-property.ts';
import type { EachRecord } from './compile-records.ts';
import type { CompiledPath } from './compiling.ts';
import type { DocumentFacts } from './document-facts.ts';
import type { PathStep, ValuePlace } from './paths.ts';
import type { LineOf } from './schema.ts';
import type { Template } from './templates.ts';
import type { CompiledValue } from './values.ts';

/** What tells records apart. */
export interface KeyPlan {
  /** The paths of `key`, where the mapping names them. */
  readonly keys: readonly { readonly path: CompiledPath; readonly place: ValuePlace }[];
  readonly subject: Template;
  readonly series?: Template;
}

/** A mapping, compiled: what is done with each record. */
export interface RecordPlan extends KeyPlan {
  readonly kind: 'state' | 'observation';
  readonly eachRecord: EachRecord;
  /** Whether the mapping reads nothing of a record but its fields, so that what has none is no record; where `telling` does not say so. */
  readonly hasFields: boolean;
  /** Whether the records are one value, so that a list there is a mistake. */
  readonly mustNotBeList: boolean;
  readonly findInLookup: FindInLookup;
  /** The names of the lookups. */
  readonly lookups: readonly string[];
  /** IRIs of the classes of each entity. */
  readonly types: readonly string[];
  readonly typeNodes: readonly ReturnType<typeof namedNode>[];
  /** What the classes count in fingerprints. */
  readonly typeNumber: number;
  readonly properties: readonly CompiledProperty[];
  /** Those of which one has to say something, where nothing else tells that a record is one. */
  readonly telling?: ReadonlySet<CompiledProperty>;
  readonly versionTime?: CompiledValue;
  /** Whether the version time is said besides the properties. */
  readonly saysTime: boolean;
  /** The paths of the record that are accounted for. */
  readonly covered: readonly (readonly PathStep[])[];
  readonly facts: DocumentFacts;
  readonly lineOf?: LineOf;
}
