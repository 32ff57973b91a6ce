import { blankNode } from '@ldes-live/rdf-stream';
import type { Bindings, Quad, Term } from '@rdfjs/types';
import type { RdfStore } from 'rdf-stores';
import type { Row } from '../result.ts';
import { untilAborted } from '../run/waiting.ts';
import { quadKey, relabel } from '../views/quads.ts';
import type { Flow, startEvaluation } from './comunica-evaluation.ts';
import {
  answerCounter,
  type EngineQuery,
  type EngineStore,
  type EvaluationLimits,
  engineOf,
  isLegal,
  type QueryEngine,
  queryFailed,
} from './engine.ts';
import { QuadIndex, type StoreModule } from './quad-store.ts';

/**
 * The default engine: Comunica over a store of `rdf-stores`, with all of SPARQL 1.1 and what it has of SPARQL 1.2. It works
 * in small steps, so that an evaluation lets other work of the thread go on and can be stopped.
 *
 * It is loaded when the first store is opened, and once for all stores of what is returned: share it.
 *
 * @example
 * ```ts
 * const engine = comunica();
 * for await (const result of liveQuery(commits, 'SELECT * { ?s ?p ?o }', { engine })) show(result);
 * ```
 * @see specs/query.md QUERY-20
 */
export function comunica(): QueryEngine {
  return engineOf('comunica', loadStores);
}

async function loadStores(): Promise<() => EngineStore> {
  try {
    const [{ createEngine }, { startEvaluation }, stores] = await Promise.all([
      import('./comunica-actors.ts'),
      import('./comunica-evaluation.ts'),
      import('#comunica'),
    ]);
    const engine = createEngine() as unknown as Engine;
    return () => new ComunicaStore(engine, startEvaluation, stores);
  } catch (thrown) {
    throw queryFailed('comunica', thrown);
  }
}

/** The engine of queries that name none: one for all, since an engine costs much and holds nothing of a query. */
export const defaultEngine: QueryEngine = comunica();

/** How Comunica is asked here: its own types would have the query as an algebra of its own. */
interface Engine {
  queryBindings(query: object | string, context: object): Promise<Flow<Bindings>>;
  queryQuads(query: object | string, context: object): Promise<Flow<Quad>>;
  queryBoolean(query: object | string, context: object): Promise<boolean>;
}

class ComunicaStore extends QuadIndex implements EngineStore {
  readonly #engine: Engine;
  readonly #start: typeof startEvaluation;

  constructor(engine: Engine, start: typeof startEvaluation, module: StoreModule) {
    super(module);
    this.#engine = engine;
    this.#start = start;
  }

  select(query: EngineQuery, limits: EvaluationLimits): Promise<Row[]> {
    return this.#evaluate(query, limits, async (asked, context) => {
      const flow = await this.#engine.queryBindings(asked, context);
      const count = answerCounter(limits);
      return collect(flow, (bindings) => {
        const row = this.#row(bindings);
        count(Object.values(row));
        return row;
      });
    });
  }

  construct(query: EngineQuery, limits: EvaluationLimits): Promise<Quad[]> {
    return this.#evaluate(query, limits, async (asked, context) => {
      const seen = new Set<string>();
      const count = answerCounter(limits);
      return collect(await this.#engine.queryQuads(asked, context), (found) => {
        const quad = this.#relabelled(found);
        const isOfData = (term: Term) => this.uses(term);
        if (!isLegal(quad, isOfData) || seen.size === seen.add(quadKey(quad)).size) return undefined;
        count([quad]);
        return quad;
      });
    });
  }

  ask(query: EngineQuery, limits: EvaluationLimits): Promise<boolean> {
    return this.#evaluate(query, limits, (asked, context) => this.#engine.queryBoolean(asked, context));
  }

  async #evaluate<T>(
    query: EngineQuery,
    { signal, ...limits }: EvaluationLimits,
    answer: (asked: object | string, context: object) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const { context, failed, stop } = this.#start(guardedSource(this.store), SOURCE_ID, limits);
    try {
      return await untilAborted(Promise.race([answer(query.operation ?? query.text, context), failed]), signal);
    } catch (thrown) {
      throw signal?.aborted ? signal.reason : queryFailed('comunica', thrown);
    } finally {
      stop();
    }
  }

  #row(bindings: Bindings): Row {
    return Object.fromEntries(Array.from(bindings, ([{ value }, term]) => [value, this.#relabelled(term)]));
  }

  /** Blank nodes of the source keep their labels; those that the query made get labels that the source does not use. */
  #relabelled<T extends Term>(term: T): T {
    return relabel(term, (given) => {
      const known = unscopedLabel(given);
      // A query may make a label that looks as if it were of the source.
      if (known !== given && this.uses(blankNode(known))) return known;
      let label = safeLabel(known);
      while (this.uses(blankNode(label))) label += '-n';
      return label;
    });
  }
}

/**
 * All items of a flow.
 *
 * @param take - maps an item; `undefined` ignores it
 * @throws what `take` throws; the flow is stopped then
 */
function collect<T, R>(flow: Flow<T>, take: (item: T) => R | undefined): Promise<R[]> {
  return new Promise((resolve, reject) => {
    const taken: R[] = [];
    // A flow that has ended emits no event to later listeners.
    if (flow.done) return resolve(taken);
    flow.on('end', () => resolve(taken));
    flow.on('error', reject);
    flow.on('data', (item) => {
      try {
        const result = take(item);
        if (result !== undefined) taken.push(result);
      } catch (error) {
        flow.destroy();
        reject(error);
      }
    });
  });
}

type Store = RdfStore<number>;
type Pattern = Parameters<Store['match']>;

/**
 * A store as Comunica gets it, a fresh one for each evaluation: so nothing that Comunica remembers of a source outlives the
 * store's next change. Blank nodes that Comunica has lost track of, as by BIND, are recognised by their labels.
 */
function guardedSource(
  store: Store,
): Pick<Store, 'features' | 'match' | 'matchBindings' | 'countQuads' | 'matchDistinctTerms' | 'countDistinctTerms'> {
  const matched = (pattern: Pattern) => pattern.map(unscoped) as Pattern;
  return {
    features: store.features,
    match: (...pattern) => store.match(...matched(pattern)),
    matchBindings: (factory, subject, predicate, object, graph) =>
      store.matchBindings(factory, unscoped(subject), unscoped(predicate), unscoped(object), unscoped(graph)),
    countQuads: (...pattern) => store.countQuads(...matched(pattern)),
    matchDistinctTerms: (names, filters) => store.matchDistinctTerms(names, filters?.map(unscoped)),
    countDistinctTerms: (names, filters) => store.countDistinctTerms(names, filters?.map(unscoped)),
  };
}

/** Comunica puts it before the labels of the source's blank nodes. No label of a document can have its space. */
const SOURCE_ID = 'the store';

const SCOPED = `bc_${SOURCE_ID}_`;

/** A term that Comunica hands back, with the labels of the source. */
function unscoped<T extends Term | null | undefined>(term: T): T {
  return term && relabel(term, unscopedLabel);
}

/** A label that every format can hold: others of `BNODE("...")` get escapes. Two labels stay two. @see specs/query.md QUERY-112 */
function safeLabel(label: string): string {
  return label.replace(/\W|_(?=[0-9a-f]{4})/g, (sign) => `_${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function unscopedLabel(label: string): string {
  return label.startsWith(SCOPED) ? label.slice(SCOPED.length) : label;
}
