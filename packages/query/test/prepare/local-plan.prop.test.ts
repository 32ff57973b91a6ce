import { check, Floors, fc } from '@ldes-live/test-support/properties';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import type { LocalPlan } from '../../src/prepared-query.ts';
import { type Answers, comunicaAnswers, oxigraphAnswers } from './answers.ts';
import { local } from './local-queries.ts';
import { E, prepared } from './prepared.ts';
import { dataFor } from './small-data.ts';

/** The quads that a plan's patterns find from a root. */
function neighbourhood(plan: LocalPlan, root: string, data: readonly Quad[]): Set<Quad> {
  const quads = new Set<Quad>();
  const seen = new Set<string>();
  const waiting: [variable: string, node: string][] = [[plan.root, root]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [variable, node] = next;
    if (seen.has(`${variable} ${node}`)) continue;
    seen.add(`${variable} ${node}`);
    for (const pattern of plan.patterns) {
      if (pattern.subject !== variable) continue;
      for (const quad of data) {
        if (quad.subject.value !== node || !pattern.fits(quad)) continue;
        quads.add(quad);
        if (pattern.leadsTo !== undefined) waiting.push([pattern.leadsTo, quad.object.value]);
      }
    }
  }
  return quads;
}

/** Which of the quads that are not needed stay: none, or some. */
const fewOthers = fc.oneof(fc.constant<boolean[]>([]), fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }));

async function followsFromNeighbourhood(sparql: string, answers: Answers): Promise<void> {
  const { local: plan } = await prepared(sparql);
  if ('reason' in plan) throw new Error(plan.reason);
  const root = `${E}a`;
  const solutions = async (data: readonly Quad[]) => {
    const rows = (await answers(plan.query, 'select', data)).filter((row) =>
      ` ${row} `.includes(` ?${plan.root}=<${root}> `),
    );
    return plan.isDistinct ? [...new Set(rows)] : rows;
  };
  const met = new Floors({ solved: 1 });
  const property = fc.asyncProperty(dataFor(sparql), fewOthers, async (data, others) => {
    const needed = neighbourhood(plan, root, data);
    const whole = await solutions(data);
    const part = await solutions(data.filter((quad, at) => needed.has(quad) || others[at]));
    expect(part).toEqual(whole);
    if (whole.length > 0) met.count('solved');
    if (needed.size === 0) expect(whole).toEqual([]);
  });
  await check(property, { numRuns: 40, gateRuns: 8, met, verbose: 1 });
}

const queries = local.map(([sparql]) => sparql);

test.each(queries)('QUERY-16 solutions of a root follow from its neighbourhood, by Comunica: %s', (sparql) =>
  followsFromNeighbourhood(sparql, comunicaAnswers),
);

test.each(queries)('QUERY-16 solutions of a root follow from its neighbourhood, by oxigraph: %s', (sparql) =>
  followsFromNeighbourhood(sparql, oxigraphAnswers),
);
