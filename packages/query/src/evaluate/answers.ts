import { blankNode, quad as makeQuad } from '@ldes-live/rdf-stream';
import type { Quad, Quad_Graph, Quad_Object, Quad_Subject, Term } from '@rdfjs/types';
import type { EngineQuery, EngineStore, EvaluationLimits, QueryEngine } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { QueryLimits } from '../options.ts';
import type { ConstructTemplate, PreparedQuery } from '../prepare/prepared-query.ts';
import type { Row } from '../result.ts';
import type { ChosenPlan } from './evaluator.ts';
import { type LocalBounds, localRows } from './local-answers.ts';
import { countRows, type KeyedRow, keyRows, type RowBag, type RowChange, rowChanges, rowsOfChanges } from './rows.ts';
import { quadKey } from './term-key.ts';

/** Finds an answer again, and what changed of it since the last that was kept. */
export interface AnswerFinder {
  /**
   * Finds the answer over the store as it stands. What it finds counts for nothing until it is kept.
   *
   * @param changed - the quads that came or went since the last answer that was kept; `undefined` where they can be any
   */
  find(changed: readonly Quad[] | undefined, limits: EvaluationLimits): Promise<FoundAnswer>;
  /** The whole answer that was kept last. */
  answer(): readonly Row[] | readonly Quad[];
  /** Of an ASK query, the value that was kept last. */
  value?(): boolean;
}

/** An answer that was found and is not kept yet. */
export interface FoundAnswer extends Found {
  readonly added: readonly Row[] | readonly Quad[];
  readonly removed: readonly Row[] | readonly Quad[];
  /** Whether it differs from the last. */
  readonly isChanged: boolean;
}

/** Finds solutions, as {@link AnswerFinder} finds an answer. */
export interface RowFinder {
  find(changed: readonly Quad[] | undefined, limits: EvaluationLimits): Promise<FoundRows>;
  /** All solutions that were kept last. */
  rows(): readonly Row[];
}

/** Solutions that were found and are not kept yet. */
export interface FoundRows extends Found {
  readonly changes: readonly RowChange[];
  /** Whether the same solutions come in another order, where that counts. */
  readonly isReordered: boolean;
}

interface Found {
  readonly strategy: 'local' | 'full';
  /** From now on it is the last answer. */
  keep(): void;
}

/** What an answer is found by, and where. */
interface FinderOptions {
  readonly prepared: PreparedQuery;
  readonly chosen: ChosenPlan;
  readonly engine: QueryEngine;
  readonly store: EngineStore;
  readonly bounds: LocalBounds;
  readonly limits: QueryLimits;
}

/** Makes what finds the answer of a query, by its form and the plan chosen for it. */
export function createFinder(options: FinderOptions): AnswerFinder {
  const { prepared, store } = options;
  const { form, query, template, isOrdered, variables } = prepared;
  if (form === 'ask') return askedValue(store, query);
  if (form === 'select') return selectedRows(rowFinder(options, query, variables, isOrdered));
  if (template === undefined) return describedQuads(store, query);
  return constructedQuads(rowFinder(options, template.query, template.variables, false), template);
}

function rowFinder(
  { chosen, engine, store, bounds, limits }: FinderOptions,
  query: EngineQuery,
  variables: readonly string[],
  isOrdered: boolean,
): RowFinder {
  if (!('plan' in chosen)) return fullRows({ store, query, variables, isOrdered });
  return localRows({ engine, store, plan: chosen.plan, variables, bounds, limitHeldRows: limits.limitQuads });
}

/** Finds the answer of a SELECT query: its solutions themselves. */
function selectedRows(rows: RowFinder): AnswerFinder {
  return {
    find: async (changed, limits) => {
      const { changes, isReordered, strategy, keep } = await rows.find(changed, limits);
      return { strategy, keep, ...rowsOfChanges(changes), isChanged: changes.length > 0 || isReordered };
    },
    answer: () => rows.rows(),
  };
}

/** What to ask again, and of what. */
interface FullRowsOptions {
  readonly store: EngineStore;
  /** A SELECT query. */
  readonly query: EngineQuery;
  readonly variables: readonly string[];
  /** Whether the order of the solutions counts. */
  readonly isOrdered: boolean;
}

/** Finds solutions by asking the query again. */
function fullRows({ store, query, variables, isOrdered }: FullRowsOptions): RowFinder {
  let kept: readonly Row[] = [];
  let keptBag: RowBag = new Map();
  let keptOrder: readonly string[] = [];
  return {
    find: async (_changed, limits) => {
      const keyed = keyRows(await store.select(query, limits), variables);
      const bag = countRows(keyed);
      const order = isOrdered ? keyed.map(({ key }) => key) : [];
      return {
        strategy: 'full',
        changes: rowChanges(keptBag, bag),
        isReordered: order.some((key, index) => key !== keptOrder[index]),
        keep: () => {
          kept = keyed.map(({ row }: KeyedRow) => row);
          keptBag = bag;
          keptOrder = order;
        },
      };
    },
    rows: () => kept,
  };
}

/** Finds the value of an ASK query by asking it again. */
function askedValue(store: EngineStore, query: EngineQuery): AnswerFinder {
  let held = false;
  return {
    find: async (_changed, limits) => {
      const value = await store.ask(query, limits);
      return {
        strategy: 'full',
        added: [],
        removed: [],
        isChanged: value !== held,
        keep: () => {
          held = value;
        },
      };
    },
    answer: () => [],
    value: () => held,
  };
}

/** Finds the quads of a DESCRIBE query by asking it again. */
function describedQuads(store: EngineStore, query: EngineQuery): AnswerFinder {
  let held: ReadonlyMap<string, Quad> = new Map();
  return {
    find: async (_changed, limits) => {
      const quads = await store.construct(query, limits);
      const found = new Map(quads.map((quad) => [quadKey(quad), quad]));
      const added = [...found].flatMap(([key, quad]) => (held.has(key) ? [] : [quad]));
      const removed = [...held].flatMap(([key, quad]) => (found.has(key) ? [] : [quad]));
      return {
        strategy: 'full',
        added,
        removed,
        isChanged: added.length > 0 || removed.length > 0,
        keep: () => {
          held = found;
        },
      };
    },
    answer: () => [...held.values()],
  };
}

interface CountedQuad {
  readonly quad: Quad;
  readonly count: number;
}

/**
 * Finds the quads of a CONSTRUCT query from its solutions: a quad is there for as long as any solution gives it.
 *
 * @see specs/query.md QUERY-104
 */
function constructedQuads(rows: RowFinder, template: ConstructTemplate): AnswerFinder {
  const held = new Map<string, CountedQuad>();

  const quadsAfter = (changes: readonly RowChange[]): Map<string, CountedQuad> => {
    const after = new Map<string, CountedQuad>();
    const note = (quad: Quad, by: number) => {
      const key = quadKey(quad);
      const known = after.get(key) ?? held.get(key);
      after.set(key, { quad: known?.quad ?? quad, count: (known?.count ?? 0) + by });
    };
    for (const { key, row, before, after: count } of changes) {
      // The copies of a solution differ in their blank nodes: the last ones come and go.
      for (let copy = Math.min(before, count); copy < Math.max(before, count); copy += 1) {
        const made = instantiateTemplate(template.quads, row, `${copy} ${key}`);
        for (const quad of made) note(quad, count > before ? 1 : -1);
      }
    }
    return after;
  };

  return {
    find: async (changed, limits) => {
      const found = await rows.find(changed, limits);
      const after = quadsAfter(found.changes);
      const entries = [...after];
      const added = entries.flatMap(([key, { quad, count }]) => (count > 0 && !held.has(key) ? [quad] : []));
      const removed = entries.flatMap(([key, { quad, count }]) => (count === 0 && held.has(key) ? [quad] : []));
      if (held.size + added.length - removed.length > limits.limitRows) {
        throw errors.ERR_ANSWER_TOO_LARGE({ limitRows: limits.limitRows });
      }
      return {
        strategy: found.strategy,
        added,
        removed,
        isChanged: added.length > 0 || removed.length > 0,
        keep: () => {
          found.keep();
          for (const [key, counted] of after) {
            if (counted.count === 0) held.delete(key);
            else held.set(key, counted);
          }
        },
      };
    },
    answer: () => [...held.values()].map(({ quad }) => quad),
  };
}

/**
 * The quads that a template makes of a solution. Those with an unbound or illegal position are left out.
 *
 * @param key - of the solution and which of its copies it is: the labels of the template's blank nodes follow from it
 * @see specs/query.md QUERY-104
 * @see https://www.w3.org/TR/sparql11-query/#construct
 */
export function instantiateTemplate(template: readonly Quad[], row: Row, key: string): Quad[] {
  let label: string | undefined;
  const labels = new Map<string, Term>();
  const fill = (term: Term): Term | undefined => {
    switch (term.termType) {
      case 'Variable':
        return row[term.value];
      case 'BlankNode': {
        label ??= rowLabel(key);
        const known = labels.get(term.value) ?? blankNode(`${label}b${labels.size}`);
        labels.set(term.value, known);
        return known;
      }
      case 'Quad':
        return fillQuad(term as Quad);
      default:
        return term;
    }
  };
  const fillQuad = (quad: Quad): Quad | undefined => {
    const subject = fill(quad.subject);
    const predicate = fill(quad.predicate);
    const object = fill(quad.object);
    const graph = fill(quad.graph);
    if (!isNode(subject) || predicate?.termType !== 'NamedNode' || object === undefined) return undefined;
    if (!isNode(graph) && graph?.termType !== 'DefaultGraph') return undefined;
    return makeQuad(subject as Quad_Subject, predicate, object as Quad_Object, graph as Quad_Graph);
  };
  return template.flatMap((quad) => fillQuad(quad) ?? []);
}

function isNode(term: Term | undefined): boolean {
  return term?.termType === 'NamedNode' || term?.termType === 'BlankNode';
}

/** Odd 32-bit factors with well spread bits. */
const FACTORS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;

/**
 * A blank node label made of a text: the same for the same text, in every process, and of 128 bits, so that no two texts of
 * an answer share one.
 */
export function rowLabel(key: string): string {
  const state = FACTORS.map((factor) => factor ^ key.length);
  for (let index = 0; index < key.length; index += 1) {
    const code = key.charCodeAt(index);
    for (let word = 0; word < 4; word += 1) {
      const mixed = Math.imul((state[word] as number) ^ code, FACTORS[word] as number);
      state[word] = mixed ^ (mixed >>> 15) ^ ((state[(word + 1) % 4] as number) >>> 7);
    }
  }
  // Twice more, so that the last characters reach every bit.
  for (let round = 0; round < 8; round += 1) {
    const word = round % 4;
    const mixed = Math.imul((state[word] as number) ^ (state[(word + 3) % 4] as number), FACTORS[word] as number);
    state[word] = mixed ^ (mixed >>> 13);
  }
  return `r${state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')}`;
}
