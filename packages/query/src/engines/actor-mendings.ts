import type { Term } from '@rdfjs/types';
import { DataFactory } from 'rdf-data-factory';
import type { ComunicaActor } from './comunica-buses.ts';

interface Optimizer extends ComunicaActor {
  run(action: { operation: object; context: object }): Promise<{ operation: object; context: object }>;
}

interface Operator extends ComunicaActor {
  readonly mediatorQueryOperation: { mediate(action: { operation: object; context: object }): Promise<Output> };
  runOperation(operation: Asked, context: object): Promise<Output>;
}

interface PathActor extends Operator {
  generateVariable(factory: { variable(name: string): unknown }): unknown;
}

interface Join extends ComunicaActor {
  canHandleUndefs: boolean;
}

/** What of an operation is used here. */
interface Asked {
  readonly variables?: readonly object[];
  readonly subject?: Term;
  readonly object?: Term;
}

interface Solution {
  get(variable: Term): Term | undefined;
  delete(variable: Term): Solution;
}

interface Output {
  readonly bindingsStream: { map(change: (solution: Solution) => Solution | null): Output['bindingsStream'] };
  metadata(): Promise<Metadata>;
}

/** What an operation tells of its solutions before it gives them. */
interface Metadata {
  readonly variables: readonly { readonly variable: Term; readonly canBeUndef: boolean }[];
  readonly cardinality: { readonly type: 'estimate' | 'exact'; readonly value: number };
}

/** No query can name such variables. */
const PROPERTY = 'negated property';
const END = new DataFactory().variable('end of a path');

/** The actor makes nothing better. */
export function leaveAsItIs(actor: ComunicaActor): boolean {
  if (!isOptimizer(actor)) return false;
  actor.run = async ({ operation, context }) => ({ operation, context });
  return true;
}

/** Aggregates over nothing have a solution, and none of their variables needs to have a value. */
export function tellOfGroups(actor: ComunicaActor): boolean {
  return tellOtherwise(actor, (metadata, { variables = [] }) => ({
    ...metadata,
    variables: metadata.variables.map((each) => ({ ...each, canBeUndef: true })),
    ...(variables.length === 0 && { cardinality: { type: 'exact', value: 1 } }),
  }));
}

/** What BIND cannot find has no value: its variable, the last one, may have none. */
export function tellOfBinds(actor: ComunicaActor): boolean {
  return tellOtherwise(actor, (metadata) => ({
    ...metadata,
    variables: metadata.variables.map((each, at, { length }) =>
      at === length - 1 ? { ...each, canBeUndef: true } : each,
    ),
  }));
}

/** The variable for the property is one that no query has, and not told. */
export function hideProperty(actor: ComunicaActor): boolean {
  if (!isOperator(actor) || !('generateVariable' in actor)) return false;
  (actor as PathActor).generateVariable = (factory) => factory.variable(PROPERTY);
  return tellOtherwise(actor, (metadata) => without(metadata, PROPERTY));
}

/** A path that ends where it begins is one to any end, of which those stay that do. */
export function closePaths(actor: ComunicaActor): boolean {
  if (!isOperator(actor)) return false;
  const run = actor.runOperation;
  actor.runOperation = async (operation, context) => {
    const { subject, object } = operation;
    if (subject?.termType !== 'Variable' || !object?.equals(subject)) return run.call(actor, operation, context);
    const output = await run.call(actor, { ...operation, object: END }, context);
    const isClosed = (solution: Solution) => solution.get(subject)?.equals(solution.get(END));
    return {
      ...output,
      bindingsStream: output.bindingsStream.map((solution) => (isClosed(solution) ? solution.delete(END) : null)),
      metadata: async () => without(await output.metadata(), END.value),
    };
  };
  return true;
}

/** REDUCED is answered as DISTINCT. */
export function reduceFully(actor: ComunicaActor): boolean {
  if (!isOperator(actor)) return false;
  actor.runOperation = (operation, context) =>
    actor.mediatorQueryOperation.mediate({ operation: { ...operation, type: 'distinct' } as object, context });
  return true;
}

/** The join is not taken where variables may have no value. */
export function requireValues(actor: ComunicaActor): boolean {
  if (!('canHandleUndefs' in actor)) return false;
  (actor as Join).canHandleUndefs = false;
  return true;
}

function tellOtherwise(actor: ComunicaActor, change: (metadata: Metadata, operation: Asked) => Metadata): boolean {
  if (!isOperator(actor)) return false;
  const run = actor.runOperation;
  actor.runOperation = async (operation, context) => {
    const output = await run.call(actor, operation, context);
    return { ...output, metadata: async () => change(await output.metadata(), operation) };
  };
  return true;
}

function without(metadata: Metadata, name: string): Metadata {
  return { ...metadata, variables: metadata.variables.filter((each) => each.variable.value !== name) };
}

function isOptimizer(actor: ComunicaActor): actor is Optimizer {
  return 'run' in actor && typeof actor.run === 'function';
}

function isOperator(actor: ComunicaActor): actor is Operator {
  return 'runOperation' in actor && 'mediatorQueryOperation' in actor;
}
