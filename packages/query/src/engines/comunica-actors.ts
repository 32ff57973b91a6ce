/*
Comunica with its own configuration, and with actors of ours in place of those that give wrong solutions in the pinned
version (5.4.1).

createRunner() -> actors by their identifiers -> three optimizers and two joins are unsubscribed
                                              -> others are replaced by one that asks them: same action, other output
                                              -> those of paths of any length get steps of ours (comunica-paths.ts)
                                              -> those that make longer texts get a limit (comunica-texts.ts)
                                              -> the bus of operations is observed, so that every flow can be stopped

An output is a stream of solutions with metadata, by which joins choose how they work:
{ variables: [{ variable: ?n, canBeUndef: true }], cardinality: { type: 'exact', value: 1 } }

A test asks stock Comunica what it gets wrong: where it is right again, its line here may go.
*/

import type { ActorInitQueryBase } from '@comunica/actor-init-query';
import type {
  IActionFunctionFactory,
  IActorFunctionFactoryOutput,
  ITermFunction,
} from '@comunica/bus-function-factory';
import type { IActionQueryOperation } from '@comunica/bus-query-operation';
import type { IAction, IActorOutput, IActorTest } from '@comunica/core';
import type {
  Bindings,
  ComunicaDataFactory,
  IActionContext,
  IQueryOperationResult,
  IQueryOperationResultBindings,
  MetadataBindings,
} from '@comunica/types';
import type { Algebra } from '@comunica/utils-algebra';
import { rdf, xsd } from '@ldes-live/rdf-stream';
import type { Variable } from '@rdfjs/types';
import { DataFactory } from 'rdf-data-factory';
import { Actor, ActorQueryOperationPathNps, bool, createRunner, QueryEngineBase, toAlgebra12Builder } from '#comunica';
import { keepNames } from '../prepare/sparql.ts';
import { failAll, trackOutput } from './comunica-evaluation.ts';
import { catchTasks, emittingInTurns, patchEnds, patchUnionIterator } from './comunica-iterators.ts';
import { endWalks, type PathActor } from './comunica-paths.ts';
import { boundConcat, boundGroupConcat, boundReplace, boundResult } from './comunica-texts.ts';

const ID = 'urn:comunica:default:';

// Optimizations and joins that are left out.
const LEFT_OUT = {
  // It removes branches of UNION and of | that no quad fits. Where none is left, it answers the whole query with no solutions,
  // even when the branches stand in MINUS or EXISTS, or are counted.
  prune: 'optimize-query-operation/actors#prune-empty-source-operations',
  // It moves FILTERs that compare with a constant to the patterns of their variable, and loses them where there is none, as in a
  // branch of UNION without the variable. A path in GRAPH becomes one of the default graph.
  pushdown: 'optimize-query-operation/actors#filter-pushdown',
  // Where a pattern has one variable twice, it does not ask that both ends be equal.
  distinct: 'optimize-query-operation/actors#distinct-terms-pushdown',
  // They lose solutions in which a variable of both sides has no value.
  blocking: 'rdf-join/actors#optional-hash-undef-blocking',
  nonblocking: 'rdf-join/actors#optional-hash-undef-nonblocking',
};

// Operations that are answered otherwise.
const OPERATIONS = {
  // Its metadata says that an aggregate over nothing has no solution, and that its variables always have values.
  'query-operation/actors#group': describeGroups,
  // Its metadata says that its variable has a value where the expression fails.
  'query-operation/actors#extend': describeBinds,
  // They find only the cycles of one step where both ends are the same variable.
  'query-operation/actors#path-one-or-more': closePaths,
  'query-operation/actors#path-zero-or-more': closePaths,
  'query-operation/actors#path-zero-or-one': closePaths,
};

// Their steps may never end, and may begin where they should not: see comunica-paths.ts.
const WALKS = ['query-operation/actors#path-one-or-more', 'query-operation/actors#path-zero-or-more'];

// They can make texts that are longer than their arguments.
const TEXTS = {
  'function-factory/actors#expression-function-concat': boundConcat,
  'function-factory/actors#term-function-replace': boundReplace,
  'function-factory/actors#term-function-encode-for-uri': boundResult,
  'function-factory/actors#term-function-ucase': boundResult,
  'function-factory/actors#term-function-lcase': boundResult,
  'bindings-aggregator-factory/actors#group-concat': boundGroupConcat,
};

// It names the property ?b without asking whether the query has such a variable, and shows it to joins.
const NEGATED = 'query-operation/actors#path-nps';

// `<`, `>`, ORDER BY, MIN and MAX compare by it. It compares strings by the locale of the machine.
const LESS_THAN = 'function-factory/actors#term-function-lesser-than';

/** An engine of Comunica's actors and ours. Ask it with the context of {@link startEvaluation}. */
export function createEngine(): QueryEngineBase {
  patchUnionIterator();
  patchEnds();
  catchTasks(failAll);
  keepNames(toAlgebra12Builder);
  const replaced = [...Object.keys(OPERATIONS), ...Object.keys(TEXTS)];
  const names = [...Object.values(LEFT_OUT), ...replaced, NEGATED, LESS_THAN, 'init/actors#query'];
  // Throws where one is missing.
  const actors = createRunner().collectActors(Object.fromEntries(names.map((name) => [name, ID + name])));
  const actor = (name: string) => actors[name] as AnyActor;
  for (const name of [...Object.values(LEFT_OUT), NEGATED]) actor(name).bus.unsubscribe(actor(name));
  groupInTurns(actor('query-operation/actors#group') as unknown as GroupActor);
  for (const name of WALKS) endWalks(actor(name) as PathActor);
  for (const [name, work] of Object.entries(OPERATIONS)) new Replacement(actor(name) as OperationActor, work);
  for (const [name, work] of Object.entries(TEXTS)) new Replacement(actor(name) as never, work as never);
  new NegatedPath(actor(NEGATED) as NegatedPath);
  new Replacement(actor(LESS_THAN) as FunctionActor, compareByCodePoint);
  (actor('query-operation/actors#group') as OperationActor).bus.subscribeObserver({ onRun: trackOutput } as never);
  return new QueryEngineBase(actor('init/actors#query') as unknown as ActorInitQueryBase);
}

type AnyActor = ReturnType<ReturnType<typeof createRunner>['collectActors']>[string];
type OperationActor = Actor<IActionQueryOperation, IActorTest, IQueryOperationResult>;
type FunctionActor = Actor<IActionFunctionFactory, IActorTest, IActorFunctionFactoryOutput>;

/** What an actor of ours does with an action; `ask` asks the actor that it replaces. */
type Work<I, O> = (action: I, ask: (action: I) => Promise<O>) => Promise<O>;

class Replacement<I extends IAction, O extends IActorOutput> extends Actor<I, IActorTest, O> {
  readonly #stock: Actor<I, IActorTest, O>;
  readonly #work: Work<I, O>;

  constructor(stock: Actor<I, IActorTest, O>, work: Work<I, O>) {
    stock.bus.unsubscribe(stock);
    // With all that the bus knows of the other one.
    super(stock);
    this.#stock = stock;
    this.#work = work;
  }

  test(action: I): ReturnType<Actor<I, IActorTest, O>['test']> {
    return this.#stock.test(action);
  }

  run(action: I, sideData: undefined): Promise<O> {
    return this.#work(action, (asked) => this.#stock.run(asked, sideData));
  }
}

interface GroupActor {
  mediatorQueryOperation: { mediate(action: IActionQueryOperation): Promise<IQueryOperationResult> };
}

/** It begins something for each solution: for all of them at once, a count of 200,000 took 450 MiB. */
function groupInTurns(actor: GroupActor): void {
  const { mediatorQueryOperation: operations } = actor;
  actor.mediatorQueryOperation = {
    async mediate(action) {
      const output = (await operations.mediate(action)) as IQueryOperationResultBindings;
      const bindingsStream = emittingInTurns(output.bindingsStream as never) as typeof output.bindingsStream;
      return { ...output, bindingsStream };
    },
  };
}

type Ask = (action: IActionQueryOperation) => Promise<IQueryOperationResult>;

/** Aggregates over nothing have a solution, and their variables may lack values. */
async function describeGroups(action: IActionQueryOperation, ask: Ask): Promise<IQueryOperationResult> {
  const isOneGroup = (action.operation as Algebra.Group).variables.length === 0;
  return withMetadata(await ask(action), (metadata) => ({
    ...metadata,
    variables: metadata.variables.map((each) => ({ ...each, canBeUndef: true })),
    ...(isOneGroup && { cardinality: { type: 'exact', value: 1 } }),
  }));
}

/** The variable of BIND, the last one, has no value where its expression fails. */
async function describeBinds(action: IActionQueryOperation, ask: Ask): Promise<IQueryOperationResult> {
  return withMetadata(await ask(action), (metadata) => ({
    ...metadata,
    variables: metadata.variables.map((each, at, { length }) =>
      at === length - 1 ? { ...each, canBeUndef: true } : each,
    ),
  }));
}

// No query can name such variables.
const PROPERTY = 'negated property';
const END = new DataFactory().variable('end of a path');

class NegatedPath extends ActorQueryOperationPathNps {
  override generateVariable(factory: ComunicaDataFactory): Variable {
    return factory.variable(PROPERTY);
  }

  override async runOperation(path: Algebra.Path, context: IActionContext): Promise<IQueryOperationResult> {
    return without(PROPERTY, await super.runOperation(path, context));
  }
}

/** For a path that ends where it begins, asks for all ends, and keeps the solutions that end there. */
async function closePaths(action: IActionQueryOperation, ask: Ask): Promise<IQueryOperationResult> {
  const path = action.operation as Algebra.Path;
  const { subject } = path;
  if (subject.termType !== 'Variable' || !path.object.equals(subject)) return ask(action);
  const output = await ask({ ...action, operation: { ...path, object: END } as Algebra.Operation });
  const { bindingsStream, ...rest } = without(END.value, output);
  const isClosed = (solution: Bindings) => solution.get(subject)?.equals(solution.get(END));
  return { ...rest, bindingsStream: bindingsStream.map((found) => (isClosed(found) ? found.delete(END) : null)) };
}

function without(name: string, output: IQueryOperationResult): IQueryOperationResultBindings {
  return withMetadata(output, (metadata) => ({
    ...metadata,
    variables: metadata.variables.filter(({ variable }) => variable.value !== name),
  }));
}

function withMetadata(
  output: IQueryOperationResult,
  change: (metadata: MetadataBindings) => MetadataBindings,
): IQueryOperationResultBindings {
  const { metadata, ...rest } = output as IQueryOperationResultBindings;
  return { ...rest, metadata: async () => change(await metadata()) };
}

/** Strings, and texts in a language where these are ordered, compare by code point as SPARQL has it. */
async function compareByCodePoint(
  action: IActionFunctionFactory,
  ask: (action: IActionFunctionFactory) => Promise<IActorFunctionFactoryOutput>,
): Promise<IActorFunctionFactoryOutput> {
  const lessThan = (await ask(action)) as ITermFunction;
  const { applyOnTerms: compare } = lessThan;
  lessThan.applyOnTerms = (terms, evaluator) => {
    const [left, right] = terms;
    if (!isText(left) || !isText(right) || left.dataType !== right.dataType || left.str() === right.str()) {
      return compare.call(lessThan, terms, evaluator);
    }
    // Texts in a language are compared where all terms are ordered, and nowhere else.
    if (left.dataType !== xsd.string) compare.call(lessThan, terms, evaluator);
    return bool(isBefore(left.str(), right.str()));
  };
  return lessThan;
}

interface Text {
  readonly dataType: string;
  str(): string;
}

function isText(term: object | undefined): term is Text {
  const { dataType } = term as Partial<Text>;
  return dataType === xsd.string || dataType === rdf.langString;
}

/** By code point; JavaScript compares by units of UTF-16, of which those of pairs stand before some that are greater. */
function isBefore(left: string, right: string): boolean {
  const { length } = left;
  let at = 0;
  while (at < length && left.charCodeAt(at) === right.charCodeAt(at)) at += 1;
  const [one, other] = [left.charCodeAt(at), right.charCodeAt(at)];
  if (isHalf(one) === isHalf(other)) return at === length || one < other;
  return isHalf(other);
}

const isHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
