/*
Walks paths of any length, as `?x (:p/:q)+ ?y`, step by step from each node where the path may begin.

endWalks(actor) -> getSubjectAndObjectBindingsPredicateStar: all that is reached from one node, both ends being variables
                -> getObjectsPredicateStarEval: all that is reached from one node in any graph, one end being a variable

Comunica (5.4.1) waits for steps that have ended before it listens, as steps without a solution do where they are sequences:
then it never ends. And `GRAPH ?g { :a :p+ ?y }` begins with `:a` itself there, as only `*` may.
*/
import type { Bindings, IActionContext, IQueryOperationResultBindings } from '@comunica/types';
import type { Term } from '@rdfjs/types';
import { DataFactory } from 'rdf-data-factory';
import { type ActorQueryOperationPathNps, ArrayIterator, TransformIterator } from '#comunica';
import { termKey } from '../views/quads.ts';

/** What actors of paths have in common. */
export type PathActor = ActorQueryOperationPathNps;

type PushReached = PathActor['getSubjectAndObjectBindingsPredicateStar'];
type ReachedFrom = PathActor['getObjectsPredicateStarEval'];
type Path = Parameters<ReachedFrom>[1];
type Algebra = Parameters<ReachedFrom>[6];

export function endWalks(actor: PathActor): void {
  actor.getSubjectAndObjectBindingsPredicateStar = pushReached;
  const inGraph = actor.getObjectsPredicateStarEval;
  actor.getObjectsPredicateStarEval = function (...given) {
    return (given[3].termType === 'Variable' ? reachedInGraphs : inGraph).apply(this, given);
  };
}

const PROPERTY = new DataFactory().variable('property of a step');

/** The terms that a path leads to from a node by one step. */
type Step = (from: Term) => Promise<Term[]>;

function stepOf(actor: PathActor, path: Path, graph: Term, context: IActionContext, algebra: Algebra): Step {
  const end = actor.generateVariable(algebra.dataFactory as never);
  return async (from) => {
    const operation = algebra.createPath(from as never, path, end, graph as never);
    const output = await actor.mediatorQueryOperation.mediate({ context, operation });
    const solutions = await (output as IQueryOperationResultBindings).bindingsStream.toArray();
    return solutions.map((solution) => solution.get(end) as Term);
  };
}

/** All that steps lead to, each once, in the order in which it is found. */
async function* walk(begin: readonly Term[], step: Step): AsyncGenerator<Term> {
  const reached = new Map(begin.map((term) => [termKey(term), term]));
  // The iteration includes what is added meanwhile.
  for (const [, term] of reached) {
    yield term;
    for (const next of await step(term)) {
      const key = termKey(next);
      if (!reached.has(key)) reached.set(key, next);
    }
  }
}

const pushReached: PushReached = async function (this: PathActor, ...given) {
  const [subject, object, begin, first, path, graph, context, known, , solutions, , algebra, factory] = given;
  const ask = stepOf(this, path, graph, context, algebra);
  const steps = known as Record<string, Promise<Term[]>>;
  const step: Step = (from) => {
    const key = `${termKey(from)} ${termKey(graph)}`;
    steps[key] ??= ask(from);
    return steps[key];
  };
  for await (const term of walk([first], step)) {
    // Comunica fills such iterators from outside, too.
    (solutions as unknown as { _push(item: Bindings): void })._push(
      factory.bindings([
        [subject, begin],
        [object, term as never],
      ]),
    );
  }
  solutions.close();
};

const reachedInGraphs: ReachedFrom = async function (this: PathActor, ...given) {
  const [begin, path, object, graph, context, isItselfReached, algebra, factory] = given;
  const sources = this.getPathSources(path);
  const patterns = [
    algebra.createPattern(begin, PROPERTY, object, graph),
    algebra.createPattern(object, PROPERTY, begin, graph),
  ];
  const output = await this.mediatorQueryOperation.mediate({
    context,
    operation: algebra.createUnion(patterns.map((pattern) => this.assignPatternSources(algebra, pattern, sources))),
  });
  const { bindingsStream, metadata } = output as IQueryOperationResultBindings;
  const find = async () => {
    const graphs = new Map(
      (await bindingsStream.toArray()).map((solution) => {
        const name = solution.get(graph as never) as Term;
        return [termKey(name), name];
      }),
    );
    const found: Bindings[] = [];
    for (const name of graphs.values()) {
      const step = stepOf(this, path, name, context, algebra);
      for await (const term of walk(isItselfReached ? [begin] : await step(begin), step)) {
        found.push(
          factory.bindings([
            [object, term as never],
            [graph as never, name as never],
          ]),
        );
      }
    }
    return new ArrayIterator(found, { autoStart: false });
  };
  return { bindingsStream: new TransformIterator<Bindings>(find as never, { autoStart: false }), metadata } as never;
};
