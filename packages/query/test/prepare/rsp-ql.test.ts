import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { type PreparedQuery, prepareQuery } from '../../src/prepare/prepared-query.ts';
import { tokensOf } from '../../src/prepare/sparql.ts';
import { refusal } from './fixture.ts';

function prepare(sparql: string): Promise<PreparedQuery> {
  return prepareQuery(sparql, { limitQueryChars: 10_000 });
}

const WINDOW = 'FROM NAMED WINDOW <w:1> ON <s:1> [RANGE PT10S STEP PT5S]';

test('QUERY-50 windows are read, WINDOW asks their graph', async () => {
  const { windows, query, variables, matters, operator } = await prepare(`
    PREFIX : <http://x/>
    SELECT ?a FROM NAMED WINDOW :w ON :s [RANGE PT1M STEP PT5S]
      from named window <http://y/w> on stream <http://y/s> [range 10s]
    WHERE { WINDOW :w { ?a :p ?b } window <http://y/w> { ?a :q ?b } ?a :r 1 }`);
  expect(windows).toEqual([
    { iri: 'http://x/w', stream: 'http://x/s', window: { type: 'time', range: 60, step: 5 } },
    { iri: 'http://y/w', stream: 'http://y/s', window: { type: 'time', range: 10, step: 10 } },
  ]);
  expect(query.text).toContain('GRAPH  :w { ?a :p ?b } GRAPH  <http://y/w> { ?a :q ?b } ?a :r 1 }');
  expect(variables).toEqual(['a']);
  expect(operator).toBeUndefined();
  expect(matters).toBeTypeOf('function');
});

test.each([
  ['REGISTER RSTREAM <x:out> AS', 'rstream'],
  ['REGISTER IStream :out AS', 'istream'],
  ['register dstream as', 'dstream'],
])('QUERY-51 %s', async (register, operator) => {
  const sparql = `PREFIX : <http://x/> ${register} SELECT * ${WINDOW} { WINDOW <w:1> { ?s ?p ?o } }`;
  expect(await prepare(sparql)).toMatchObject({ operator, windows: [{ iri: 'w:1', stream: 's:1' }] });
});

test('QUERY-51 the prologue may follow REGISTER', async () => {
  const sparql =
    'REGISTER RSTREAM <x:out> AS BASE <http://b/> SELECT * FROM NAMED WINDOW <w> ON <s> [RANGE 1h] { WINDOW <w> {} }';
  expect((await prepare(sparql)).windows).toMatchObject([{ iri: 'http://b/w', stream: 'http://b/s' }]);
});

test.each([
  ['PT10S', 10],
  ['PT0.5S', 0.5],
  ['P1DT2H3M4S', 93_784],
  ['P2D', 172_800],
  ['PT36H', 129_600],
  ['500ms', 0.5],
  ['1ms', 0.001],
  ['7s', 7],
  ['5m', 300],
  ['2h', 7_200],
  ['1d', 86_400],
])('QUERY-52 RANGE %s', async (written, range) => {
  const { windows } = await prepare(`SELECT * FROM NAMED WINDOW <w:1> ON <s:1> [ RANGE ${written} ] {}`);
  expect(windows).toEqual([{ iri: 'w:1', stream: 's:1', window: { type: 'time', range, step: range } }]);
});

test.each([...'P1Y P1M P PT P1DT 10 -PT1S PT1 PT0S 0s 0ms PT0.0001S'.split(' '), '10 s', `${'9'.repeat(30)}s`])(
  'QUERY-52 RANGE %s is refused',
  async (written) => {
    const { code, message } = await refusal(`SELECT *\nFROM NAMED WINDOW <w:1> ON <s:1> [RANGE ${written}] {}`);
    expect(code).toBe('ERR_QUERY_SYNTAX');
    expect(message).toMatch(/line 2, column (41|42|44)/);
  },
);

test.each([
  [`SELECT * ${WINDOW}\n${WINDOW} {}`, 2, 19, /w:1 is declared twice/],
  [`PREFIX w: <w:>\nSELECT * ${WINDOW} FROM NAMED WINDOW w:1 ON <s:2> [RANGE 1s] {}`, 2, 85, /declared twice/],
  [`SELECT * ${WINDOW} {\n WINDOW <w:2> { ?s ?p ?o } }`, 2, 9, /w:2 is not declared/],
  ['SELECT * { WINDOW <w:2> { ?s ?p ?o } }', 1, 19, /not declared; add FROM NAMED WINDOW/],
  [`SELECT * ${WINDOW} {\n WINDOW ?w { ?s ?p ?o } }`, 2, 9, /the IRI of a window is expected/],
  ['SELECT *\nFROM NAMED WINDOW x:w ON <s:1> [RANGE 1s] {}', 2, 19, /prefix/],
  ['SELECT *\nFROM NAMED WINDOW <w:1> <s:1> [RANGE 1s] {}', 2, 25, /ON is expected/],
  ['SELECT *\nFROM NAMED WINDOW <w:1> ON <s:1> {}', 2, 34, /\[ is expected/],
  ['SELECT *\nFROM NAMED WINDOW <w:1> ON <s:1> [STEP 1s] {}', 2, 35, /RANGE is expected/],
  ['SELECT *\nFROM NAMED WINDOW <w:1> ON <s:1> [RANGE 1s STEP] {}', 2, 48, /a duration such as PT10S after STEP/],
  ['SELECT *\nFROM NAMED WINDOW <w:1> ON <s:1> [RANGE 1s STEP 0s] {}', 2, 49, /STEP 0s must be/],
  ['SELECT *\nFROM NAMED WINDOW <w:1> ON', 2, 27, /the IRI of a stream is expected, but it ends/],
  ['REGISTER STREAM <x:o> AS SELECT * {}', 1, 10, /RSTREAM or ISTREAM or DSTREAM is expected/],
  ['REGISTER RSTREAM <x:o> SELECT * {}', 1, 24, /AS is expected/],
  [`PREFIX x <http://x/>\nSELECT * ${WINDOW} {}`, 1, 8, /"x" cannot|cannot be read/],
  [`SELECT *\n${WINDOW} { ?s ?p }`, 2, 66, /is not allowed here/],
  [`SELECT * ${WINDOW}\nWHERE { WINDOW <w:1> { ?s ?p "x }`, 2, 30, /not closed/],
])('QUERY-50 %s', async (sparql, line, column, problem) => {
  const { code, message, details } = await refusal(sparql);
  expect(code).toBe('ERR_QUERY_SYNTAX');
  expect(message).toMatch(problem);
  expect(details).toMatchObject({ line, column });
});

test('QUERY-50 words of RSP-QL in strings, IRIs, names, variables and comments stay', async () => {
  const sparql = `PREFIX window: <http://WINDOW/> # REGISTER RSTREAM <x> AS
    PREFIX register: <http://x/#FROM-NAMED-WINDOW> PREFIX : <http://REGISTER/>
    SELECT ?WINDOW $REGISTER ${WINDOW} # WINDOW <w:9> {
    WHERE { WINDOW <w:1> { ?WINDOW window:WINDOW "WINDOW <w:8> {", 'it\\'s WINDOW', """a "WINDOW" ""b\\"""", '''WINDOW'''@window ;
      a window:a\\,WINDOW ; register:WINDOW <x:WINDOW#[RANGE> . _:WINDOW :WINDOW ?REGISTER FILTER(?WINDOW<?REGISTER) } }`;
  const { query, windows } = await prepare(sparql);
  const blank = WINDOW.replaceAll(/./g, ' ');
  expect(query.text).toBe(sparql.replace(WINDOW, blank).replace('{ WINDOW <w:1>', '{ GRAPH  <w:1>'));
  expect(windows).toHaveLength(1);
});

test('QUERY-50 SPARQL without RSP-QL is handed on as it is', async () => {
  const sparql = 'SELECT * { ?s ?p "REGISTER RSTREAM AS", <x:WINDOW> } # WINDOW';
  expect(await prepare(sparql)).toMatchObject({ query: { text: sparql }, windows: [] });
});

test('QUERY-50 hostile text is refused in time', async () => {
  const parts = `""" ' < a. \\ \u{1F600} \uD800 _: a:b. "\\`.split(' ');
  for (const part of [...parts, 'WINDOW ', 'FROM NAMED WINDOW ', '[RANGE ']) {
    const { code } = await refusal(`SELECT * FROM NAMED WINDOW ${part.repeat(10_000 / part.length)}`);
    expect(code).toBe('ERR_QUERY_SYNTAX');
  }
});

const piece = fc.constantFrom(
  ...`<x:y> < > "a" " '''b''' ' \\ # ?v $ : a: a:b. . _:x @en WINDOW 10s { \uD83D \u{1F600} \u00E9`.split(' '),
  '\n',
  ' ',
);

test('QUERY-50 the tokens of any text stand in it in order, with nothing but space and comments between', () => {
  check(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      let at = 0;
      for (const token of tokensOf(text)) {
        expect(text.slice(at, token.offset)).toMatch(/^(\s|#[^\n\r]*(?=[\n\r]))*$/);
        expect(text.startsWith(token.text, token.offset)).toBe(true);
        at = token.offset + token.text.length;
      }
      expect(text.slice(at)).toMatch(/^(\s|#[^\n\r]*)*$/);
    }),
    { numRuns: 2_000, verbose: 1 },
  );
});

test('QUERY-50 a text of any kind is taken apart in time that grows with its length', () => {
  // With its square, each would take minutes.
  for (const piece of ['a-', 'a.', '\\"""\n', '\\"', '"\\\'', '<a', '_:.', 'a:..', '# REGISTER\n', 'WINDOW ']) {
    const text = `REGISTER ${piece.repeat(300_000)}`;
    expect(tokensOf(text).length).toBeGreaterThan(0);
  }
});
