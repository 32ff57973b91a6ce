import type { LiveQueryStatus, LiveResult, SourceStatus } from '@ldes-live/query';
import { blankNode, languageLiteral, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';
import { expect, test } from 'vitest';
import type { QueryOptions } from '../../src/query/query.ts';
import { QueryView } from '../../src/query/query-view.ts';
import { clockTime, TextOutput } from '../../src/terminal.ts';
import { FakeTerminal, fakeEnvironment } from '../fake-terminal.ts';

const asOf = new Date(2026, 0, 1, 10, 0, 8);
const nowMs = asOf.getTime() + 1200;
const at = clockTime(asOf.getTime());
const urls = ['http://localhost:3000/a', 'http://localhost:3000/b'] as const;
const well: SourceStatus = { url: urls[0], cursor: 'e-1', trouble: undefined };
const status: LiveQueryStatus = {
  evaluations: 3,
  skipped: 0,
  overruns: 0,
  lateMembers: 0,
  quads: 10,
  dataAsOf: asOf,
  evaluatedAt: asOf,
  lastEvaluationMs: 12,
  sources: [well],
};
const facts = { sequence: 0, evaluatedAt: asOf, dataAsOf: asOf, cursors: [], evaluationMs: 12, overrun: false };
const bindings = (rows: readonly Readonly<Record<string, Term>>[], over: object = {}): LiveResult => ({
  ...facts,
  form: 'bindings',
  kind: 'delta',
  variables: Object.keys(rows[0] ?? {}),
  added: [],
  removed: [],
  bindings: () => [...rows],
  ...over,
});
const numbers = ['10', '9', '2', '1'].map((text) => ({ n: literal(text, xsd.integer) }));

interface Given {
  readonly options?: Partial<QueryOptions>;
  readonly status?: Partial<LiveQueryStatus>;
  readonly isMalMet?: boolean;
  readonly size?: { readonly columns?: number; readonly rows?: number };
}

/** A terminal on which a view shows a result, or that there is none yet. */
async function shown(result: LiveResult | undefined, { options, status: over, isMalMet = true, size }: Given = {}) {
  const terminal = new FakeTerminal(size);
  const query = { sparql: 'PREFIX : <urn:x:> SELECT ?n { :s :p ?n }', urls: [urls[0]], mal: 2, ...options };
  const view = new QueryView(query, fakeEnvironment(terminal, 0), new TextOutput(terminal));
  const state = { status: { ...status, ...over }, nowMs, isMalMet };
  view.explain('asked again as a whole');
  await (result ? view.print(result, state) : view.refresh(state));
  return terminal;
}
const table = async (result: LiveResult, given?: Given) => (await shown(result, given)).screen.slice(3, -1);

test('shows the query, how old its answer is, the answer, and how it is found', async () => {
  const [query, way] = ['SELECT ?n { :s :p ?n }', 'asked again as a whole'];
  expect((await shown(undefined)).screen).toEqual([query, `reading ${urls[0]}`, '', way]);
  const age = `4 rows as of ${at}, 1.2 s old  MAL 2 s, evaluated 3 times, last in 12 ms`;
  expect((await shown(bindings(numbers))).screen).toEqual([query, age, '', 'n', '1', '2', '9', '10', way]);
});

test('says first that the MAL is not met, also where there is little room, and while an answer is late', async () => {
  const size = { columns: 40, rows: 4 };
  const late = bindings(numbers, { overrun: true });
  for (const { screen } of [await shown(bindings(numbers), { isMalMet: false, size }), await shown(late, { size })]) {
    expect(screen).toHaveLength(3);
    expect(screen[0]).toMatch(/^MAL not met: 4 rows as of/);
  }
  const past = { evaluatedAt: new Date(nowMs - 2001) };
  expect((await shown(late, { status: past })).screen[1]).toMatch(/^4 rows/);
});

const failing = { state: 'failing', since: new Date(asOf.getTime() - 3000).toISOString() } as const;
const trouble = { ...well, trouble: 'in trouble: nobody\nanswers' };

test.each<[SourceStatus[], string[]]>([
  [[well, { ...well, cursor: undefined }], [`${urls[1]}: has delivered nothing yet`]],
  [[trouble, well], [`${urls[0]}: in trouble: nobody answers`]],
  [
    [trouble, trouble, trouble, trouble].map((source) => ({ ...source, trouble: 'gone' })),
    [`${urls[0]}: gone`, `${urls[1]}: gone`, 'and 2 more with errors'],
  ],
  [
    [{ ...well, source: failing, dataAgeMs: 4600 }],
    ['the source has been failing since 10:00:05; the newest data are 4.6 s old'],
  ],
])('names sources in trouble, and shows no age that is none: %j', async (sources, lines) => {
  const given = { options: { urls }, status: { dataAsOf: new Date(0), sources }, isMalMet: false };
  const { screen } = await shown(bindings(numbers), given);
  expect(screen.slice(1, -7)).toEqual(['MAL not met: 4 rows  MAL 2 s, evaluated 3 times, last in 12 ms', ...lines]);
});

test('shows of which window the answer is', async () => {
  const window = { open: asOf, close: new Date(asOf.getTime() + 60_000) };
  const options = { windowMs: 60_000 };
  expect((await shown(undefined, { options })).screen[2]).toBe('windows of 60.0 s, one closes every 2.0 s');
  const { screen } = await shown(bindings(numbers, { window }), { options });
  expect(screen[2]).toBe(`window [${at}, ${clockTime(window.close.getTime())}), one closes every 2.0 s`);
});

test('columns are as wide as what stands in them, and the widest give way', async () => {
  const rows = [
    ['4', '120'],
    ['12 Flagey', '60'],
  ] as const;
  const result = bindings(rows.map(([line, late]) => ({ line: literal(line), late: literal(late) })));
  expect(await table(result)).toEqual(['line       late', '4          120', '12 Flagey  60']);
  expect(await table(result, { size: { columns: 14 } })).toEqual(['line     late', '4        120', '12 Fla…  60']);
});

test('takes no more lines than there is room for, and counts the rows that are left out', async () => {
  for (let rows = 2; rows < 14; rows += 1) {
    const { screen } = await shown(bindings(numbers), { status: { sources: [trouble] }, size: { rows } });
    expect(screen.length).toBeLessThan(rows);
    if (rows > 5 && rows < 10) expect(screen.at(-1)).toMatch(rows < 9 ? /^and \d more$/ : '10');
  }
});

test('rows that came with the last result stand out; rows whose order counts keep it', async () => {
  const { text, screen } = await shown(bindings(numbers, { kind: 'snapshot', added: [numbers[3]] }));
  expect(text).toContain('\u001b[32m1 \u001b[39m');
  expect(text).not.toContain('\u001b[32m2');
  expect(screen.slice(3, -1)).toEqual(['n', '10', '9', '2', '1']);
});

test('an answer of ASK and a graph are tables too', async () => {
  const added = [quad(namedNode('urn:s'), namedNode('urn:p'), literal('o'))];
  expect(await table({ ...facts, form: 'boolean', kind: 'snapshot', value: true })).toEqual(['answer', 'yes']);
  const graph: LiveResult = { ...facts, form: 'quads', kind: 'delta', added, removed: [], quads: () => added };
  expect(await table(graph)).toEqual(['subject  predicate  object', '<urn:s>  <urn:p>    o']);
});

test('terms are short texts for people, by the prefixes of the query and of the streams', async () => {
  const sparql = 'PREFIX ex: <http://example.org/> PREFIX : <http://example.org/deep/> SELECT * { ?s ?p ?o }';
  const texts: readonly (readonly [Term, string])[] = [
    [namedNode('http://example.org/a'), 'ex:a'],
    [namedNode('http://example.org/deep/a'), ':a'],
    [namedNode('http://example.org/'), '<http://example.org/>'],
    [namedNode('http://localhost:3000/a/entities/101'), 'entities/101'],
    [namedNode('http://localhost:3000/lines/4'), '/lines/4'],
    [namedNode('http://localhost:3001/lines/4'), '<http://localhost:3001/lines/4>'],
    [namedNode('http://www.w3.org/ns/sosa/Observation'), 'sosa:Observation'],
    [blankNode('m1b0'), '_:m1b0'],
    [literal('4.5', xsd.decimal), '4.5'],
    [literal('P1D', `${xsd.dateTime.slice(0, -'dateTime'.length)}duration`), 'P1D (xsd:duration)'],
    [languageLiteral('gare', 'fr'), 'gare@fr'],
    [literal('a\u001b[2Jb\nc'), 'a [2Jb c'],
  ];
  const result = bindings(
    texts.map(([n]) => ({ n })),
    { kind: 'snapshot' },
  );
  expect(await table(result, { options: { sparql } })).toEqual(['n', ...texts.map(([, text]) => text)]);
});

test.each([
  ['PREFIX a: <http://a/SELECT>\nBASE <http://b/>\n# ask\nprefix : <c>\nASK { ?s\n  ?p :o }', 'ASK { ?s ?p :o }'],
  ['PREFIX : <urn:x:> REGISTER RSTREAM <out> AS PREFIX b: <urn:b:> CONSTRUCT { } WHERE { }', 'CONSTRUCT { } WHERE { }'],
  ['PREFIX a: <urn:a>', 'PREFIX a: <urn:a>'],
])('a query is shown from what it asks for on: %j', async (sparql, text) => {
  expect((await shown(undefined, { options: { sparql } })).screen[0]).toBe(text);
});
