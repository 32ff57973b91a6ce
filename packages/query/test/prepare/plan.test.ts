import { check, Floors, fc } from '@ldes-live/test-support/properties';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import type { LocalPlan } from '../../src/prepare/local-plan.ts';
import { type Answers, dataFor, E, engines, prepared } from './fixture.ts';
import { local } from './local-queries.ts';

test('the search for a root ends, whatever the query, and finds that of a chain of 60 patterns', async () => {
  const chain = (length: number) =>
    Array.from({ length }, (_, n) => `?v${length - n} :p ?v${length - n + 1} .`).join(' ');
  expect((await prepared(`SELECT * { ${chain(60)} }`)).local).toMatchObject({ root: 'v1' });
  const nested = `${'{ SELECT * { '.repeat(40)} ?x :p ?y . ${'?r :p ?c } } '.repeat(40)}`;
  for (const pattern of [chain(400), `${nested} ?r :p ?c`]) {
    const reason = 'it has too many patterns to search for a root';
    expect((await prepared(`SELECT * { ${pattern} }`)).local).toEqual({ reason });
  }
});

test.each(local)('QUERY-16 local: %s', async (sparql, root) => {
  const { local: plan } = await prepared(sparql);
  expect(plan).toMatchObject({ root });
});

/** Queries that are asked again as a whole, and a part of the reason. */
const full: readonly (readonly [string, RegExp])[] = [
  ['ASK { ?s :p ?o }', /ASK/],
  ['DESCRIBE ?s { ?s :p ?o }', /DESCRIBE/],
  ['SELECT * { ?s :p ?o } ORDER BY ?o', /ORDER BY/],
  ['SELECT * { ?s :p ?o } LIMIT 3', /LIMIT/],
  ['CONSTRUCT { ?s :q ?o } { ?s :p ?o } OFFSET 3', /OFFSET/],
  ['SELECT * { ?s :p ?o FILTER(?o < NOW()) }', /NOW/],
  ['SELECT * { ?s :p ?o BIND(BNODE() AS ?b) }', /BNODE/],
  ['SELECT (COUNT(*) AS ?n) { ?s :p ?o }', /aggregates over several.*GROUP BY/],
  ['SELECT ?o (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?o', /\?s is not among/],
  ['SELECT ?s (GROUP_CONCAT(?o) AS ?n) { ?s :p ?o } GROUP BY ?s', /GROUP_CONCAT depends on the order/],
  ['SELECT ?s (SAMPLE(?o) AS ?n) { ?s :p ?o } GROUP BY ?s', /SAMPLE/],
  ['SELECT * { ?s :p+ ?o }', /path/],
  ['SELECT * { ?s :p ?o . ?o :q? ?x }', /path/],
  ['SELECT * { GRAPH :g { ?s :p ?o } }', /GRAPH/],
  ['SELECT * { ?s :p ?o GRAPH ?g { ?s :q ?x } }', /GRAPH/],
  ['SELECT * { :a :p ?o }', /no variable is the subject/],
  ['SELECT * { ?s :p ?o . :a :q ?o }', /about one fixed thing, http:\/\/example.org\/a/],
  ['SELECT * { ?s :p ?o . ?t :q ?o }', /patterns of \?t are not reached from \?s/],
  ['SELECT * { ?s :p ?o . ?t :q ?x }', /patterns of \?t are not reached from \?s/],
  ['SELECT * { ?s :p ?o OPTIONAL { ?t :q ?o } }', /\?t/],
  ['SELECT * { ?s :p ?o FILTER EXISTS { ?t :q ?o } }', /\?t/],
  ['SELECT * { ?s :p ?o FILTER NOT EXISTS { ?s :q ?o MINUS { ?s :r ?o } } }', /MINUS or a subquery in EXISTS/],
  ['SELECT * { { ?s :p ?o } UNION { ?t :q ?o } }', /patterns of \?t/],
  ['SELECT * { { ?s :p ?o } UNION { ?t :q ?s } }', /patterns of \?t/],
  ['SELECT * { ?s :p ?o MINUS { ?t :q ?o } }', /patterns of \?t/],
  ['SELECT * { OPTIONAL { ?s :p ?o } }', /\?s/],
  ['SELECT * { OPTIONAL { ?s :p ?o } ?o :q ?x }', /.*/],
  ['SELECT * { ?s :p ?o OPTIONAL { ?s :q ?x } ?x :r ?y }', /\?x/],
  ['SELECT * { VALUES ?s { :a } OPTIONAL { ?s :p ?o } }', /not every solution has a pattern with \?s/],
  ['SELECT * { VALUES (?s ?x) { (UNDEF 1) } OPTIONAL { ?s :p ?o } }', /\?s/],
  ['SELECT * { ?s ?p ?o . ?o :q ?x }', /patterns of \?o/],
  ['SELECT * { ?s ?p ?o . ?p :q ?x }', /patterns of \?p/],
  ['SELECT * { ?s (:p|^:q) ?o }', /\?o/],
  ['SELECT * { ?s :p/^:p ?t }', /patterns of \?t/],
  ['SELECT * { ?s :p/:q ?x . ?t (^:p/:q) ?x }', /patterns of \?t|a node between/],
  ['SELECT * { ?s :p ?o . { ?s :q ?x OPTIONAL { ?o :r ?x } } }', /patterns of \?o/],
  ['SELECT * { ?s :p ?o . { { ?s :q ?x } MINUS { ?o :r ?x } } }', /patterns of \?o/],
  ['SELECT * { ?s :p ?o MINUS { ?s :q ?x OPTIONAL { ?x :r ?o } } }', /about \?o/],
  ['SELECT * { ?s :p ?o OPTIONAL { { { ?s :q ?x } UNION { ?o :q ?x } } MINUS { ?x :r ?o } } }', /about \?o/],
  ['SELECT * { ?s :p ?o { ?s :q ?x OPTIONAL { ?x :r ?o } } }', /about \?o/],
  ['SELECT * { ?s :p ?o OPTIONAL { { ?s :q ?x FILTER(?x = ?o) } } }', /about \?o/],
  ['SELECT * { ?s :p ?z OPTIONAL { ?s :q ?o OPTIONAL { ?o :r ?x FILTER(?x = ?z) } } }', /about \?z/],
  ['SELECT ?v { [] :p ?v }', /no variable is the subject/],
  ['SELECT * { { SELECT ?s { ?s :p ?o } LIMIT 2 } ?s :q ?x }', /LIMIT/],
  ['SELECT * { ?s :p ?x { SELECT ?x { ?x :q ?s } } }', /subquery whose \?s is not that outside/],
  ['SELECT ?o { { SELECT ?o { ?s :p ?o } } }', /subquery/],
  ['SELECT ?s (SUM(?x) AS ?n) { ?s :p ?o { SELECT ?o (COUNT(*) AS ?x) { ?t :q ?o } GROUP BY ?o } } GROUP BY ?s', /\?t/],
  ['SELECT * { ?s :r ?k { SELECT ?s ?k (COUNT(*) AS ?n) { { ?s :p ?o } UNION { ?k :q ?o } } GROUP BY ?s ?k } }', /\?s/],
  ['SELECT * { ?s :p <<( ?a ?b ?c )>> }', /triple term/],
  ['SELECT * {}', /no variable is the subject/],
];

test.each(full)('not local: %s', async (sparql, reason) => {
  const { local: plan } = await prepared(sparql);
  expect(plan).toEqual({ reason: expect.stringMatching(reason) });
});

test('QUERY-16 the plan names each pattern, and what leads on from it', async () => {
  const { local: plan } = await prepared(
    'SELECT ?n { ?s :route ?r ; ?any 1 OPTIONAL { ?r :line ?l . ?l :name ?n } MINUS { ?s :gone ?x } }',
  );
  if ('reason' in plan) throw new Error(plan.reason);
  const shown = plan.patterns.map(({ subject, predicate, leadsTo }) =>
    [subject, predicate?.split('/').at(-1) ?? 'any', leadsTo ?? 'nowhere'].join(' '),
  );
  expect(shown.sort()).toEqual(['l name nowhere', 'r line l', 's any nowhere', 's gone nowhere', 's route r']);
});

test('QUERY-16 the plan asks for the root, and keeps DISTINCT', async () => {
  const { local: plan } = await prepared('SELECT DISTINCT (?o AS ?x) # SELECT *\n { ?s :p ?o }');
  expect(plan).toMatchObject({ root: 's', isDistinct: true });
  const text = 'PREFIX : <http://example.org/> SELECT DISTINCT ?s  (?o AS ?x) # SELECT *\n { ?s :p ?o }';
  expect(plan).toMatchObject({ query: { text } });
});

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

for (const [name, answers] of engines) {
  test.each(local)(`QUERY-16 solutions of a root follow from its neighbourhood, by ${name}: %s`, (sparql) =>
    followsFromNeighbourhood(sparql, answers),
  );
}
