import { namedNode, quad } from '@ldes-live/rdf-stream';
import type { Quad_Object } from '@rdfjs/types';
import type { Scalar } from '../convert/converter.ts';
import type { MappingPath } from '../errors.ts';
import { type Compiling, expandIri } from './compiling.ts';
import { numberOf, termKind, termText } from './content-hash.ts';
import type { CompiledNode, CompileNode, Described, PropertyFacts, SaidNode } from './described.ts';
import { RecordProblem, type Scope, type ValuePlace } from './paths.ts';
import type { MappedProperty } from './schema.ts';
import type { SubjectTemplate } from './templates.ts';
import { type CompiledTerm, compileTerm } from './terms.ts';
import { type CompiledValue, compileValue } from './values.ts';

/** A property, compiled. */
export interface CompiledProperty {
  /**
   * Says the property of a node, as often as there are values.
   *
   * @returns how often
   * @throws RecordProblem - it cannot be said of the record
   */
  readonly say: (scope: Scope, node: Described) => number;
  /** Whether it says the same of every record. */
  readonly constant: boolean;
  readonly required: boolean;
  /** Where its value is asked for, for reports. */
  readonly place: ValuePlace;
  readonly facts: PropertyFacts;
}

/**
 * Compiles a property; mistakes are noted.
 *
 * @see specs/mappings.md MAP-11
 */
export function compileProperty(
  property: MappedProperty,
  at: MappingPath,
  template: SubjectTemplate,
  compiling: Compiling,
  compileNode: CompileNode,
): CompiledProperty {
  const predicate = namedNode(expandIri(property.predicate, [...at, 'predicate'], compiling));
  // A node accounts for what its own properties say, and not for all that it is said of.
  const within = property.node && property.convert === undefined ? { ...compiling, covered: [] } : compiling;
  const found = propertyValue(property, at, within);
  const value = property.languagePath === undefined ? found : besideOthers(found);
  const required = property.required === true;
  const facts: PropertyFacts = { path: predicate.value, many: value.many, required };
  const common = { required, place: value.place };
  if (property.node) {
    const node = compileNode(property.node, [...at, 'node'], template, { ...compiling, scopes: value.scopes });
    const predicateNumber = numberOf(predicate.value);
    const say = sayingNodes(value, node, (said, { subject, quads, hash, counted }) => {
      quads.push(quad(subject, predicate, said.subject), ...said.quads);
      if (!counted || value.ignored) return;
      hash.text(said.digest, predicateNumber);
    });
    return { ...common, say, constant: false, facts: { ...facts, node: node.facts } };
  }
  const term = compileTerm(property, at, value, template, { ...compiling, scopes: value.valueScopes });
  const { ignored } = value;
  const kindVaries = term.kind === undefined;
  const sameNumber = numberOf(`${predicate.value} ${term.kind ?? ''}`);
  const write: Write = (object, { subject, quads, hash, counted }) => {
    quads.push(quad(subject, predicate, object));
    if (!counted || ignored) return;
    hash.text(object.value, kindVaries ? sameNumber ^ numberOf(termKind(object)) : sameNumber);
  };
  const constant = value.constant !== undefined && typeof property.iri !== 'string';
  const values = constant ? constantValues(property, value.constant as Scalar, term, at, compiling) : term.values;
  const say = value.many ? sayingMany(value, term, write) : sayingOne(value, term, write);
  return { ...common, say, constant, facts: { ...facts, ...(values ? { values } : {}) } };
}

type Write = (object: Quad_Object, described: Described) => void;

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

function sayingOne(value: CompiledValue, { make }: CompiledTerm, write: Write): CompiledProperty['say'] {
  const { one } = value;
  const say = (found: Scalar, scope: Scope, described: Described) => {
    const object = make(found, scope);
    if (object === undefined) return 0;
    write(object, described);
    return 1;
  };
  if (one) {
    return (scope, described) => {
      const found = one(scope);
      return found === undefined ? 0 : say(found, scope, described);
    };
  }
  return (scope, described) => {
    let said = 0;
    value.each(scope, (found, at) => {
      said += say(found, at, described);
    });
    return said;
  };
}

/** Lists come in any order and may repeat themselves; what they say is the same. */
function sayingMany(value: CompiledValue, { make }: CompiledTerm, write: Write): CompiledProperty['say'] {
  return (scope, described) => {
    const objects = new Map<string, Quad_Object>();
    value.each(scope, (found, at) => {
      const object = make(found, at);
      if (object !== undefined) objects.set(termText(object), object);
    });
    for (const [, object] of [...objects].sort(([one], [other]) => (one < other ? -1 : 1))) write(object, described);
    return objects.size;
  };
}

function sayingNodes(
  value: CompiledValue,
  node: CompiledNode,
  write: (said: SaidNode, described: Described) => void,
): CompiledProperty['say'] {
  return (scope, described) => {
    const nodes: SaidNode[] = [];
    value.eachScope(scope, (found) => {
      const said = node.say(found, described.counted && !value.ignored);
      if (said) nodes.push(said);
    });
    if (nodes.length > 1)
      nodes.sort((one, other) => (one.digest < other.digest ? -1 : Number(one.digest > other.digest)));
    for (const said of nodes) write(said, described);
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
