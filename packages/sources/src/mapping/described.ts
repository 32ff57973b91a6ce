import type { PropertyShape } from '@ldes-live/rdf-stream';
import type { Quad, Quad_Subject } from '@rdfjs/types';
import type { MappingPath } from '../errors.ts';
import type { Compiling } from './compiling.ts';
import type { ContentHash } from './content-hash.ts';
import type { Scope } from './paths.ts';
import type { MappedNode } from './schema.ts';
import type { SubjectTemplate } from './templates.ts';

/** A node, and what is said of it as it grows. */
export interface Described {
  readonly subject: Quad_Subject;
  readonly quads: Quad[];
  /** What its fingerprint is made of. */
  readonly hash: ContentHash;
  /** Whether what is said of it makes a change when it differs. */
  readonly counted: boolean;
}

/** A node within a record, and what is said of it. */
export interface SaidNode {
  readonly subject: Quad_Subject;
  readonly quads: readonly Quad[];
  /** Equal for equal content. */
  readonly digest: string;
}

/** What is said of a kind of node within records, compiled. */
export interface CompiledNode {
  /**
   * Says what there is to say of a node, if there is anything.
   *
   * @param counted - whether it makes a change when it differs
   * @throws RecordProblem - it cannot be said of the record
   */
  readonly say: (scope: Scope, counted: boolean) => SaidNode | undefined;
  readonly facts: NodeFacts;
}

/** Compiles a node. */
export type CompileNode = (
  node: MappedNode,
  at: MappingPath,
  template: SubjectTemplate,
  compiling: Compiling,
) => CompiledNode;

/** What a property of a mapping can say, for the shape. */
export interface PropertyFacts {
  /** IRI of the property. */
  readonly path: string;
  readonly many: boolean;
  readonly required: boolean;
  readonly values?: Pick<PropertyShape, 'datatypes' | 'nodeKindIri' | 'in'>;
  readonly node?: NodeFacts;
}

/** What is said of a kind of node, for the shape. */
export interface NodeFacts {
  /** IRIs of its classes. */
  readonly types: readonly string[];
  readonly properties: readonly PropertyFacts[];
}
