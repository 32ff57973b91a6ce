import type { QueryEngine as Comunica } from '@comunica/query-sparql-rdfjs';
import { blankNode } from '@ldes-live/rdf-stream';
import type { Bindings, Quad, Term } from '@rdfjs/types';
import { errors } from '../errors.ts';
import { quadKey } from '../evaluate/term-key.ts';
import type { Row } from '../live-result.ts';
import type { EngineQuery, EngineStore, EvaluationLimits } from '../query-engine.ts';
import { SOURCE_ID, told } from './blank-node-scope.ts';
import { collect } from './collect.ts';
import { Evaluation, type Flow } from './evaluation.ts';
import { queryFailed, refuseService } from './failures.ts';
import { guardedSource } from './guarded-source.ts';
import { QuadIndex, type StoreModule } from './quad-index.ts';
import { untilAborted } from './until-aborted.ts';
import { EVALUATION_KEY } from './watch-operations.ts';

/** How Comunica is asked here: its own types would have the query as an algebra of its own. */
interface Engine {
  queryBindings(query: object | string, context: object): Promise<Flow<Bindings>>;
  queryQuads(query: object | string, context: object): Promise<Flow<Quad>>;
  queryBoolean(query: object | string, context: object): Promise<boolean>;
}

/** A store that Comunica answers over. Made by `comunica()`. */
export class ComunicaStore implements EngineStore {
  readonly #engine: Engine;
  readonly #module: StoreModule;
  #index: QuadIndex;

  constructor(engine: Comunica, module: StoreModule) {
    this.#engine = engine as unknown as Engine;
    this.#module = module;
    this.#index = new QuadIndex(module);
  }

  get size(): number {
    return this.#index.size;
  }

  add(quad: Quad): void {
    this.#index.add(quad);
  }

  delete(quad: Quad): void {
    this.#index.delete(quad);
  }

  match(subject?: Term, predicate?: Term, object?: Term, graph?: Term): Iterable<Quad> {
    return this.#index.match(subject, predicate, object, graph);
  }

  select(query: EngineQuery, limits: EvaluationLimits): Promise<Row[]> {
    return this.#evaluate(query, limits, async (asked, context) => {
      const flow = await this.#engine.queryBindings(asked, context);
      return collect(flow, (bindings) => this.#row(bindings), limits.limitRows);
    });
  }

  construct(query: EngineQuery, limits: EvaluationLimits): Promise<Quad[]> {
    return this.#evaluate(query, limits, async (asked, context) => {
      const seen = new Set<string>();
      const flow = await this.#engine.queryQuads(asked, context);
      const isNew = (quad: Quad) => seen.size < seen.add(quadKey(quad)).size;
      return collect(
        flow,
        (found) => {
          const quad = told(found, this.#isTaken);
          // Comunica gives those as well that are no RDF, with a literal for a subject.
          return isRdf(quad) && isNew(quad) ? quad : undefined;
        },
        limits.limitRows,
      );
    });
  }

  ask(query: EngineQuery, limits: EvaluationLimits): Promise<boolean> {
    return this.#evaluate(query, limits, (asked, context) => this.#engine.queryBoolean(asked, context));
  }

  close(): void {
    this.#index = new QuadIndex(this.#module);
  }

  async #evaluate<T>(
    query: EngineQuery,
    { signal }: EvaluationLimits,
    answer: (asked: object | string, context: object) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    refuseService(query);
    const evaluation = new Evaluation();
    const source = guardedSource(this.#index.store);
    const context = {
      sources: [source],
      '@comunica/bus-query-source-identify:sourceIds': new Map([[source, SOURCE_ID]]),
      [EVALUATION_KEY]: evaluation,
      // This engine has no way to the network, as far as it is known: should it gain one, it ends here.
      fetch: async (url: unknown) => {
        throw errors.ERR_SERVICE_REFUSED({ service: String(url) });
      },
    };
    try {
      return await untilAborted(answer(query.operation ?? query.text, context), signal);
    } catch (thrown) {
      throw signal?.aborted ? signal.reason : queryFailed('comunica', thrown);
    } finally {
      evaluation.stop();
    }
  }

  #row(bindings: Bindings): Row {
    return Object.fromEntries(Array.from(bindings, ([{ value }, term]) => [value, told(term, this.#isTaken)]));
  }

  readonly #isTaken = (label: string): boolean => this.#index.uses(blankNode(label));
}

/** @see https://www.w3.org/TR/sparql11-query/#construct */
function isRdf({ subject, predicate }: Quad): boolean {
  return (subject as Term).termType !== 'Literal' && predicate.termType === 'NamedNode';
}
