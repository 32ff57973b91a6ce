/* The answer of each form of query, found again after each change, and what changed of it.
 *
 *   SELECT     rows      asked again (fullRows), or found from what changed (local-answers.ts)
 *   CONSTRUCT  rows of its pattern -> quads of its template, each there for as long as a row gives it
 *   DESCRIBE   quads, asked again          ASK   a value, asked again
 * find() compares with the answer that was kept last, and changes nothing until keep():
 *   { "strategy": "local", "added": [ { "speed": 31 } ], "removed": [ { "speed": 30 } ], "isChanged": true }
 */

import { blankNode, quad as makeQuad } from '@ldes-live/rdf-stream';
import type { Quad, Quad_Graph, Quad_Object, Quad_Subject, Term } from '@rdfjs/types';
import type { EngineQuery, EngineStore, EvaluationLimits, QueryEngine } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { QueryLimits } from '../options.ts';
import type { LocalPlan } from '../prepare/local-plan.ts';
import type { ConstructTemplate, PreparedQuery } from '../prepare/prepared-query.ts';
import type { Row } from '../result.ts';
import { quadKey } from '../views/quads.ts';
import { type LocalBounds, localRows } from './local-answers.ts';
import { countRows, type RowBag, type RowChange, rowChanges, rowKey, rowsOfChanges } from './rows.ts';

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

/** Finds solutions, as {@link AnswerFinder} finds an answer. */
export interface RowFinder {
  find(changed: readonly Quad[] | undefined, limits: EvaluationLimits): Promise<FoundRows>;
  /** All solutions that were kept last. */
  rows(): readonly Row[];
}

interface Found {
  readonly strategy: 'local' | 'full';
  /** From now on it is the last answer. */
  keep(): void;
}

interface FoundAnswer extends Found {
  readonly added: readonly Row[] | readonly Quad[];
  readonly removed: readonly Row[] | readonly Quad[];
  /** Whether it differs from the last. */
  readonly isChanged: boolean;
}

interface FoundRows extends Found {
  readonly changes: readonly RowChange[];
  /** Whether the same solutions come in another order, where that counts. */
  readonly isReordered: boolean;
}

interface FinderOptions {
  readonly prepared: PreparedQuery;
  /** Absent where the query is asked again as a whole. */
  readonly plan: LocalPlan | undefined;
  readonly engine: QueryEngine;
  readonly store: EngineStore;
  readonly bounds: LocalBounds;
  readonly limits: QueryLimits;
}

/** Makes what finds the answer of a query, by its form and the plan chosen for it. */
export function createFinder({ prepared, plan, engine, store, bounds, limits }: FinderOptions): AnswerFinder {
  const { form, query, template, isOrdered } = prepared;
  if (form === 'ask') return askedValue(store, query);
  if (form !== 'select' && !template) return describedQuads(store, query);
  const { variables } = template ?? prepared;
  const rows = plan
    ? localRows({ engine, store, plan, variables, bounds, limitHeldRows: limits.limitQuads })
    : fullRows(store, template?.query ?? query, variables, isOrdered && !template);
  return template ? constructedQuads(rows, template) : selectedRows(rows);
}

function askedValue(store: EngineStore, query: EngineQuery): AnswerFinder {
  let held = false;
  return {
    find: async (_changed, limits) => {
      const value = await store.ask(query, limits);
      const keep = () => {
        held = value;
      };
      return { strategy: 'full', added: [], removed: [], isChanged: value !== held, keep };
    },
    answer: () => [],
    value: () => held,
  };
}

function selectedRows(rows: RowFinder): AnswerFinder {
  return {
    find: async (changed, limits) => {
      const { changes, isReordered, strategy, keep } = await rows.find(changed, limits);
      return { strategy, keep, ...rowsOfChanges(changes), isChanged: changes.length > 0 || isReordered };
    },
    answer: () => rows.rows(),
  };
}

/** @param isOrdered - whether the order of the solutions counts */
function fullRows(store: EngineStore, query: EngineQuery, variables: readonly string[], isOrdered: boolean): RowFinder {
  let kept: readonly Row[] = [];
  let keptBag: RowBag = new Map();
  let keptOrder: readonly string[] = [];
  return {
    find: async (_changed, limits) => {
      const rows = await store.select(query, limits);
      const keyed = rows.map((row) => ({ key: rowKey(row, variables), row }));
      const bag = countRows(keyed);
      const order = isOrdered ? keyed.map(({ key }) => key) : [];
      return {
        strategy: 'full',
        changes: rowChanges(keptBag, bag),
        isReordered: order.some((key, index) => key !== keptOrder[index]),
        keep: () => {
          [kept, keptBag, keptOrder] = [rows, bag, order];
        },
      };
    },
    rows: () => kept,
  };
}

function describedQuads(store: EngineStore, query: EngineQuery): AnswerFinder {
  let held: ReadonlyMap<string, Quad> = new Map();
  return {
    find: async (_changed, limits) => {
      const quads = await store.construct(query, limits);
      const found = new Map(quads.map((quad) => [quadKey(quad), quad]));
      const added = [...found].flatMap(([key, quad]) => (held.has(key) ? [] : [quad]));
      const removed = [...held].flatMap(([key, quad]) => (found.has(key) ? [] : [quad]));
      const keep = () => {
        held = found;
      };
      return { strategy: 'full', added, removed, isChanged: added.length > 0 || removed.length > 0, keep };
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
      const removed = [...after.values()].flatMap(({ quad, count }) => (count === 0 ? [quad] : []));
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
function rowLabel(key: string): string {
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
