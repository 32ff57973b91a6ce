import { blankNode, languageLiteral, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import type { NamedNode, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'rdf-data-factory';
import { errors } from '../errors.ts';
import type { Row } from '../result.ts';
import { quadKey } from '../views/quads.ts';
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
 * The engine Oxigraph: 6 to 30 times as fast as Comunica at the same store, and nothing else in the thread goes on until it
 * is done, so that no signal reaches an evaluation. It needs the package `oxigraph` beside this one.
 *
 * Numbers and times are answered in their canonical form, whatever form they came in.
 *
 * @see specs/query.md
 */
export function oxigraph(): QueryEngine {
  return oxigraphFrom(() => import('oxigraph'));
}

/** @param load - imports `oxigraph`, when the first store is opened */
export function oxigraphFrom(load: () => Promise<OxigraphModule>): QueryEngine {
  return engineOf('oxigraph', async () => {
    const [module, stores] = await Promise.all([load().catch(refuseMissing), import('rdf-stores')]);
    return () => new OxigraphStore(module, stores);
  });
}

/** @throws {@link StreamError} `ERR_ENGINE_MISSING` - the package is not installed */
function refuseMissing(thrown: unknown): never {
  const code = (thrown as { code?: unknown } | null)?.code;
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw queryFailed('oxigraph', thrown);
  throw errors.ERR_ENGINE_MISSING({ engine: 'oxigraph' }, thrown);
}

/** What is used of `oxigraph`, whose own types do not hold under strict checks. */
interface OxigraphModule {
  readonly Store: new () => Store;
}

interface Store {
  add(quad: Quad): void;
  delete(quad: Quad): void;
  query(text: string, options?: { readonly results_format: 'json' }): unknown;
}

/**
 * Oxigraph keeps numbers and times by their value: quads that differ only in how these are written are one quad to it. So an
 * index holds the quads as given, and knows which of them stays when another goes.
 */
class OxigraphStore extends QuadIndex implements EngineStore {
  readonly #oxigraph: OxigraphModule;
  #store: Store;

  constructor(oxigraph: OxigraphModule, module: StoreModule) {
    super(module);
    this.#oxigraph = oxigraph;
    this.#store = new oxigraph.Store();
  }

  /** @throws {@link StreamError} `ERR_QUERY_FAILED` - Oxigraph does not take the quad, since a term of it is not valid RDF */
  override add(quad: Quad): void {
    try {
      this.#store.add(quad);
    } catch (thrown) {
      throw queryFailed('oxigraph', thrown);
    }
    super.add(quad);
  }

  override delete(quad: Quad): boolean {
    if (!super.delete(quad)) return false;
    this.#store.delete(quad);
    if (!mayBeRewritten(quad.object)) return true;
    for (const other of this.match(quad.subject, quad.predicate, undefined, quad.graph)) {
      if (mayBeRewritten(other.object)) this.#store.add(other);
    }
    return true;
  }

  select(query: EngineQuery, limits: EvaluationLimits): Promise<Row[]> {
    return this.#evaluate(limits, () => {
      // Objects of theirs for each term cost ten times what it takes to read text.
      const json = this.#store.query(query.text, { results_format: 'json' });
      const { results } = JSON.parse(json as string) as {
        results?: { bindings: Readonly<Record<string, JsonTerm>>[] };
      };
      if (!results) throw new TypeError('it is not a SELECT');
      const count = answerCounter(limits);
      return results.bindings.map((binding) => {
        const row = rowOf(binding);
        count(Object.values(row));
        return row;
      });
    });
  }

  construct(query: EngineQuery, limits: EvaluationLimits): Promise<Quad[]> {
    return this.#evaluate(limits, () => {
      const quads = this.#store.query(query.text);
      if (!Array.isArray(quads) || quads[0] instanceof Map) throw new TypeError('it is not a CONSTRUCT or DESCRIBE');
      // They may come more than once.
      const graph = new Map<string, Quad>();
      const count = answerCounter(limits);
      for (const found of quads as unknown as Quad[]) {
        const quad = own(found) as Quad;
        // Of what a query makes, it refuses all but a datatype that is for languages.
        const isOfData = (term: Term) => this.uses(term);
        if (isLegal(quad, isOfData) && graph.size < graph.set(quadKey(quad), quad).size) count([quad]);
      }
      return [...graph.values()];
    });
  }

  ask(query: EngineQuery, limits: EvaluationLimits): Promise<boolean> {
    return this.#evaluate(limits, () => {
      const answer = this.#store.query(query.text);
      if (typeof answer !== 'boolean') throw new TypeError('it is not an ASK');
      return answer;
    });
  }

  override close(): void {
    super.close();
    this.#store = new this.#oxigraph.Store();
  }

  async #evaluate<T>({ signal }: EvaluationLimits, answer: () => T): Promise<T> {
    signal?.throwIfAborted();
    try {
      return answer();
    } catch (thrown) {
      throw queryFailed('oxigraph', thrown);
    }
  }
}

/** Whether Oxigraph may keep the term in another form than it is given in. */
function mayBeRewritten(term: Term): boolean {
  return term.termType === 'Quad' || (term.termType === 'Literal' && term.datatype.value !== xsd.string);
}

/** A term in SPARQL Results JSON, with what RDF 1.2 adds. */
type JsonTerm =
  | { readonly type: 'uri' | 'bnode'; readonly value: string }
  | {
      readonly type: 'literal';
      readonly value: string;
      readonly datatype?: string;
      readonly 'xml:lang'?: string;
      readonly 'its:dir'?: 'ltr' | 'rtl';
    }
  | {
      readonly type: 'triple';
      readonly value: { readonly subject: JsonTerm; readonly predicate: JsonTerm; readonly object: JsonTerm };
    };

function rowOf(binding: Readonly<Record<string, JsonTerm>>): Row {
  return Object.fromEntries(Object.entries(binding).map(([variable, term]) => [variable, termOfJson(term)]));
}

function termOfJson(term: JsonTerm): Term {
  switch (term.type) {
    case 'uri':
      return namedNode(term.value);
    case 'bnode':
      return blankNode(term.value);
    case 'literal': {
      const { value, datatype, 'xml:lang': language, 'its:dir': direction } = term;
      return language === undefined ? literal(value, datatype) : languageLiteral(value, language, direction);
    }
    case 'triple': {
      const { subject, predicate, object } = term.value;
      return quad(termOfJson(subject) as never, termOfJson(predicate) as never, termOfJson(object) as never);
    }
    default:
      throw new TypeError(`a term of type ${JSON.stringify((term as { type: unknown }).type)}`);
  }
}

const factory = new DataFactory<Quad>();

/** A term of another data factory as one of ours. */
function own(term: Term): Term {
  if (term.termType === 'Quad') {
    const { subject, predicate, object, graph } = term as Quad;
    return quad(own(subject) as never, own(predicate) as never, own(object) as never, own(graph) as never);
  }
  // The factory would lose its direction.
  if (term.termType === 'Literal' && term.language) {
    return languageLiteral(term.value, term.language, term.direction || undefined);
  }
  return factory.fromTerm(term as NamedNode);
}
