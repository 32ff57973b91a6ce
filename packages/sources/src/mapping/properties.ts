/*
 * Writes what a mapping says of an entity: the properties, and the nodes within, each compiled once to a closure; and
 * the SHACL shape that follows.
 *
 * With `{ predicate: 'ex:bikes', path: 'bikes', datatype: 'xsd:integer' }` the record `{ "bikes": 4 }` becomes the quad
 * `<entity> ex:bikes "4"^^xsd:integer` and, for the fingerprint, the text `k3Jx...1:4`: what the value is said by, how
 * long it is, and the value.
 */
import { hash } from 'node:crypto';
import {
  blankNode,
  type NodeShape,
  namedNode,
  nodeShapeQuads,
  type PropertyShape,
  quad,
  rdf,
} from '@ldes-live/rdf-stream';
import type { Quad, Quad_Object, Quad_Subject } from '@rdfjs/types';
import type { Scalar } from '../convert/converter.ts';
import type { MappingPath } from '../errors.ts';
import { type Compiling, expandIri } from './compiling.ts';
import { countLooks, isOfDocument, RecordProblem, type Scope, type ValuePlace } from './paths.ts';
import type { MappedNode, MappedProperty } from './schema.ts';
import type { SubjectTemplate } from './templates.ts';
import { type CompiledTerm, compileTerm } from './terms.ts';
import { type CompiledValue, compileValue } from './values.ts';

/** A node, and what is said of it as it grows. */
export interface Described {
  readonly subject: Quad_Subject;
  readonly quads: Quad[];
  /** What is said of it as text that is equal for equal content only: what fingerprints are made of. */
  text: string;
  /** Whether what is said of it makes a change when it differs. */
  readonly counted: boolean;
}

/** A property, compiled. */
export interface CompiledProperty {
  /**
   * Writes the property of a node, as often as there are values.
   *
   * @returns how often
   * @throws RecordProblem - it cannot be said of the record
   */
  readonly add: (scope: Scope, node: Described) => number;
  /** Whether it says the same of every record. */
  readonly constant: boolean;
  /** Whether it says something that is not the same whatever a document holds. */
  readonly hasContent: boolean;
  readonly required: boolean;
  /** Where its value is asked for, for reports. */
  readonly place: ValuePlace;
  readonly facts: PropertyFacts;
}

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

/** How many statements may be made of one record: it is mapped without a pause. */
export const MAX_RECORD_QUADS = 20_000;

/** @throws RecordProblem - so many statements are more than one record may become */
export function checkQuadCount(count: number, place: ValuePlace, value: unknown): void {
  if (count <= MAX_RECORD_QUADS) return;
  throw new RecordProblem(place, `it becomes more than ${MAX_RECORD_QUADS} statements: map less of it`, value);
}

/** Compiles the properties of an entity or of a node; mistakes are noted. */
export function compileProperties(
  properties: readonly MappedProperty[],
  at: MappingPath,
  template: SubjectTemplate,
  compiling: Compiling,
): CompiledProperty[] {
  return properties.map((property, index) =>
    compileProperty(property, [...at, 'properties', index], template, compiling),
  );
}

/** The classes of an entity or of a node; mistakes are noted. */
export class CompiledTypes {
  readonly iris: readonly string[];
  /** What they add to the text of what has them. */
  readonly text: string;
  readonly #nodes: readonly ReturnType<typeof namedNode>[];

  constructor(type: string | readonly string[] | undefined, at: MappingPath, compiling: Compiling) {
    const expanded = (compact: string, index: number) =>
      expandIri(compact, typeof type === 'string' ? at : [...at, index], compiling);
    this.iris = (type === undefined ? [] : typeof type === 'string' ? [type] : type).map(expanded);
    this.text = contentKey(this.iris.join(' '));
    this.#nodes = this.iris.map((iri) => namedNode(iri));
  }

  quads(subject: Quad_Subject): Quad[] {
    const quads: Quad[] = [];
    for (const type of this.#nodes) quads.push(quad(subject, typePredicate, type));
    return quads;
  }
}

const typePredicate = namedNode(rdf.type);

/** A term as text that is equal for equal terms only. Of IRIs and literals. */
export function termText(term: Quad_Object): string {
  if (term.termType !== 'Literal') return `<${term.value}>`;
  const { value, language, datatype } = term;
  return `${value.length}:${value}${language ? `@${language}` : `^${datatype.value}`}`;
}

/** Stands for a text that comes with every record, such as that of a predicate and a datatype: the shorter the cheaper. */
function contentKey(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}

function compileProperty(
  property: MappedProperty,
  at: MappingPath,
  template: SubjectTemplate,
  compiling: Compiling,
): CompiledProperty {
  const predicate = namedNode(expandIri(property.predicate, [...at, 'predicate'], compiling));
  // A node accounts for what its own properties say, and not for all that it is said of.
  const within = property.node && property.convert === undefined ? { ...compiling, covered: [] } : compiling;
  const found = propertyValue(property, at, within);
  const value = property.languagePath === undefined ? found : besideOthers(found);
  const required = property.required === true;
  const facts: PropertyFacts = { path: predicate.value, many: value.many, required };
  const common = { required, place: value.place };
  const ofDocument = value.paths.some(isOfDocument) || property.languagePath !== undefined;
  if (property.node) {
    const node = compileNode(property.node, [...at, 'node'], template, { ...compiling, scopes: value.scopes });
    const key = contentKey(predicate.value);
    const add = addingNodes(value, node, (made, described) => {
      described.quads.push(quad(described.subject, predicate, made.subject));
      for (const one of made.quads) described.quads.push(one);
      if (described.counted && !value.ignored) described.text += `${key}${made.text.length}:${made.text}`;
    });
    const hasContent = ofDocument || node.hasContent;
    return { ...common, add, constant: false, hasContent, facts: { ...facts, node: node.facts } };
  }
  const term = compileTerm(property, at, value, template, { ...compiling, scopes: value.valueScopes });
  const { ignored } = value;
  const kindVaries = term.kind === undefined;
  const key = contentKey(`${predicate.value} ${term.kind ?? '?'}`);
  const write: Write = (object, described) => {
    described.quads.push(quad(described.subject, predicate, object));
    if (!described.counted || ignored) return;
    const by = kindVaries ? `${key}${termKind(object)} ` : key;
    described.text += `${by}${object.value.length}:${object.value}`;
  };
  const constant = value.constant !== undefined && typeof property.iri !== 'string';
  const values = constant ? constantValues(property, value.constant as Scalar, term, at, compiling) : term.values;
  const add = value.many ? addingMany(value, term, write) : addingOne(value, term, write);
  const hasContent = ofDocument || term.paths?.some(isOfDocument) === true;
  return { ...common, add, constant, hasContent, facts: { ...facts, ...(values ? { values } : {}) } };
}

type Write = (object: Quad_Object, described: Described) => void;

/** What besides its value makes a term what it is: the language or the datatype of a literal. Empty for others. */
function termKind(term: Quad_Object): string {
  return term.termType === 'Literal' ? term.language || term.datatype.value : '';
}

function propertyValue(property: MappedProperty, at: MappingPath, compiling: Compiling): CompiledValue {
  const { path, paths, value, datatype } = property;
  if (path !== undefined || paths !== undefined || value !== undefined) {
    // Times that state no zone are mistakes unless the mapping has one, whoever converts them.
    const isTime =
      datatype !== undefined && compiling.iris.expand(datatype) === `${compiling.iris.expand('xsd:dateTime')}`;
    return compileValue(property, at, compiling, isTime ? 'iso' : undefined);
  }
  return {
    one: () => '',
    each: (scope, visit) => visit('', scope),
    eachScope: (scope, visit) => visit(scope),
    many: false,
    paths: [],
    constant: undefined,
    ignored: false,
    datatype: undefined,
    assured: false,
    place: { at, path: '' },
    scopes: compiling.scopes,
    valueScopes: compiling.scopes,
  };
}

/** Values with what they stand in, for what stands beside them. */
function besideOthers({ one: _, ...value }: CompiledValue): CompiledValue {
  return {
    ...value,
    valueScopes: value.scopes,
    each: (scope, visit) =>
      value.eachScope(scope, (found) => {
        if (typeof found.value === 'object') {
          throw new RecordProblem(value.place, 'a text was expected: lead the path into it', found.value);
        }
        visit(found.value as Scalar, found);
      }),
  };
}

function addingOne(value: CompiledValue, { make }: CompiledTerm, write: Write): CompiledProperty['add'] {
  const { one } = value;
  const add = (found: Scalar, scope: Scope, described: Described) => {
    const object = make(found, scope);
    if (object === undefined) return 0;
    write(object, described);
    return 1;
  };
  if (one) {
    return (scope, described) => {
      const found = one(scope);
      return found === undefined ? 0 : add(found, scope, described);
    };
  }
  return (scope, described) => {
    let added = 0;
    value.each(scope, (found, at) => {
      added += add(found, at, described);
    });
    return added;
  };
}

/** Lists come in any order and may repeat themselves; what they say is the same. */
function addingMany(value: CompiledValue, { make }: CompiledTerm, write: Write): CompiledProperty['add'] {
  return (scope, described) => {
    const objects = new Map<string, Quad_Object>();
    value.each(scope, (found, at) => {
      const object = make(found, at);
      if (object === undefined) return;
      objects.set(termText(object), object);
      checkQuadCount(described.quads.length + objects.size, value.place, at.value);
    });
    for (const [, object] of [...objects].sort(([one], [other]) => (one < other ? -1 : 1))) write(object, described);
    return objects.size;
  };
}

function addingNodes(
  value: CompiledValue,
  node: CompiledNode,
  write: (made: Described, described: Described) => void,
): CompiledProperty['add'] {
  return (scope, described) => {
    const nodes: Described[] = [];
    let { length: quads } = described.quads;
    value.eachScope(scope, (found) => {
      countLooks(node.facts.properties.length, found, value.place);
      const made = node.describe(found, described.counted && !value.ignored);
      if (!made) return;
      nodes.push(made);
      quads += made.quads.length + 1;
      checkQuadCount(quads, value.place, found.value);
    });
    if (nodes.length > 1) nodes.sort((one, other) => (one.text < other.text ? -1 : Number(one.text > other.text)));
    for (const made of nodes) write(made, described);
    return nodes.length;
  };
}

function constantValues(
  property: MappedProperty,
  constant: Scalar,
  { make, values }: CompiledTerm,
  at: MappingPath,
  { mistakes }: Compiling,
): PropertyFacts['values'] {
  try {
    const term = make(constant, undefined as never);
    return property.iri === true && term ? { in: [term.value] } : values;
  } catch (error) {
    if (!(error instanceof RecordProblem)) throw error;
    mistakes.add([...at, 'value'], error.message);
    return values;
  }
}

interface CompiledNode {
  /**
   * Describes a node, if there is anything to say of it.
   *
   * @param counted - whether it makes a change when it differs
   * @throws RecordProblem - it cannot be said of the record
   */
  readonly describe: (scope: Scope, counted: boolean) => Described | undefined;
  readonly hasContent: boolean;
  readonly facts: NodeFacts;
}

/**
 * Compiles what is said of a node within a record; mistakes are noted. The node is there if anything is said of it
 * that is not the same for every record, and nothing required is missing.
 */
function compileNode(node: MappedNode, at: MappingPath, template: SubjectTemplate, compiling: Compiling): CompiledNode {
  const types = new CompiledTypes(node.type, [...at, 'type'], compiling);
  const named =
    node.subject === undefined ? undefined : template(node.subject, [...at, 'subject'], 'node', compiling.scopes);
  const properties = compileProperties(node.properties, at, template, compiling);
  const always = properties.every(({ constant }) => constant);
  return {
    facts: { types: types.iris, properties: properties.map(({ facts }) => facts) },
    hasContent: properties.some(({ hasContent }) => hasContent),
    describe: (scope, counted) => {
      const iri = named?.expand(scope);
      if (named && iri === undefined) return undefined;
      const subject = iri === undefined ? nextBlankNode(scope) : namedNode(iri);
      const text = iri === undefined ? types.text : `${types.text}${iri.length}:${iri}`;
      const described: Described = { subject, quads: types.quads(subject), text, counted };
      let varies = always;
      for (const property of properties) {
        const times = property.add(scope, described);
        if (times === 0 && property.required) return undefined;
        if (times > 0 && !property.constant) varies = true;
      }
      return varies ? described : undefined;
    },
  };
}

/** Numbered over a run, so that no two records of a document have the same labels. */
function nextBlankNode({ run }: Scope): Quad_Subject {
  const label = run.blankNodes;
  run.blankNodes += 1;
  return blankNode(`b${label}`);
}

/** A SHACL shape, and the quads that say it. */
export interface MappingShape {
  readonly iri: string;
  readonly quads: Quad[];
}

/**
 * The SHACL shape of nodes: which properties they have, how often, and what their values are. Closed: what says anything
 * else does not have the shape.
 *
 * @param iri - of the shape; those of the nodes that they refer to begin with it
 * @param ignoredProperties - IRIs of what they may have besides
 * @see specs/mappings.md MAP-25
 */
export function mappingShape(iri: string, facts: NodeFacts, ignoredProperties: readonly string[]): MappingShape {
  return { iri, quads: shapesOf(iri, facts, ignoredProperties).flatMap(nodeShapeQuads) };
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
  const kinds = facts.flatMap(({ node }) => node ?? []);
  if (kinds.length === 0) return { property: { ...counted, ...valuesOf(facts) }, nodes: [] };
  // Values of both kinds have no shape in common.
  if (kinds.length < facts.length) return { property: counted, nodes: [] };
  const property = { ...counted, node: nodeIri };
  const [only, ...others] = kinds;
  if (only && others.length === 0) return { property, nodes: shapesOf(nodeIri, only, [rdf.type]) };
  const each = kinds.map((kind, index) => shapesOf(`${nodeIri}-or-${index + 1}`, kind, [rdf.type]));
  const or = each.map((_, index) => `${nodeIri}-or-${index + 1}`);
  return { property, nodes: [{ iri: nodeIri, properties: [], or }, ...each.flat()] };
}

function valuesOf(facts: readonly PropertyFacts[]): Pick<PropertyShape, 'datatypes' | 'nodeKindIri' | 'in'> {
  const values = facts.map((fact) => fact.values ?? {});
  if (values.every((value) => value.in)) return { in: [...new Set(values.flatMap((value) => value.in ?? []))] };
  if (values.every((value) => value.nodeKindIri || value.in)) return { nodeKindIri: true };
  const datatypes = [...new Set(values.flatMap((value) => value.datatypes ?? []))];
  return values.every((value) => value.datatypes) ? { datatypes } : {};
}
