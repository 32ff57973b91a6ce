import { blankNode, languageLiteral, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { comunica } from '../../src/engines/comunica.ts';
import { oxigraph, oxigraphFrom } from '../../src/engines/oxigraph.ts';
import { EX, fill, PREFIXES, shown, shownRow } from './sample-world.ts';

// Numbers stand in their canonical form: Oxigraph answers no other, see specs/query.md.
const nodes = fc.oneof(
  fc.integer({ min: 0, max: 5 }).map((at) => namedNode(`${EX}n${at}`)),
  fc.integer({ min: 0, max: 1 }).map((at) => blankNode(`m${at}b0`)),
);
const values = fc.oneof(
  fc.integer({ min: -2, max: 4 }).map((value) => literal(String(value), xsd.integer)),
  fc.constantFrom('a', 'b', 'Ab').map((value) => literal(value)),
  fc.constantFrom('en', 'nl').map((language) => languageLiteral('a', language)),
);
const predicates = fc.constantFrom('p', 'q').map((name) => namedNode(EX + name));
const links = fc.tuple(nodes, nodes).map(([subject, object]) => quad(subject, namedNode(`${EX}next`), object));
const graphs = fc.option(
  fc.constantFrom('g', 'h').map((name) => namedNode(EX + name)),
  { nil: undefined, freq: 4 },
);
const statements = fc
  .tuple(nodes, predicates, fc.oneof(values, nodes), graphs)
  .map(([subject, predicate, object, graph]) => quad(subject, predicate, object, graph));
const changes = fc.array(fc.tuple(fc.oneof(statements, links), fc.boolean()), { maxLength: 60 });

const shapes = [
  'SELECT * { ?s ?p ?o }',
  'SELECT * { ?s ex:p ?o . ?s ex:q ?v }',
  'SELECT * { ?s ex:p ?o . ?o ex:q ?v }',
  'SELECT * { ?s ex:p ?s }',
  'SELECT ?o { ?s ?p ?o }',
  'SELECT DISTINCT ?s ?o { ?s ex:p|ex:q ?o }',
  'SELECT * { ?s ex:p ?o OPTIONAL { ?s ex:q ?v } }',
  'SELECT * { ?s ex:p ?o OPTIONAL { ?o ex:q ?v FILTER(?v > 0) } }',
  'SELECT * { { ?s ex:p ?o } UNION { ?o ex:q ?v } }',
  'SELECT * { ?s ex:p ?o MINUS { ?s ex:q ?o } }',
  'SELECT * { ?s ex:p ?o FILTER NOT EXISTS { ?o ex:next ?x } }',
  'SELECT * { ?s ex:next ?o FILTER EXISTS { ?o ex:next ?s } }',
  'SELECT * { ?s ex:p ?o FILTER(?o > 1) }',
  'SELECT * { ?s ex:p ?o FILTER(ISLITERAL(?o) && STRLEN(STR(?o)) = 1) }',
  'SELECT ?s (COUNT(?o) AS ?n) { ?s ex:p ?o } GROUP BY ?s',
  'SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?o) AS ?d) { ?s ?p ?o }',
  'SELECT ?s (SUM(?o) AS ?sum) (MAX(?o) AS ?max) { ?s ex:q ?o FILTER(ISNUMERIC(?o)) } GROUP BY ?s HAVING(COUNT(*) > 1)',
  'SELECT * { ?s ex:next+ ?o }',
  'SELECT * { ex:n0 ex:p ?x ; ex:next* ?o OPTIONAL { ?o ex:p ?v } }',
  'SELECT * { ?s ex:next/^ex:next ?o }',
  'SELECT * { { SELECT ?s (MAX(?v) AS ?m) { ?s ex:q ?v FILTER(ISNUMERIC(?v)) } GROUP BY ?s } ?s ex:p ?o }',
  'SELECT * { VALUES (?s ?o) { (ex:n0 UNDEF) (UNDEF 1) (ex:n1 "a") } ?s ?p ?o }',
  'SELECT * { ?s ex:p ?o BIND(?o + 1 AS ?x) }',
  'SELECT * { ?s ex:next ?o BIND(?o AS ?x) ?x ex:p ?v }',
  'SELECT * { GRAPH ?g { ?s ?p ?o } }',
  'SELECT * { ?s ex:p ?o GRAPH ex:g { ?s ?q ?v } }',
  'SELECT DISTINCT ?o { ?s ?p ?o FILTER(ISNUMERIC(?o)) } ORDER BY ?o LIMIT 2',
];

test('both engines give the same solutions, as often, for stores that came about by changes', async () => {
  const engines = [comunica(), oxigraph()];
  await check(
    fc.asyncProperty(changes, fc.subarray(shapes, { minLength: 3, maxLength: 6 }), async (made, asked) => {
      const stores = await Promise.all(engines.map((engine) => engine.open()));
      for (const store of stores) {
        for (const [quad, isAdded] of made) {
          if (isAdded) store.add(quad);
          else store.delete(quad);
        }
      }
      const held = stores.map((store) => [...store.match()].map((quad) => shown(quad) + shown(quad.graph)).sort());
      expect(held[1]).toEqual(held[0]);
      for (const shape of asked) {
        const query = { text: `${PREFIXES} ${shape}` };
        const answers = await Promise.all(stores.map((store) => store.select(query, { limitRows: 100_000 })));
        const [one, other] = answers.map((rows) => rows.map(shownRow).sort());
        expect(other, shape).toEqual(one);
        const construct = { text: query.text.replace(/SELECT .*?(?=\{)/, 'CONSTRUCT { ?s ex:found ?o } WHERE ') };
        if (!/GROUP|COUNT|SELECT.*SELECT|LIMIT/.test(shape)) {
          const graphs = await Promise.all(stores.map((store) => store.construct(construct, { limitRows: 100_000 })));
          const [first, second] = graphs.map((quads) => quads.map(shown).sort());
          expect(second, construct.text).toEqual(first);
        }
      }
      for (const store of stores) store.close();
    }),
    { numRuns: 30, endOnFailure: true },
  );
});

const DATA = 'ex:a ex:p ex:b ; ex:q ex:b . ex:b ex:r 1, "x" .';

// What changes here has to change in specs/query.md as well.
const differences: readonly (readonly [string, { comunica: readonly string[]; oxigraph: readonly string[] }])[] = [
  ['SELECT ?b { ?a ex:p|ex:q ?b }', { comunica: ['b=b', 'b=b'], oxigraph: ['b=b'] }],
  ['SELECT ?a { ?a !(ex:r|^ex:r) ex:a }', { comunica: ['a=b', 'a=b'], oxigraph: ['a=b'] }],
  ['SELECT ?b { ?a ex:r ?b FILTER(?b != 1) }', { comunica: [], oxigraph: ['b="x"'] }],
  [
    'SELECT * { ex:a ex:p ?b { SELECT (COUNT(*) AS ?n) { ?x ex:r ?y FILTER(false) } } }',
    { comunica: ['b=b n=0'], oxigraph: [] },
  ],
  ['SELECT * { ex:none ex:p* ?b }', { comunica: ['b=none'], oxigraph: [] }],
  [
    'SELECT (SUM(?n) AS ?s) { ?a ex:r ?b OPTIONAL { ?a ex:r ?n FILTER(?n = 1 && ?b = 1) } }',
    { comunica: ['s=1'], oxigraph: [''] },
  ],
  ['SELECT ?c { BIND("a"@en < "b"@en AS ?c) }', { comunica: [''], oxigraph: ['c=true'] }],
  ['SELECT ?b { ?a ex:q ?b FILTER(!(?b > ?b)) }', { comunica: [], oxigraph: ['b=b'] }],
  ['SELECT ?b { ?a ex:q ?b FILTER(?b <= ?b) }', { comunica: [], oxigraph: ['b=b'] }],
  ['SELECT (MIN(?b) AS ?m) { ?a ex:p ?b }', { comunica: [''], oxigraph: ['m=b'] }],
  ['SELECT (9007199254740993 = 9007199254740992 AS ?is) {}', { comunica: ['is=true'], oxigraph: ['is=false'] }],
  ['SELECT (99999999999 * 99999999999 AS ?p) {}', { comunica: ['p=9.9999999998e+21'], oxigraph: [''] }],
];

test.each(differences)('the engines differ as they are said to: %s', async (query, expected) => {
  for (const engine of [comunica(), oxigraph()]) {
    const store = await engine.open();
    fill(store, DATA);
    const rows = await store.select({ text: `${PREFIXES} ${query}` }, { limitRows: 100 });
    expect(rows.map(shownRow).sort(), engine.name).toEqual(expected[engine.name as keyof typeof expected]);
  }
});

test('a FILTER in OPTIONAL about what stands outside, beside BIND, is refused by Comunica only', async () => {
  const query = { text: `${PREFIXES} SELECT * { ?a ex:p ?b OPTIONAL { ?b ex:r ?c BIND(1 AS ?k) FILTER(?a = ex:a) } }` };
  const [asked, other] = await Promise.all([comunica(), oxigraph()].map((engine) => engine.open()));
  for (const store of [asked, other]) if (store) fill(store, DATA);
  const problem = expect.stringContaining('RDF joining failed');
  const failure = { code: 'ERR_QUERY_FAILED', details: { problem } };
  await expect(asked?.select(query, { limitRows: 10 })).rejects.toMatchObject(failure);
  expect(await other?.select(query, { limitRows: 10 })).toHaveLength(2);
});

const limits = { limitRows: 10 };

test('without the package oxigraph, opening a store says what to install', async () => {
  const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  const engine = oxigraphFrom(() => Promise.reject(missing));
  await expect(engine.open()).rejects.toMatchObject({ code: 'ERR_ENGINE_MISSING', details: { engine: 'oxigraph' } });
  const broken = oxigraphFrom(() => Promise.reject(new Error('no WebAssembly here')));
  await expect(broken.open()).rejects.toMatchObject({ code: 'ERR_QUERY_FAILED' });
});

test('an engine is loaded when its first store is opened, and once for all', async () => {
  let loads = 0;
  const engine = oxigraphFrom(() => {
    loads += 1;
    return import('oxigraph');
  });
  expect(loads).toBe(0);
  await Promise.all([engine.open(), engine.open()]);
  await engine.open();
  expect(loads).toBe(1);
});

test('Oxigraph answers numbers and times in their canonical form, and derived integers as integers', async () => {
  const store = await oxigraph().open();
  const given: [string, string][] = [
    ['01', xsd.integer],
    ['1.50', xsd.decimal],
    ['1.0E0', xsd.double],
    ['007', xsd.integer.replace('integer', 'int')],
    ['2026-11-21T00:00:00.120+00:00', xsd.dateTime],
    ['1', xsd.boolean],
  ];
  for (const [value, datatype] of given) {
    store.add(quad(namedNode('urn:s'), namedNode('urn:p'), literal(value, datatype)));
  }
  const rows = await store.select({ text: 'SELECT ?o { ?s ?p ?o }' }, limits);
  const canonical = ['1', '1', '1.5', '2026-11-21T00:00:00.12Z', '7', 'true'];
  expect(rows.map(({ o }) => o?.value).sort()).toEqual(canonical);
  expect([...store.match()].map(({ object }) => object.value).sort()).toEqual(given.map(([value]) => value).sort());
});

test('a quad that is no valid RDF is refused by Oxigraph, and leaves nothing behind', async () => {
  const store = await oxigraph().open();
  const bad = quad(namedNode('not an iri'), namedNode('urn:p'), languageLiteral('a', 'en'));
  expect(() => store.add(bad)).toThrow(expect.objectContaining({ code: 'ERR_QUERY_FAILED' }));
  expect(store.size).toBe(0);
  store.delete(bad);
  expect([...store.match()]).toEqual([]);
});

const SIXTEEN = `BIND("${'x'.repeat(16)}" AS ?x)`;

test.each([
  ['CONCAT(?x, "a", ?x)', 33],
  ['CONCAT(?x, ?x)', 32],
  ['COALESCE(CONCAT(?x, ?x, "a"), 1)', 33],
  ['REPLACE(?x, "x", "ab")', 32],
  ['REPLACE(?x, "(x)(y?)", "$1$1$1")', 48],
  ['REPLACE(?x, "X", ?x, "iq")', 256],
  ['REPLACE(?x, "x{4}(?=(.*))", "$1$1")', 48],
  ['ENCODE_FOR_URI(REPLACE(?x, "x", " "))', 48],
  ['UCASE(REPLACE(?x, "x", "ß"))', 32],
  ['LCASE(REPLACE(?x, "x", "İ"))', 32],
])('a text that %s makes has as many characters as the limit allows, and not one more', async (made, chars) => {
  const store = await comunica().open();
  const query = { text: `SELECT (STRLEN(?made) AS ?n) { ${SIXTEEN} BIND(${made} AS ?made) }` };
  const within = (limitTextChars: number) => store.select(query, { limitRows: 1, limitTextChars });
  const tooLong = { code: 'ERR_TEXT_TOO_LONG', details: { limitTextChars: chars - 1 } };
  await expect(within(chars - 1)).rejects.toMatchObject(tooLong);
  expect((await within(chars)).map(shownRow)).toEqual([`n=${chars}`]);
});

test('so has each text that GROUP_CONCAT makes', async () => {
  const store = await comunica().open();
  fill(store, 'ex:a ex:p "abc", "defg" . ex:b ex:p "hij" .');
  const query = { text: `${PREFIXES} SELECT (GROUP_CONCAT(?o; SEPARATOR=", ") AS ?all) { ?s ex:p ?o } GROUP BY ?s` };
  expect(await store.select(query, { limitRows: 2, limitTextChars: 9 })).toHaveLength(2);
  const tooLong = store.select(query, { limitRows: 2, limitTextChars: 8 });
  await expect(tooLong).rejects.toMatchObject({ code: 'ERR_TEXT_TOO_LONG' });
});
