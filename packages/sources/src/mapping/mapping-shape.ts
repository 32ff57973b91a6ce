import { dct, type NodeShape, nodeShapeQuads, type PropertyShape, prov, rdf, sosa, xsd } from '@ldes-live/rdf-stream';
import type { MappingShape } from './compiled-mapping.ts';
import type { NodeFacts, PropertyFacts } from './described.ts';
import type { RecordPlan } from './record-plan.ts';

/**
 * The SHACL shape of what a mapping writes: which properties an entity has, how often, and what their values are.
 * Closed: what says anything else does not have the shape.
 *
 * @param documentUrl - URL of the document that the shape is served in: where its parts stand
 * @param sequencePath - of the log
 * @see specs/mappings.md MAP-25
 */
export function mappingShape(plan: RecordPlan, documentUrl: string, sequencePath: string): MappingShape {
  const iri = `${documentUrl}#Mapped`;
  const properties = plan.properties.map(({ facts }) => facts);
  const time: PropertyFacts = {
    path: sosa.resultTime,
    many: false,
    required: false,
    values: { datatypes: [xsd.dateTime] },
  };
  const facts: NodeFacts = {
    types: plan.types,
    properties: plan.versionTime && plan.saysTime ? [...properties, time] : properties,
  };
  const besides = [rdf.type, dct.isVersionOf, prov.generatedAtTime, sequencePath];
  return { iri, quads: shapesOf(iri, facts, besides).flatMap(nodeShapeQuads) };
}

/** The shape of a kind of node, and those of the nodes that it refers to. */
function shapesOf(iri: string, { types, properties }: NodeFacts, ignoredProperties: readonly string[]): NodeShape[] {
  const byPath = new Map<string, PropertyFacts[]>();
  for (const facts of properties) byPath.set(facts.path, [...(byPath.get(facts.path) ?? []), facts]);
  const type: PropertyShape = {
    path: rdf.type,
    ...(byPath.has(rdf.type) ? {} : { maxCount: types.length }),
    hasValue: types,
  };
  byPath.delete(rdf.type);
  const parts = [...byPath].map(([path, facts], index) => propertyShape(path, facts, `${iri}-${index + 1}`));
  const inner = parts.flatMap(({ nodes }) => nodes);
  return [{ iri, properties: [type, ...parts.map(({ property }) => property)], ignoredProperties }, ...inner];
}

/** What is said of one property, and of the nodes that it leads to. */
function propertyShape(
  path: string,
  facts: readonly PropertyFacts[],
  nodeIri: string,
): { property: PropertyShape; nodes: readonly NodeShape[] } {
  const counted = {
    path,
    ...(facts.some(({ required }) => required) ? { minCount: 1 } : {}),
    ...(facts.some(({ many }) => many) ? {} : { maxCount: facts.length }),
  };
  const kinds = facts.flatMap(({ node }) => (node ? [node] : []));
  if (kinds.length === 0) return { property: { ...counted, ...valuesOf(facts) }, nodes: [] };
  // Values of both kinds have no shape in common.
  if (kinds.length < facts.length) return { property: counted, nodes: [] };
  const [only, ...others] = kinds.map((kind, index) =>
    shapesOf(kinds.length === 1 ? nodeIri : `${nodeIri}-or-${index + 1}`, kind, [rdf.type]),
  );
  const first = only as NodeShape[];
  if (others.length === 0) return { property: { ...counted, node: nodeIri }, nodes: first };
  const any = [first, ...others].map(([shape]) => (shape as NodeShape).iri);
  const nodes = [{ iri: nodeIri, properties: [], or: any }, ...first, ...others.flat()];
  return { property: { ...counted, node: nodeIri }, nodes };
}

function valuesOf(facts: readonly PropertyFacts[]): Pick<PropertyShape, 'datatypes' | 'nodeKindIri' | 'in'> {
  const values = facts.map((fact) => fact.values ?? {});
  if (values.every((value) => value.in)) return { in: [...new Set(values.flatMap((value) => value.in ?? []))] };
  if (values.every((value) => value.nodeKindIri || value.in)) return { nodeKindIri: true };
  const datatypes = [...new Set(values.flatMap((value) => value.datatypes ?? []))];
  return values.every((value) => value.datatypes) ? { datatypes } : {};
}
