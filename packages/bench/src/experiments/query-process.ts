/*
 * The process of `query`: answers a live query over commits that it makes itself.
 *
 *   { "query": "local", "engine": "oxigraph", "quads": 100000, ... }   order {} -> QueryReport
 *   obs/17 of sensor 17 and property 1 has a new value in commit after commit -> liveQuery -> rows, in their reader's hands
 */
import { EventEmitter, on, once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  comunica,
  type LiveResult,
  liveQuery,
  oxigraph,
  type Row,
  type SourceEvent,
  type StateEvent,
} from '@ldes-live/query';
import { evaluateInWorker } from '@ldes-live/query/worker';
import { type Commit, literal, type Member, namedNode, quad, rdf, xsd } from '@ldes-live/rdf-stream';
import { answerOrders, planOf } from '../processes.ts';
import { seededRandom } from '../timing.ts';
import type { QueryPlan } from './query.ts';

/** What the process is to do. */
export interface QueryRole {
  readonly engine: 'comunica' | 'oxigraph';
  /**
   * Solutions that follow from one observation each, beside which Comunica is asked again; or an aggregate over all, which a
   * thread beside evaluates.
   */
  readonly query: 'local' | 'whole';
  readonly quads: number;
  readonly plan: Pick<QueryPlan, 'entities' | 'warmUp' | 'commits'>;
}

export type QueryReport = Awaited<ReturnType<typeof run>>;

const OBSERVATION_QUADS = 5;
const BASE = 'http://bench.invalid/';
const SOSA = 'http://www.w3.org/ns/sosa/';
/** Observed by as many sensors each. */
const PROPERTIES = 8;
/** The property that is asked of alone, values above which it is asked for, and above which values count. */
const [ASKED_PROPERTY, HIGH, COUNTED] = [3, 95, 20];

const QUERIES = {
  local: `PREFIX sosa: <${SOSA}>
SELECT ?o ?s ?v WHERE {
  ?o sosa:madeBySensor ?s ; sosa:observedProperty <${BASE}property/${ASKED_PROPERTY}> ; sosa:hasSimpleResult ?v
  FILTER(?v > ${HIGH})
}`,
  whole: `PREFIX sosa: <${SOSA}>
SELECT ?p (AVG(?v) AS ?mean) (COUNT(?v) AS ?count) WHERE {
  ?o sosa:madeBySensor ?s ; sosa:observedProperty ?p ; sosa:hasSimpleResult ?v
  FILTER(?v > ${COUNTED})
} GROUP BY ?p`,
} as const;
const STRATEGIES = { local: 'local', whole: 'full' } as const;

const EPOCH = 'bench';
const SEED = 7;
/** Prime: so far apart are entities that change one after the other. */
const STRIDE = 7919;
const TOP = 100;
/** As far above a bound as decimals cannot round away. */
const ABOVE = 0.1;

/**
 * Observations of as many sensors, each an entity with a new version for each update. Always the same ones.
 *
 * @param count - a multiple of {@link PROPERTIES}, and not of {@link STRIDE}
 */
function createObservations(count: number) {
  const random = seededRandom(SEED);
  const between = (min: number, max: number) => Number((min + random() * (max - min)).toFixed(3));
  const values = Array.from({ length: count }, () => between(0, TOP));
  const revisions = values.map(() => 0);
  let [sequence, step] = [0, 0];
  const next = () => {
    step += 1;
    return (step * STRIDE) % count;
  };
  const member = (index: number): Member => {
    sequence += 1;
    const time = new Date().toISOString();
    const entity = `${BASE}obs/${index}`;
    const id = `${entity}/${revisions[index]}`;
    const subject = namedNode(id);
    const say = (predicate: string, object: Parameters<typeof quad>[2]) => quad(subject, namedNode(predicate), object);
    const quads = [
      say(rdf.type, namedNode(`${SOSA}Observation`)),
      say(`${SOSA}madeBySensor`, namedNode(`${BASE}sensor/${index}`)),
      say(`${SOSA}observedProperty`, namedNode(`${BASE}property/${index % PROPERTIES}`)),
      say(`${SOSA}hasSimpleResult`, literal(String(values[index]), xsd.double)),
      say(`${SOSA}resultTime`, literal(time, xsd.dateTime)),
    ];
    return { id, entity, kind: 'upsert', sequence, time, quads };
  };
  return {
    /** All of them. */
    state: (): StateEvent => {
      const members = values.map((_, index) => member(index));
      return { kind: 'state', cursor: `${EPOCH}-${sequence}`, members };
    },
    /** New values of so many; one of them at least is of the asked property, and high. */
    update: (entities: number): Commit => {
      const near = next();
      const chosen = new Set([near - (near % PROPERTIES) + ASKED_PROPERTY]);
      while (chosen.size < entities) chosen.add(next());
      const members = [...chosen].map((index, place) => {
        values[index] = between(place === 0 ? HIGH + ABOVE : 0, TOP);
        revisions[index] = (revisions[index] as number) + 1;
        return member(index);
      });
      return { cursor: { epoch: EPOCH, sequence }, time: new Date().toISOString(), members };
    },
  };
}

/** A source that hands out the events of an emitter, which says `read` when its reader is ready. */
async function* handOn(handed: EventEmitter): AsyncGenerator<SourceEvent, void, undefined> {
  const events = on(handed, 'event');
  handed.emit('read');
  for await (const [event] of events) yield event as SourceEvent;
}

const LIMIT_ROWS = 100_000;

/** The latest state in a store of Comunica, where a query is asked again in full: by each event, how long that took. */
async function openAgain(text: string) {
  const store = await comunica().open();
  const quads = new Map<string, Member['quads']>();
  return async ({ members }: SourceEvent, expected: readonly Row[]): Promise<number> => {
    for (const { entity, quads: next } of members) {
      for (const one of quads.get(entity) ?? []) store.delete(one);
      for (const one of next) store.add(one);
      quads.set(entity, next);
    }
    const startMs = performance.now();
    const rows = await store.select({ text }, { limitRows: LIMIT_ROWS });
    const againMs = performance.now() - startMs;
    if (identities(rows) !== identities(expected)) throw new Error('The live answer differs from that of asking again');
    return againMs;
  };
}

/** By their version IRIs, since engines write numbers in different forms. */
function identities(rows: readonly Row[]): string {
  return rows
    .map(({ o }) => o?.value)
    .sort()
    .join(' ');
}

/** So short that no commit waits for it. */
const MAL_SECONDS = 0.001;
/** Between commits, so that the reader waits and the MAL has passed. */
const REST_MS = 10;
const IDLE_MS = 500;
/** The interval of the timer that is watched, so that so much of a stall may be none. */
const RESOLUTION_MS = 1;

async function run({ engine, query, quads, plan: { entities, warmUp, commits } }: QueryRole) {
  const observations = createObservations(quads / OBSERVATION_QUADS);
  const source = new EventEmitter();
  const isRead = once(source, 'read');
  const live = liveQuery(handOn(source), QUERIES[query], {
    engine: engine === 'comunica' ? comunica() : oxigraph(),
    mal: MAL_SECONDS,
    ...(query === 'whole' && { evaluators: evaluateInWorker() }),
  });
  const { strategy } = await live.explain();
  if (strategy !== STRATEGIES[query]) throw new Error(`The query '${query}' is answered by '${strategy}'`);
  const results = live[Symbol.asyncIterator]();
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  /** The longest that this thread was away since it was last asked. */
  const longestStallMs = async () => {
    // One that has just gone by is noted when the timer comes.
    await sleep(2 * RESOLUTION_MS);
    const longestMs = loop.max / 1e6;
    loop.reset();
    return longestMs;
  };
  // What it takes to make the state is none of what is measured; nor what a thread loads before there is a state.
  const state = observations.state();
  let next = results.next();
  /** From an event being handed out to its result in the reader's hands: applying and answering. */
  const handOut = async (event: SourceEvent) => {
    const startMs = performance.now();
    source.emit('event', event);
    const result = (await next).value as Extract<LiveResult, { form: 'bindings' }>;
    return { tookMs: performance.now() - startMs, result };
  };
  await isRead;
  loop.enable();
  await sleep(IDLE_MS);
  // With nothing to do, the machine adds it.
  const idleStallMs = await longestStallMs();
  const { tookMs: startMs } = await handOut(state);
  const startStallMs = await longestStallMs();
  let again: Awaited<ReturnType<typeof openAgain>> | undefined;
  let residentBytes = 0;
  const [liveMs, evaluationMs, againMs]: [number[], number[], number[]] = [[], [], []];
  for (let round = -warmUp; round < commits; round += 1) {
    if (round === 0) await longestStallMs();
    const commit = observations.update(entities);
    next = results.next();
    await sleep(REST_MS);
    const { tookMs, result } = await handOut(commit);
    const rows = result.bindings();
    if (round === -warmUp / 2) {
      // Before what is asked again takes some.
      residentBytes = process.memoryUsage.rss();
      again = query === 'local' ? await openAgain(QUERIES[query]) : undefined;
      await again?.(observations.state(), rows);
    }
    const againTookMs = await again?.(commit, rows);
    if (round < 0) continue;
    liveMs.push(tookMs);
    evaluationMs.push(result.evaluationMs);
    if (againTookMs !== undefined) againMs.push(againTookMs);
  }
  return {
    startMs,
    liveMs,
    evaluationMs,
    againMs,
    idleStallMs,
    startStallMs,
    stallMs: await longestStallMs(),
    residentBytes,
  };
}

answerOrders({}, () => run(planOf<QueryRole>()));
