import { namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { prepareQuery } from '../../src/prepare/prepared-query.ts';
import { E, prepared, refusal } from './fixture.ts';

test.each([
  ['SELECT ?b ?a { ?a :p ?b }', { form: 'select', variables: ['b', 'a'], isOrdered: false, isVolatile: false }],
  ['SELECT * { ?a :p ?b . [] :q ?a }', { form: 'select', variables: ['a', 'b'] }],
  ['SELECT (COUNT(*) AS ?n) ?a { ?a :p ?b } GROUP BY ?a', { form: 'select', variables: ['n', 'a'] }],
  ['SELECT DISTINCT ?a { ?a :p ?b } ORDER BY ?b', { isOrdered: true }],
  ['SELECT ?a { ?a :p ?b } LIMIT 1', { isOrdered: true }],
  ['SELECT ?a { ?a :p ?b } OFFSET 1', { isOrdered: true }],
  ['SELECT ?a { { SELECT ?a { ?a :p ?b } ORDER BY ?b LIMIT 2 } }', { isOrdered: false }],
  ['CONSTRUCT { ?a :q 1 } { ?a :p ?b } ORDER BY ?b LIMIT 1', { form: 'construct', variables: [], isOrdered: true }],
  ['DESCRIBE :a', { form: 'describe', variables: [], isOrdered: false }],
  ['DESCRIBE ?a { ?a :p ?b } LIMIT 3', { form: 'describe', isOrdered: true }],
  ['ASK { ?a :p ?b } LIMIT 3', { form: 'ask', isOrdered: false }],
  ['SELECT * { ?a :p ?b FILTER(?b < now()) }', { isVolatile: true }],
  ['SELECT (RAND() AS ?r) {}', { isVolatile: true }],
  [
    'SELECT * { ?a :p ?b { SELECT * { ?a :q ?x FILTER EXISTS { ?a :p ?z BIND(UUID() AS ?u) } } } }',
    { isVolatile: true },
  ],
  ['CONSTRUCT { ?a :q ?u } { ?a :p ?b BIND(STRUUID() AS ?u) }', { isVolatile: true }],
  ['SELECT (BNODE() AS ?b) { ?a :p "NOW()" } # RAND()', { isVolatile: false }],
])('%s', async (sparql, expected) => {
  expect(await prepared(sparql)).toMatchObject(expected);
});

test('the text of a query is handed on as it is', async () => {
  const { query } = await prepared('SELECT  * # what\n { ?s :p ?o }');
  expect(query.text).toBe(`PREFIX : <${E}> SELECT  * # what\n { ?s :p ?o }`);
  expect(query.operation).toMatchObject({ type: 'project' });
});

test('each REDUCED is asked as DISTINCT, and nothing else that is called so', async () => {
  const where = '{ { select reduced ?s { ?s :REDUCED ?REDUCED } } # SELECT REDUCED\n FILTER(?s != "SELECT REDUCED") }';
  const { query } = await prepared(`SELECT REDUCED * ${where}`);
  expect(query.text).toBe(`PREFIX : <${E}> SELECT DISTINCT * ${where.replace('reduced', 'DISTINCT')}`);
  expect(query.operation).toMatchObject({ type: 'distinct' });
  const based = await prepareQuery('BASE <http://x/> SELECT REDUCED ?s { ?s <p> ?o }', { limitQueryChars: 100 });
  expect(based.query).toEqual({ text: 'BASE <http://x/> SELECT DISTINCT ?s { ?s <p> ?o }' });
});

test('with BASE an engine reads the text itself', async () => {
  const { query } = await prepareQuery('BASE <http://x/> SELECT (IRI("y") AS ?i) {}', { limitQueryChars: 100 });
  expect(query.operation).toBeUndefined();
});

test('QUERY-10 a text that is no SPARQL is refused with the place', async () => {
  for (const [sparql, line, column, problem] of [
    ['SELECT * {\n  ?s ?p } }', 2, 9, /"}" is not allowed here/],
    ['SELECT * { ?s ?p ?o', 1, 20, /ends too early, where } is expected/],
    ['SELECT * {\n\n ?s ?p "x }', 3, 8, /string that starts here is not closed/],
    ['SELECT * { ?s ?p \u00E9 }', 1, 18, /cannot be read/],
    ['SELECT * {\n ?s x:p ?o }', 2, 5, /the prefix x: is not declared/],
    ['', 1, 1, /query is empty/],
    ['PREFIX : <http://x/>', 1, 21, /query is empty/],
  ] as const) {
    const { code, message, details } = await refusal(sparql);
    expect([sparql, code]).toEqual([sparql, 'ERR_QUERY_SYNTAX']);
    expect(message).toMatch(problem);
    expect(message).toMatch(`line ${line}, column ${column}`);
    expect(details).toMatchObject({ line, column });
    expect(message.length).toBeLessThan(250);
  }
});

test.each([
  ['parentheses', `SELECT * { FILTER(${'('.repeat(10_000)}1${')'.repeat(10_000)}) }`],
  ['groups', `SELECT * ${'{'.repeat(10_000)}${'}'.repeat(10_000)}`],
  ['negations', `SELECT * { FILTER(${'!'.repeat(10_000)}true) }`],
  ['lists', `SELECT * { ?s ?p ${'('.repeat(10_000)} ${')'.repeat(10_000)} }`],
  ['paths', `SELECT * { ?s ${'('.repeat(10_000)}<x:y>${')'.repeat(10_000)} ?o }`],
])('QUERY-10 10,000 %s within one another are refused, and the next query is read', async (_, sparql) => {
  const { code, message } = await refusal(sparql);
  expect(code).toBe('ERR_QUERY_SYNTAX');
  expect(message).toMatch(/nested too deeply/);
  expect(await prepared('SELECT * { ?s :p ?o }')).toMatchObject({ form: 'select' });
});

test('QUERY-12 a query of as many characters as the limit is read, one more is refused', async () => {
  const sparql = 'ASK {}';
  expect(await prepareQuery(sparql, { limitQueryChars: 6 })).toMatchObject({ form: 'ask' });
  const tooLong = { code: 'ERR_QUERY_TOO_LONG', details: { chars: 6, limitQueryChars: 5 } };
  await expect(prepareQuery(sparql, { limitQueryChars: 5 })).rejects.toMatchObject(tooLong);
});

const BESIDE_AGGREGATES = 'is used with aggregates, but is not in GROUP BY';

test.each<[about: string, code: string, message: RegExp, queries: string[]]>([
  [
    'QUERY-10 what is said of variables wrongly',
    'ERR_QUERY_SYNTAX',
    /^.{1,199}$/s,
    ['SELECT ?o { ?s ?p ?o } GROUP BY ?s', 'SELECT * { ?s ?p ?o BIND(1 AS ?o) }'],
  ],
  [
    'QUERY-10 a variable beside aggregates that is not grouped by',
    'ERR_QUERY_SYNTAX',
    new RegExp(`a variable ${BESIDE_AGGREGATES}`),
    [
      'SELECT ?x (COUNT(?y) AS ?n) { ?x ?p ?y }',
      'SELECT ?p { { SELECT ?p { ?s ?p ?o } GROUP BY ?p } ?x ?y ?z } GROUP BY ?y',
    ],
  ],
  [
    'QUERY-10 such a variable in an expression',
    'ERR_QUERY_SYNTAX',
    new RegExp(`\\?x ${BESIDE_AGGREGATES}`),
    ['SELECT (STR(?x) AS ?s) (COUNT(?y) AS ?n) { ?x ?p ?y }'],
  ],
  [
    'QUERY-12 an update',
    'ERR_QUERY_UPDATE',
    /./,
    ['INSERT DATA { <x:a> <x:b> 1 }', 'CLEAR ALL', 'DELETE WHERE { ?s ?p ?o } ; DROP ALL'],
  ],
  [
    'QUERY-12 a query that names its data',
    'ERR_QUERY_UNSUPPORTED',
    /not supported here: omit it.*In a program/,
    ['SELECT * FROM <x:g> { ?s ?p ?o }', 'ASK FROM NAMED <x:g> { ?s ?p ?o }', 'DESCRIBE <x:a> FROM <x:g>'],
  ],
  [
    'QUERY-13 SERVICE, wherever it stands,',
    'ERR_SERVICE_REFUSED',
    /SERVICE http:\/\/10\.0\.0\.1\/, which is always refused. .*In a program/,
    [
      'SELECT * { SERVICE <http://10.0.0.1/> { ?s ?p ?o } }',
      'SELECT * { ?s ?p ?o { SELECT ?s { SERVICE SILENT <http://10.0.0.1/> { ?s ?p ?o } } } }',
      'SELECT * { ?s ?p ?o FILTER NOT EXISTS { SERVICE <http://10.0.0.1/> { ?s ?p ?o } } }',
      'CONSTRUCT { ?s ?p ?o } { ?s ?p ?o OPTIONAL { SERVICE <http://10.0.0.1/> { ?s ?p ?o } } }',
      'SELECT (EXISTS { SERVICE <http://10.0.0.1/> { ?s ?p ?o } } AS ?e) {}',
    ],
  ],
  [
    'QUERY-13 SERVICE at a variable',
    'ERR_SERVICE_REFUSED',
    /variable/,
    ['SELECT * { ?s ?p ?x SERVICE ?x { ?s ?p ?o } }'],
  ],
  [
    'a template of what GROUP BY leaves out',
    'ERR_QUERY_UNSUPPORTED',
    /./,
    ['CONSTRUCT { ?s <x:q> ?o } { ?s <x:p> ?o } GROUP BY ?s'],
  ],
])('%s is refused', async (_about, code, message, queries) => {
  for (const sparql of queries) {
    expect(await refusal(sparql)).toMatchObject({ code, message: expect.stringMatching(message) });
  }
});

test('the template of CONSTRUCT is told as quads, its pattern as a query of its variables', async () => {
  const { template } = await prepared(
    'CONSTRUCT { ?s :q _:x . _:x :r ?o , <<( ?s :t ?u )>> } # {\n WHERE { ?s :p ?o }',
  );
  expect(template?.variables).toEqual(expect.arrayContaining(['s', 'o', 'u']));
  expect(template?.query.text).toMatch(
    /^PREFIX : <http:\/\/example.org\/> SELECT (\?[sou] ){3} # \{\n WHERE \{ \?s :p \?o \}$/,
  );
  expect(template?.quads.map(({ subject, object }) => [subject.termType, object.termType])).toEqual(
    expect.arrayContaining([
      ['Variable', 'BlankNode'],
      ['BlankNode', 'Variable'],
      ['BlankNode', 'Quad'],
    ]),
  );
});

test('a short CONSTRUCT, and a template without variables, have their query too', async () => {
  const short = await prepared('CONSTRUCT WHERE { ?s :p ?o }');
  expect(short.template?.query.text).toMatch(/SELECT \?s \?o {2}WHERE \{ \?s :p \?o \}$/);
  const constant = await prepared('CONSTRUCT { :a :b :c } { ?one :p ?o }');
  expect(constant.template).toMatchObject({ variables: [], query: { text: expect.stringContaining('(1 AS ?one_)') } });
});

test('why no quads can be told apart is said', async () => {
  const any = quad(namedNode('x:s'), namedNode('x:p'), namedNode('x:o'));
  for (const [sparql, reason] of [
    ['DESCRIBE :a', /DESCRIBE/],
    ['SELECT * { ?s ?p ?o }', /without a constant/],
    ['SELECT * { ?s :p ?x . ?x :q* ?o }', /length zero/],
    ['SELECT * { ?s !:p ?o }', /excludes/],
  ] as const) {
    const { matters, mattersReason } = await prepared(sparql);
    expect(mattersReason).toMatch(reason);
    expect(matters(any)).toBe(true);
  }
  const { matters, mattersReason } = await prepared('SELECT * { ?s :p ?o ; a/:sub* :Thing }');
  expect(mattersReason).toBeUndefined();
  expect(matters(any)).toBe(false);
});
