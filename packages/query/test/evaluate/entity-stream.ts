import { literal, type Member, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { comunica } from '../../src/engines/comunica.ts';
import type { EngineStore, QueryEngine } from '../../src/engines/engine.ts';
import { createEvaluator, type EvaluationChoices } from '../../src/evaluate/evaluator.ts';
import type { EvaluationTask } from '../../src/options.ts';
import type { Row } from '../../src/result.ts';
import type { SourceEvent } from '../../src/source.ts';
import { taskOf } from './exactness-run.ts';

/** What is said of an entity by name: a number, or the name of another entity; nothing at all when it is deleted. */
export type Said = Readonly<Record<string, number | string>> | undefined;

/** Makes commits of entities by name; each has a sequence number of its own. */
function entityStream() {
  let sequence = 0;
  return (entities: Readonly<Record<string, Said>>, timeMs = 0): SourceEvent => {
    const time = new Date(timeMs).toISOString();
    const members = Object.entries(entities).map(([name, said]): Member => {
      sequence += 1;
      const kind = said === undefined ? 'delete' : 'upsert';
      return { id: `urn:${name}#${sequence}`, entity: `urn:${name}`, kind, sequence, time, quads: quadsOf(name, said) };
    });
    return { cursor: `e-${sequence}` as never, time, members };
  };
}

export function quadsOf(name: string, said: Said): Quad[] {
  return Object.entries(said ?? {}).map(([predicate, value]) => {
    const object = typeof value === 'number' ? literal(String(value), xsd.integer) : namedNode(`urn:${value}`);
    return quad(namedNode(`urn:${name}`), namedNode(`urn:${predicate}`), object);
  });
}

/** An evaluator that is told of commits by name. */
export async function evaluatorOf(sparql: string, task: Partial<EvaluationTask> = {}, choices: EvaluationChoices = {}) {
  const evaluator = await createEvaluator(taskOf(sparql, task), choices);
  const commit = entityStream();
  const publish = async (entities: Readonly<Record<string, Said>>, timeMs?: number) =>
    (await evaluator.apply(0, commit(entities, timeMs))).matters;
  return { evaluator, publish };
}

/** Rows as `x=1 y=urn:a`, sorted. */
export function shown(rows: readonly Row[] | readonly Quad[]): string[] {
  const shownRow = (row: Row) => Object.entries(row).map(([name, term]) => `${name}=${term?.value}`);
  return (rows as readonly Row[]).map((row) => shownRow(row).sort().join(' ')).sort();
}

/** Quads as `a p b`, sorted. */
export function shownQuads(quads: readonly Row[] | readonly Quad[]): string[] {
  const shownQuad = ({ subject, predicate, object }: Quad) =>
    [subject, predicate, object].map(({ value }) => value.replace('urn:', '')).join(' ');
  return (quads as readonly Quad[]).map(shownQuad).sort();
}

/** What a watched engine does instead of asking, and how often it was asked. */
export interface WatchedEngine extends QueryEngine {
  asked: number;
  /** How many of its stores are open. */
  stores: number;
  /** Comes before each question; what it throws is its answer. */
  before: (signal: AbortSignal | undefined) => void | Promise<void>;
}

export function watchedEngine(engine: QueryEngine = comunica()): WatchedEngine {
  const open = async (): Promise<EngineStore> => {
    const store = await engine.open();
    watched.stores += 1;
    const close = store.close.bind(store);
    const watch = <Result>(ask: (...given: Parameters<EngineStore['select']>) => Promise<Result>): typeof ask => {
      return async (...given) => {
        watched.asked += 1;
        await watched.before(given[1].signal);
        return ask(...given);
      };
    };
    return Object.assign(store, {
      select: watch(store.select.bind(store)),
      construct: watch(store.construct.bind(store)),
      ask: watch(store.ask.bind(store)),
      close: () => {
        watched.stores -= 1;
        close();
      },
    });
  };
  const watched: WatchedEngine = { name: engine.name, asked: 0, stores: 0, before: () => undefined, open };
  return watched;
}
