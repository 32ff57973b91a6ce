import { blankNode, namedNode, quad, rdf } from '@ldes-live/rdf-stream';
import type { Quad, Quad_Subject } from '@rdfjs/types';
import type { MappingPath } from '../errors.ts';
import { type CompiledProperty, compileProperty } from './compile-property.ts';
import { type Compiling, expandIri } from './compiling.ts';
import { ContentHash, numberOf } from './content-hash.ts';
import type { CompileNode, Described, NodeFacts, SaidNode } from './described.ts';
import type { SubjectTemplate } from './templates.ts';

type NamedNode = ReturnType<typeof namedNode>;

const typePredicate = namedNode(rdf.type);

/**
 * Compiles what is said of a node within a record; mistakes are noted. The node is there if anything is said of it
 * that is not the same for every record, and nothing required is missing.
 *
 * @see specs/mappings.md MAP-16
 */
const compileNode: CompileNode = (node, at, template, compiling) => {
  const types = typeIris(node.type, [...at, 'type'], compiling);
  const subjectOf =
    node.subject === undefined ? undefined : template(node.subject, [...at, 'subject'], 'node', compiling.scopes);
  const properties = compileProperties(node.properties, at, template, compiling);
  const always = properties.every(({ constant }) => constant);
  const typeNodes = types.map((type) => namedNode(type));
  const typeNumber = numberOf(types.join(' '));
  const facts: NodeFacts = { types, properties: properties.map((property) => property.facts) };
  return {
    facts,
    say: (scope, counted): SaidNode | undefined => {
      const subject = nodeSubject(subjectOf?.expand(scope, ''), subjectOf !== undefined, scope.run);
      if (!subject) return undefined;
      const quads = typeQuads(subject, typeNodes);
      const hash = new ContentHash(typeNumber);
      if (subject.termType === 'NamedNode') hash.text(subject.value);
      const described: Described = { subject, quads, hash, counted };
      let varies = always;
      for (const property of properties) {
        const times = property.say(scope, described);
        if (times === 0 && property.required) return undefined;
        if (times > 0 && !property.constant) varies = true;
      }
      return varies ? { subject, quads, digest: hash.digest() } : undefined;
    },
  };
};

/** Compiles the properties of an entity or a node. */
export function compileProperties(
  properties: readonly Parameters<typeof compileProperty>[0][],
  at: MappingPath,
  template: SubjectTemplate,
  compiling: Compiling,
): CompiledProperty[] {
  return properties.map((property, index) =>
    compileProperty(property, [...at, 'properties', index], template, compiling, compileNode),
  );
}

/** The IRIs of classes. */
export function typeIris(
  type: string | readonly string[] | undefined,
  at: MappingPath,
  compiling: Compiling,
): readonly string[] {
  if (type === undefined) return [];
  if (typeof type === 'string') return [expandIri(type, at, compiling)];
  return type.map((compact, index) => expandIri(compact, [...at, index], compiling));
}

/** Says the classes of a node. */
export function typeQuads(subject: Quad_Subject, typeNodes: readonly NamedNode[]): Quad[] {
  const quads: Quad[] = [];
  for (const type of typeNodes) quads.push(quad(subject, typePredicate, type));
  return quads;
}

function nodeSubject(iri: string | undefined, named: boolean, run: { blankNodes: number }): Quad_Subject | undefined {
  if (named) return iri === undefined ? undefined : namedNode(iri);
  const label = run.blankNodes;
  run.blankNodes += 1;
  return blankNode(`b${label}`);
}
