import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { comunica } from '../src/engines/comunica.ts';
import { oxigraph } from '../src/engines/oxigraph.ts';
import { evaluateHere } from '../src/evaluate/evaluate-here.ts';
import { liveQuery } from '../src/live-query.ts';
import type { EvaluatorFactory } from '../src/live-query-options.ts';
import type { BindingsResult } from '../src/live-result.ts';
import { PushedSource } from './run/pushed-source.ts';
import { commit, state } from './views/sample-members.ts';

const ENTITIES = 150;
const RESULTS = 12;
// Each solution joins the values of two neighbours in a ring; every commit gives all of them another one.
const RING = 'SELECT ?a ?x ?y { ?a <urn:x:value> ?x . ?a <urn:x:next> ?b . ?b <urn:x:value> ?y }';

function ring(round: number) {
  return Array.from({ length: ENTITIES }, (_, index) => {
    const said = namedNode(`urn:x:e${index}`);
    const next = namedNode(`urn:x:e${(index + 1) % ENTITIES}`);
    const value = quad(said, namedNode('urn:x:value'), literal(String(round)));
    const quads = [value, quad(said, namedNode('urn:x:next'), next)];
    return { sequence: round * ENTITIES + index + 1, entity: said.value, quads };
  });
}

test.each([
  ['comunica', comunica],
  ['oxigraph', oxigraph],
])(
  'QUERY-4 no answer of %s has a part of one commit and a part of another, though they never stop coming',
  async (_name, engine) => {
    const source = new PushedSource();
    let round = 0;
    source.push(state(...ring(round)));
    // As fast as they are taken, so that there is always one more on its way, evaluation or not.
    const push = () => {
      round += 1;
      source.push(commit(...ring(round)));
    };
    const feeding = setInterval(push, 1);
    let pushedMeanwhile = 0;
    const watched: EvaluatorFactory = async (task) => {
      const evaluator = await evaluateHere(task);
      const evaluate = evaluator.evaluate.bind(evaluator);
      evaluator.evaluate = async () => {
        const before = round;
        const answer = await evaluate();
        pushedMeanwhile += round - before;
        return answer;
      };
      return evaluator;
    };
    let results = 0;
    try {
      for await (const result of liveQuery(source, RING, { mal: 0.02, engine: engine(), evaluators: watched })) {
        const rows = (result as BindingsResult).bindings();
        expect(rows).toHaveLength(ENTITIES);
        const values = new Set(rows.flatMap(({ x, y }) => [x!.value, y!.value]));
        // Of one commit, and of the one that it says to stand at.
        const [cursor] = result.cursors;
        const stands = cursor === 'a-0' ? 0 : Number(cursor!.slice(2)) / ENTITIES - 1;
        expect([...values]).toEqual([String(stands)]);
        results += 1;
        if (results === RESULTS) break;
      }
    } finally {
      clearInterval(feeding);
    }
    expect(results).toBe(RESULTS);
    // Oxigraph lets nothing come meanwhile.
    if (engine === comunica) expect(pushedMeanwhile).toBeGreaterThan(0);
  },
);
