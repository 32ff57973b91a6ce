import { xsd } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import type { Store } from 'oxigraph';
import { errors } from '../errors.ts';
import { quadKey } from '../evaluate/term-key.ts';
import type { Row } from '../live-result.ts';
import type { EngineQuery, EngineStore, EvaluationLimits } from '../query-engine.ts';
import { queryFailed, refuseService } from './failures.ts';
import { type JsonTerm, quadOf, rowOf } from './oxigraph-terms.ts';
import { QuadIndex, type StoreModule } from './quad-index.ts';

/** The part of the module `oxigraph` that is used. */
export interface OxigraphModule {
  readonly Store: typeof Store;
}

type OxigraphQuad = Parameters<Store['add']>[0];

/**
 * A store that Oxigraph answers over. Made by `oxigraph()`.
 *
 * Oxigraph keeps numbers and times by their value, so that quads which differ in how these are written are one to it. The
 * quads as given stand beside in an index of their own: what one of them leaves behind when it goes is known from there.
 */
export class OxigraphStore implements EngineStore {
  readonly #oxigraph: OxigraphModule;
  readonly #module: StoreModule;
  #store: Store;
  #index: QuadIndex;

  constructor(oxigraph: OxigraphModule, module: StoreModule) {
    this.#oxigraph = oxigraph;
    this.#module = module;
    this.#store = new oxigraph.Store();
    this.#index = new QuadIndex(module);
  }

  get size(): number {
    return this.#index.size;
  }

  /** @throws {@link StreamError} `ERR_QUERY_FAILED` - Oxigraph does not take the quad, since a term of it is not valid RDF */
  add(quad: Quad): void {
    try {
      this.#store.add(quad as OxigraphQuad);
    } catch (thrown) {
      throw queryFailed('oxigraph', thrown);
    }
    this.#index.add(quad);
  }

  delete(quad: Quad): void {
    if (!this.#index.delete(quad)) return;
    this.#store.delete(quad as OxigraphQuad);
    if (!mayBeRewritten(quad.object)) return;
    for (const other of this.#index.match(quad.subject, quad.predicate, undefined, quad.graph)) {
      if (mayBeRewritten(other.object)) this.#store.add(other as OxigraphQuad);
    }
  }

  match(subject?: Term, predicate?: Term, object?: Term, graph?: Term): Iterable<Quad> {
    return this.#index.match(subject, predicate, object, graph);
  }

  select(query: EngineQuery, limits: EvaluationLimits): Promise<Row[]> {
    return this.#evaluate(query, limits, () => {
      // Objects of theirs for each term cost ten times what it takes to read text.
      const json = this.#store.query(query.text, { results_format: 'json' });
      const { results } = JSON.parse(json as string) as {
        results?: { bindings: Readonly<Record<string, JsonTerm>>[] };
      };
      if (!results) throw new TypeError('it is no SELECT');
      return limited(results.bindings, limits).map(rowOf);
    });
  }

  construct(query: EngineQuery, limits: EvaluationLimits): Promise<Quad[]> {
    return this.#evaluate(query, limits, () => {
      const quads = this.#store.query(query.text);
      if (!Array.isArray(quads) || quads[0] instanceof Map) throw new TypeError('it is no CONSTRUCT or DESCRIBE');
      // They may come more than once.
      const graph = new Map<string, Quad>();
      for (const found of quads as unknown as Quad[]) {
        const quad = quadOf(found);
        graph.set(quadKey(quad), quad);
      }
      return [...limited([...graph.values()], limits)];
    });
  }

  ask(query: EngineQuery, limits: EvaluationLimits): Promise<boolean> {
    return this.#evaluate(query, limits, () => {
      const answer = this.#store.query(query.text);
      if (typeof answer !== 'boolean') throw new TypeError('it is no ASK');
      return answer;
    });
  }

  close(): void {
    this.#store = new this.#oxigraph.Store();
    this.#index = new QuadIndex(this.#module);
  }

  async #evaluate<T>(query: EngineQuery, { signal }: EvaluationLimits, answer: () => T): Promise<T> {
    signal?.throwIfAborted();
    refuseService(query);
    try {
      return answer();
    } catch (thrown) {
      throw queryFailed('oxigraph', thrown);
    }
  }
}

function limited<T>(answer: readonly T[], { limitRows }: EvaluationLimits): readonly T[] {
  if (answer.length > limitRows) throw errors.ERR_ANSWER_TOO_LARGE({ limitRows });
  return answer;
}

/** Whether Oxigraph may keep the term in another form than it is given in. */
function mayBeRewritten(term: Term): boolean {
  return term.termType === 'Quad' || (term.termType === 'Literal' && term.datatype.value !== xsd.string);
}
