import type { Term } from '@rdfjs/types';
import { DataFactory } from 'rdf-data-factory';

type Mending = readonly [name: string, mend: (actor: ComunicaActor) => boolean];

/** What is wrong in the pinned version of Comunica (5.4.1), by the actor that is at fault. */
const optimizations: readonly Mending[] = [
  // It takes branches of UNION and of | out that no quad fits, and where none is left, takes the whole query for one without
  // solutions, also when they stand in MINUS or EXISTS, or are counted.
  ['prune-empty-source-operations', leaveAsItIs],
  // It moves FILTERs that compare with a constant to the patterns that they are about, and forgets them where there is none,
  // as in a branch of UNION without the variable; a path in GRAPH becomes one of the default graph.
  ['filter-pushdown', leaveAsItIs],
];
const operations: readonly Mending[] = [
  // It tells that there is nothing where nothing is counted, and that its variables have values where they have none.
  ['group', tellOfGroups],
  // It tells that its variable has a value where the expression fails.
  ['extend', tellOfBinds],
  // It takes ?b for the property without asking whether the query has one, and tells those that join of it.
  ['path-nps', hideProperty],
  // They find only the cycles of one step where both ends are the same variable.
  ['path-one-or-more', closePaths],
  ['path-zero-or-more', closePaths],
  ['path-zero-or-one', closePaths],
  // It takes those for equal that differ in language or datatype only.
  ['reduced', reduceFully],
];
// They lose solutions in which a variable of both sides has no value.
const joins: readonly Mending[] = [
  ['optional-hash-undef-blocking', requireValues],
  ['optional-hash-undef-nonblocking', requireValues],
];

/**
 * Mends what is known to give wrong solutions in the pinned version of Comunica, of one engine only.
 *
 * @returns the first actor that is not there to be mended; `undefined` when all is well
 * @see specs/query.md QUERY-27
 */
export function mendActors(engine: object): string | undefined {
  const buses = comunicaBuses(engine);
  return (
    firstMissing(buses.optimizations?.actors, optimizations) ??
    firstMissing(buses.operations?.actors, operations) ??
    firstMissing(buses.joins?.actors, joins)
  );
}

function firstMissing(actors: readonly ComunicaActor[] = [], mendings: readonly Mending[]): string | undefined {
  const missing = mendings.find(([name, mend]) => {
    const actor = actors.find((each) => each.name?.endsWith(`#${name}`));
    return !actor || !mend(actor);
  });
  return missing?.[0];
}

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
function leaveAsItIs(actor: ComunicaActor): boolean {
  if (!isOptimizer(actor)) return false;
  actor.run = async ({ operation, context }) => ({ operation, context });
  return true;
}

/** Aggregates over nothing have a solution, and none of their variables needs to have a value. */
function tellOfGroups(actor: ComunicaActor): boolean {
  return tellOtherwise(actor, (metadata, { variables = [] }) => ({
    ...metadata,
    variables: metadata.variables.map((each) => ({ ...each, canBeUndef: true })),
    ...(variables.length === 0 && { cardinality: { type: 'exact', value: 1 } }),
  }));
}

/** What BIND cannot find has no value: its variable, the last one, may have none. */
function tellOfBinds(actor: ComunicaActor): boolean {
  return tellOtherwise(actor, (metadata) => ({
    ...metadata,
    variables: metadata.variables.map((each, at, { length }) =>
      at === length - 1 ? { ...each, canBeUndef: true } : each,
    ),
  }));
}

/** The variable for the property is one that no query has, and not told. */
function hideProperty(actor: ComunicaActor): boolean {
  if (!isOperator(actor) || !('generateVariable' in actor)) return false;
  (actor as PathActor).generateVariable = (factory) => factory.variable(PROPERTY);
  return tellOtherwise(actor, (metadata) => without(metadata, PROPERTY));
}

/** A path that ends where it begins is one to any end, of which those stay that do. */
function closePaths(actor: ComunicaActor): boolean {
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
function reduceFully(actor: ComunicaActor): boolean {
  if (!isOperator(actor)) return false;
  actor.runOperation = (operation, context) =>
    actor.mediatorQueryOperation.mediate({ operation: { ...operation, type: 'distinct' } as object, context });
  return true;
}

/** The join is not taken where variables may have no value. */
function requireValues(actor: ComunicaActor): boolean {
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

/** What of the buses is used here, on which Comunica's actors stand. */
interface ActorBus {
  readonly actors?: readonly ComunicaActor[];
  subscribeObserver?(observer: { onRun(actor: unknown, action: object, output: Promise<object>): void }): void;
}

/** An actor of Comunica: what it does is by its class. */
interface ComunicaActor {
  readonly name?: string;
}

interface Mediator {
  readonly bus?: ActorBus;
}

interface Mediators {
  readonly mediatorOptimizeQueryOperation?: Mediator;
  readonly mediatorQueryOperation?: Mediator;
  readonly mediatorJoin?: Mediator;
}

/**
 * The buses of an engine of Comunica on which queries are made better, worked on and joined; without those that it does not
 * have where the pinned version has them.
 */
export function comunicaBuses(engine: object): {
  readonly optimizations: ActorBus | undefined;
  readonly operations: ActorBus | undefined;
  readonly joins: ActorBus | undefined;
} {
  const init = (engine as { actorInitQuery?: { mediatorQueryProcess?: Mediator } }).actorInitQuery;
  const process = first(init?.mediatorQueryProcess?.bus, 'mediatorQueryOperation');
  const operations = process?.mediatorQueryOperation?.bus;
  return {
    optimizations: process?.mediatorOptimizeQueryOperation?.bus,
    operations,
    joins: first(operations, 'mediatorJoin')?.mediatorJoin?.bus,
  };
}

function first(bus: ActorBus | undefined, mediator: keyof Mediators): Mediators | undefined {
  return ((bus?.actors ?? []) as readonly Mediators[]).find((actor) => actor[mediator]);
}

/** Under which key the context of a query holds its {@link Evaluation}. */
export const EVALUATION_KEY = '@ldes-live/query:evaluation';

interface Action {
  readonly context?: { getRaw?(key: string): unknown };
}

interface Watched {
  readonly bindingsStream?: Flow;
  readonly quadStream?: Flow;
}

/**
 * Has every operation that an engine of Comunica works on noted with the evaluation that it belongs to.
 *
 * @returns false when the engine is not made as the pinned version is: its aggregates then cannot be stopped
 */
export function watchOperations(engine: object): boolean {
  const bus = comunicaBuses(engine).operations;
  if (!bus?.subscribeObserver) return false;
  bus.subscribeObserver({
    onRun(_actor, action: Action, output: Promise<Watched>) {
      const evaluation = action.context?.getRaw?.(EVALUATION_KEY);
      if (!(evaluation instanceof Evaluation)) return;
      // What fails is told where the output is awaited.
      output.then(
        ({ bindingsStream, quadStream }) => {
          const flow = bindingsStream ?? quadStream;
          if (flow) evaluation.track(flow);
        },
        () => undefined,
      );
    },
  });
  return true;
}

/** What of Comunica's iterators is used here. */
export interface Flow<T = unknown> {
  /** Whether it has ended. */
  readonly done?: boolean;
  on(event: 'data', listener: (item: T) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  destroy(): void;
}

/**
 * Everything that flows in one evaluation, so that all of it can be stopped. Comunica stops what an iterator is fed by when
 * that is destroyed, but not across aggregates and ASK, which would go on counting for nobody.
 */
export class Evaluation {
  readonly #flows = new Set<Flow>();
  #isStopped = false;

  /** Notes a flow until it ends; one that comes after `stop` is stopped at once. */
  track(flow: Flow): void {
    if (this.#isStopped) {
      flow.destroy();
      return;
    }
    this.#flows.add(flow);
    flow.on('end', () => this.#flows.delete(flow));
  }

  /** Stops all that flows and all that is to flow yet. */
  stop(): void {
    this.#isStopped = true;
    for (const flow of this.#flows) flow.destroy();
    this.#flows.clear();
  }
}
