import {
  isDatatypeOfLanguage,
  isLanguageTag,
  isStreamError,
  isStrictIri,
  type StreamError,
} from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { Row } from '../result.ts';

/** An engine that answers SPARQL. Make one by `comunica()` or `oxigraph()`, and share it. */
export interface QueryEngine {
  /** As `explain` names it. */
  readonly name: string;
  /** An empty store of this engine. What is costly to load is loaded here, once for all stores. */
  open(): Promise<EngineStore>;
}

/** An engine that is loaded when its first store is opened, and once for all. */
export function engineOf(name: string, load: () => Promise<() => EngineStore>): QueryEngine {
  let loading: Promise<() => EngineStore> | undefined;
  return {
    name,
    open: async () => {
      loading ??= load();
      return (await loading)();
    },
  };
}

/** A set of quads that an engine answers queries over. It is never changed while a query is under way. */
export interface EngineStore {
  /** How many quads it holds. */
  readonly size: number;
  /** Adds a quad; without effect when it is there. */
  add(quad: Quad): void;
  /** Takes a quad out; without effect when it is not there. */
  delete(quad: Quad): void;
  /** Whether a quad of it has this term. */
  uses(term: Term): boolean;
  /** The quads that match; `undefined` matches any. */
  match(subject?: Term, predicate?: Term, object?: Term, graph?: Term): Iterable<Quad>;
  /**
   * The solutions of a SELECT query, duplicates included, in its order. Blank nodes of the store keep their labels.
   *
   * @throws {@link StreamError} `ERR_QUERY_FAILED`, `ERR_ANSWER_TOO_LARGE`, `ERR_TEXT_TOO_LONG`
   * @throws the signal's reason when it is aborted
   */
  select(query: EngineQuery, limits: EvaluationLimits): Promise<Row[]>;
  /** The quads of a CONSTRUCT or DESCRIBE query, each once. Throws as {@link EngineStore.select}. */
  construct(query: EngineQuery, limits: EvaluationLimits): Promise<Quad[]>;
  /** The answer of an ASK query. Throws as {@link EngineStore.select}. */
  ask(query: EngineQuery, limits: EvaluationLimits): Promise<boolean>;
  /** Lets go of what it holds. */
  close(): void;
}

/** A query as engines take it: its text, and its algebra for engines that need not parse it then. */
export interface EngineQuery {
  readonly text: string;
  /** Of `@traqula/algebra-transformations-1-2`, as Comunica takes it; opaque here. */
  readonly operation?: object;
}

/** What an evaluation may cost. */
export interface EvaluationLimits {
  /** Solutions or quads of an answer, at most. */
  readonly limitRows: number;
  /** Characters of a text that a function makes, at most; Oxigraph knows no such limit. Any number when absent. */
  readonly limitTextChars?: number | undefined;
  /** Characters of the terms of an answer, at most. Any number when absent. */
  readonly limitAnswerBytes?: number | undefined;
  readonly signal?: AbortSignal;
}

/**
 * Counts solutions or quads of an answer as they are found, each by its terms.
 *
 * @throws {@link StreamError} `ERR_ANSWER_TOO_LARGE` - from what it returns, as soon as there is more than may be
 */
export function answerCounter({ limitRows, limitAnswerBytes = Number.POSITIVE_INFINITY }: EvaluationLimits) {
  let [rows, chars] = [0, 0];
  return (terms: readonly Term[]) => {
    rows += 1;
    chars += charsOf(terms);
    if (rows > limitRows) throw errors.ERR_ANSWER_TOO_LARGE({ limitRows });
    if (chars > limitAnswerBytes) throw errors.ERR_ANSWER_TOO_LARGE({ limitAnswerBytes });
  };
}

/** What every format takes at least: the values, and a character between two of them. */
function charsOf(terms: readonly Term[]): number {
  return terms.reduce(
    (chars, term) =>
      chars + (term.termType === 'Quad' ? charsOf([term.subject, term.predicate, term.object]) : term.value.length + 1),
    0,
  );
}

/**
 * Whether a graph can have a quad that a query has made, so that every reader of its document can read it. Terms of the data
 * are as they came.
 *
 * @param isOfData - whether the data has a term
 * @see specs/query.md QUERY-112
 * @see https://www.w3.org/TR/sparql11-query/#construct
 */
export function isLegal({ subject, predicate, object, graph }: Quad, isOfData: (term: Term) => boolean): boolean {
  if (predicate.termType !== 'NamedNode' || (subject as Term).termType === 'Literal') return false;
  return [subject, predicate, object, graph].every((term: Term) => {
    if (term.termType === 'Quad') return isLegal(term as Quad, isOfData);
    return isOfData(term) || isWellFormed(term);
  });
}

function isWellFormed(term: Term): boolean {
  if (term.termType !== 'Literal') return term.termType !== 'NamedNode' || isStrictIri(term.value);
  const { language, datatype } = term;
  return language ? isLanguageTag(language) : isStrictIri(datatype.value) && !isDatatypeOfLanguage(datatype.value);
}

const PROBLEM_CHARS = 300;

/** What an engine threw, as an error of ours; errors of ours stay as they are. */
export function queryFailed(engine: string, thrown: unknown): StreamError {
  if (isStreamError(thrown)) return thrown;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const problem = (text.split('\n', 1)[0] as string).trim().replace(/\.$/, '');
  return errors.ERR_QUERY_FAILED({ engine, problem: problem.slice(0, PROBLEM_CHARS) || 'it gave no reason' }, thrown);
}
