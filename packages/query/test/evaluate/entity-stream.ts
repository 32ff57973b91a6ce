import { literal, type Member, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { comunica } from '../../src/engines/comunica.ts';
import type { EngineStore, QueryEngine } from '../../src/engines/engine.ts';
import { createEvaluator, type EvaluationChoices, type EvaluatorHere } from '../../src/evaluate/evaluator.ts';
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
export async function evaluatorOf(
  sparql: string,
  task: Partial<EvaluationTask> = {},
  choices: EvaluationChoices = {},
): Promise<{
  evaluator: EvaluatorHere;
  publish(entities: Readonly<Record<string, Said>>, timeMs?: number): Promise<boolean>;
}> {
  const evaluator = await createEvaluator(taskOf(sparql, task), choices);
  const commit = entityStream();
  const publish = async (entities: Readonly<Record<string, Said>>, timeMs?: number) =>
    (await evaluator.apply(0, commit(entities, timeMs))).matters;
  return { evaluator, publish };
}

/** Rows as `x=1 y=urn:a`, sorted. */
export function shown(rows: readonly Row[] | readonly Quad[]): string[] {
  return (rows as readonly Row[])
    .map((row) =>
      Object.keys(row)
        .sort()
        .map((name) => `${name}=${row[name]?.value}`)
        .join(' '),
    )
    .sort();
}

/** Quads as `a p b`, sorted. */
export function shownQuads(quads: readonly Row[] | readonly Quad[]): string[] {
  return (quads as readonly Quad[])
    .map(({ subject, predicate, object }) =>
      [subject, predicate, object].map(({ value }) => value.replace('urn:', '')).join(' '),
    )
    .sort();
}

/** What a watched engine does instead of asking, and how often it was asked. */
export interface WatchedEngine extends QueryEngine {
  asked: number;
  /** How many of its stores are open. */
  stores: number;
  /** Comes before each question; what it throws is its answer. */
  before: (signal: AbortSignal | undefined) => void | Promise<void>;
}

/** Comunica, watched. */
export function watchedEngine(engine: QueryEngine = comunica()): WatchedEngine {
  const watched: WatchedEngine = {
    name: engine.name,
    asked: 0,
    stores: 0,
    before: () => undefined,
    open: async () => {
      const store = await engine.open();
      watched.stores += 1;
      const ask =
        <Result>(question: (...parameters: Parameters<EngineStore['select']>) => Promise<Result>) =>
        async (...parameters: Parameters<EngineStore['select']>) => {
          watched.asked += 1;
          await watched.before(parameters[1].signal);
          return question(...parameters);
        };
      return {
        get size() {
          return store.size;
        },
        add: (said) => store.add(said),
        delete: (said) => store.delete(said),
        match: (...terms) => store.match(...terms),
        select: ask((...parameters) => store.select(...parameters)),
        construct: ask((...parameters) => store.construct(...parameters)),
        ask: ask((...parameters) => store.ask(...parameters)),
        close: () => {
          watched.stores -= 1;
          store.close();
        },
      };
    },
  };
  return watched;
}
