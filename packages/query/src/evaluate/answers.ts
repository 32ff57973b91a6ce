/* The answer of each form of query, found again after each change, and what changed of it.
 *
 *   SELECT     rows      asked again, or found from what changed (local-answers.ts)
 *   CONSTRUCT  rows of its pattern -> quads of its template, each there for as long as a row gives it
 *   DESCRIBE   quads, asked again          ASK   a value, asked again
 * find() compares with the answer that was kept last, and changes nothing until keep():
 *   { "strategy": "local", "isReordered": false, "changes": [ { "row": { "speed": 31 }, "before": 0, "after": 1 } ] }
 */

import { blankNode, quad as makeQuad } from '@ldes-live/rdf-stream';
import type { Quad, Quad_Graph, Quad_Object, Quad_Subject, Term } from '@rdfjs/types';
import { type EngineStore, type EvaluationLimits, isLegal, type QueryEngine } from '../engines/engine.ts';
import type { QueryLimits } from '../options.ts';
import type { LocalPlan } from '../prepare/local-plan.ts';
import type { ConstructTemplate, PreparedQuery } from '../prepare/prepared-query.ts';
import type { Row } from '../result.ts';
import { quadKey } from '../views/quads.ts';
import { type LocalBounds, localRows } from './local-answers.ts';
import { HeldRows, type KeyedRow, type RowChange, rowKey } from './rows.ts';

/** Finds an answer again, and what changed since the last that was kept: solutions, quads, or the value of ASK. */
export interface AnswerFinder<Item = Row> {
  /**
   * Finds the answer over the present store. It changes nothing until it is kept.
   *
   * @param changed - the quads that came or went since the last answer that was kept; `undefined` where any may have
   */
  find(changed: readonly Quad[] | undefined, limits: EvaluationLimits): Promise<FoundAnswer<Item>>;
  /** The last answer that was kept. */
  answer(): readonly Item[];
}

interface FoundAnswer<Item> {
  readonly strategy: 'local' | 'full';
  readonly changes: readonly RowChange<Item>[];
  /** Whether the same solutions come in another order, where that counts. */
  readonly isReordered: boolean;
  /** From now on it is the last answer. */
  keep(): void;
}

export interface FinderOptions {
  readonly prepared: PreparedQuery;
  /** Absent where the query is asked again as a whole. */
  readonly plan: LocalPlan | undefined;
  readonly engine: QueryEngine;
  readonly store: EngineStore;
  readonly bounds: LocalBounds;
  readonly limits: QueryLimits;
}

export function createFinder(options: FinderOptions): AnswerFinder | AnswerFinder<Quad> | AnswerFinder<boolean> {
  const { prepared, plan, store } = options;
  const { form, query, template, isOrdered } = prepared;
  if (form === 'ask') return asked(async (limits) => [await store.ask(query, limits)], String);
  if (form !== 'select' && !template) return asked((limits) => store.construct(query, limits), quadKey);
  const { variables } = template ?? prepared;
  const askRows = (limits: EvaluationLimits) => store.select(template?.query ?? query, limits);
  const rows = plan ? localRows(options, plan, variables) : asked(askRows, (row) => rowKey(row, variables), isOrdered);
  return template ? constructedQuads(rows, template, (term) => store.uses(term)) : rows;
}

/** Asks again as a whole. */
function asked<Item>(
  ask: (limits: EvaluationLimits) => Promise<readonly Item[]>,
  keyOf: (row: Item) => string,
  isOrdered = false,
): AnswerFinder<Item> {
  // All belong to one root, ''.
  const held = new HeldRows<Item>(false);
  return {
    find: async (_changed, limits) => {
      const rows = (await ask(limits)).map((row) => ({ key: keyOf(row), row }));
      const before = held.ofRoot('');
      const isReordered = isOrdered && rows.some(({ key }, at) => key !== before[at]?.key);
      return { strategy: 'full', ...held.exchange(new Map([['', rows]]), limits), isReordered };
    },
    answer: () => held.rows(),
  };
}

/** A quad of CONSTRUCT is there for as long as any solution gives it. @see specs/query.md QUERY-104 */
function constructedQuads(
  rows: AnswerFinder,
  template: ConstructTemplate,
  isOfData: (term: Term) => boolean,
): AnswerFinder<Quad> {
  const held = new HeldRows<Quad>(true);
  return {
    find: async (changed, limits) => {
      const found = await rows.find(changed, limits);
      const made = new Map<string, readonly KeyedRow<Quad>[]>();
      for (const { key, row, before, after } of found.changes) {
        // Copies of a solution differ in their blank nodes: the last copies come and go.
        for (let copy = Math.min(before, after); copy < Math.max(before, after); copy += 1) {
          const solution = `${copy} ${key}`;
          const quads =
            after > before
              ? instantiateTemplate(template.quads, row, solution).filter((quad) => isLegal(quad, isOfData))
              : [];
          made.set(
            solution,
            quads.map((quad) => ({ key: quadKey(quad), row: quad })),
          );
        }
      }
      const { changes, keep } = held.exchange(made, limits);
      const keepAll = () => {
        found.keep();
        keep();
      };
      return { strategy: found.strategy, changes, isReordered: false, keep: keepAll };
    },
    answer: () => held.rows(),
  };
}

/**
 * The quads that a template makes of a solution. Those with an unbound or illegal position are left out.
 *
 * @param key - of this copy of the solution: the labels of the template's blank nodes follow from it
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

/** Odd, with well spread bits. */
const FACTORS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;

/** A hash of 128 bits: the same in every process, and no two texts of an answer share one. */
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
