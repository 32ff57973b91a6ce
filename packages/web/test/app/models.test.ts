/* What views are made of: members as facts, answers as they change, what following costs. */
import { type Draft, literal, namedNode, parseNQuads, prefixes, quad, xsd } from '@ldes-live/rdf-stream';
import { describe, expect, test } from 'vitest';
import { catalogOf } from '../../app/catalog.ts';
import { colouringBy, colourPaths, knownColours, learnColour } from '../../app/colours.ts';
import { computedSpending, measuredSpending, observedInterval } from '../../app/costs.ts';
import { Entity, factsOf, linesOf, numericPaths } from '../../app/entity.ts';
import { age, bytes, duration } from '../../app/format.ts';
import { iriLabel, learnLabel, localName, pathLabel, termLabel } from '../../app/labels.ts';
import { type Answer, answerAfter, WAITING } from '../../app/live-query.ts';
import { readMetrics, total } from '../../app/metrics.ts';
import { followRecipes, queryRecipes } from '../../app/use-it.tsx';

const EX = 'http://example.org/ns#';

function member(entity: string, statements: string, kind: Draft['kind'] = 'upsert') {
  const time = '2026-03-01T12:00:00.000Z';
  const id = `${entity}#1`;
  return { id, entity, kind, sequence: 1, time, quads: parseNQuads(statements.replaceAll('<>', `<${id}>`)) };
}

const tram = (number: number, more = '') =>
  new Entity(
    member(
      `http://h/trams/entities/${number}`,
      `<> <${prefixes.rdfs}label> "Tram ${number}" .
<> <${prefixes.dct}isVersionOf> <http://h/trams/entities/${number}> .
<> <${EX}speed> "${number}.5"^^<${xsd.decimal}> .
<> <${EX}route> <http://h/routes/${number % 2}> .
<> <${prefixes.geo}hasGeometry> _:g .
_:g <${prefixes.geo}asWKT> "POINT (3.7 51)"^^<${prefixes.geo}wktLiteral> .
${more}`,
    ),
    0,
  );

describe('an entity', () => {
  test('has its label, its place, its heading, and values by property without what belongs to the version', () => {
    const entity = tram(1, `<> <${EX}bearing> "90"^^<${xsd.integer}> .`);
    expect(entity.label).toBe('Tram 1');
    expect(entity.position).toEqual({ longitude: 3.7, latitude: 51 });
    expect(entity.headingDegrees).toBe(90);
    expect([...entity.facts.keys()].map(localName)).toEqual(['label', 'speed', 'route', 'bearing']);
  });

  test('has the values of one nested node under two properties, and several nodes as they are', () => {
    const nested = `<> <${EX}result> _:r .\n_:r <${EX}value> "21.5"^^<${xsd.decimal}> .\n<> <${EX}stop> _:a .\n<> <${EX}stop> _:b .`;
    const facts = factsOf(member('http://h/e/1', nested));
    expect(facts.get(`${EX}result ${EX}value`)?.map(({ value }) => value)).toEqual(['21.5']);
    expect(facts.get(`${EX}stop`)?.length).toBe(2);
    // Of several that say something, the first.
    const stops = `<> <${EX}stop> _:a .\n<> <${EX}stop> _:b .\n_:a <${EX}delay> "PT60S"^^<${xsd.duration}> .\n_:b <${EX}delay> "PT5S"^^<${xsd.duration}> .`;
    const next = new Entity(member('http://h/e/1', stops), 0);
    expect(numericPaths({ entities: new Map([['a', next]]) })).toEqual([`${EX}stop ${EX}delay`]);
    expect(next.facts.get(`${EX}stop ${EX}delay`)?.map(termLabel)).toEqual(['1 min']);
  });

  test('without a label has that of the source, or its place in the stream', () => {
    expect(new Entity(member('http://h/e/1', `<> <${EX}vehicleLabel> "Bus 7" .`), 0).label).toBe('Bus 7');
    expect(new Entity(member('http://h/s/entities/trips/1/17%3A40', ''), 0).label).toBe('1/17:40');
  });

  test('has the points of lines', () => {
    const wkt = `<> <${prefixes.geo}asWKT> "MULTILINESTRING ((3 51, 3.1 51.1), (4 50, 4.5 50.5))" .`;
    expect(linesOf(member('http://h/e/1', wkt))).toEqual([
      [
        [3, 51],
        [3.1, 51.1],
      ],
      [
        [4, 50],
        [4.5, 50.5],
      ],
    ]);
  });

  test('says which of its properties are numbers', () => {
    expect(numericPaths({ entities: new Map([['a', tram(1)]]) })).toEqual([`${EX}speed`]);
  });
});

describe('labels', () => {
  test('are words of a name, or what a stream states', () => {
    expect(pathLabel(`${EX}occupancyStatus`)).toBe('occupancy status');
    expect(pathLabel(`${EX}hasResult ${EX}numericValue`)).toBe('result');
    expect(iriLabel(`${EX}FewSeatsAvailable`)).toBe('few seats available');
    learnLabel('http://h/routes/9', 'Line nine');
    expect(iriLabel('http://h/routes/9')).toBe('Line nine');
    expect(termLabel(literal('PT90S', xsd.duration))).toBe('1 min 30 s');
  });

  test('of figures have a unit and no more digits than mean something', () => {
    expect([0, 250, 1240, 45_000, 125_000, 3_600_000].map(duration)).toEqual([
      '0 ms',
      '250 ms',
      '1.2 s',
      '45 s',
      '2 min 5 s',
      '1 h',
    ]);
    expect([duration(9949), duration(9950), duration(Number.POSITIVE_INFINITY)]).toEqual([
      '9.9 s',
      '10 s',
      'not known',
    ]);
    expect([age(300), age(61_000)]).toEqual(['just now', '1 min ago']);
    expect([bytes(999), bytes(41_200), bytes(1_234_567)]).toEqual(['999 B', '41.2 kB', '1.23 MB']);
  });
});

describe('colours', () => {
  const trams = [1, 2, 3, 4, 5, 6].map((number) => tram(number));

  test('go by what tells entities apart, and are those that things state', () => {
    expect(colourPaths(trams)[0]).toBe(`${EX}route`);
    const route = new Entity(member('http://h/routes/1', `<> <${EX}color> "E60000" .`), 0);
    learnColour(route);
    expect(knownColours.get('http://h/routes/1')).toBe('#e60000');
    const { of, legend } = colouringBy(`${EX}route`, trams, [0, 0, 0]);
    expect(of(trams[0] as Entity)).toEqual([230, 0, 0]);
    expect(legend.map(({ label }) => label)).toEqual(['1', '0']);
  });

  test('of numbers go from one end to the other', () => {
    const { of } = colouringBy(`${EX}speed`, trams, [0, 0, 0]);
    const reds = trams.map((each) => of(each)[0]);
    expect([...reds].sort((a, b) => a - b)).toEqual(reds);
    expect(reds[0]).toBeLessThan(reds.at(-1) as number);
  });
});

describe('the answer to a query', () => {
  const row = (name: string, value: string) => ({ [name]: { type: 'literal', value } });
  const results = (...values: string[]) => ({
    head: { vars: ['x'] },
    results: { bindings: values.map((value) => row('x', value)) },
  });
  const at = { evaluatedAt: '2026-03-01T12:00:00Z', evaluationMs: 5 };
  const shown = ({ rows }: Answer) => rows.map(({ bindings, state }) => `${bindings.x?.value} ${state}`);

  test('marks rows that came and rows that went, and drops the latter with the next', () => {
    const first = answerAfter(WAITING, { ...results('a', 'b', 'b'), ...at }, true);
    expect(shown(first)).toEqual(['a there', 'b there', 'b there']);
    const second = answerAfter(first, { added: results('c'), removed: results('b'), ...at }, false);
    expect(shown(second)).toEqual(['c added', 'a there', 'b removed', 'b there']);
    const third = answerAfter(second, { added: results(), removed: results('a'), ...at }, false);
    expect(shown(third)).toEqual(['c there', 'a removed', 'b there']);
  });

  test('of an order that counts is a new one each time, in which what is new shows', () => {
    const first = answerAfter(WAITING, { ...results('a', 'b'), ...at }, true);
    expect(shown(answerAfter(first, { ...results('c', 'a'), ...at }, true))).toEqual(['c added', 'a there']);
  });

  test('may be one word, or statements', () => {
    expect(answerAfter(WAITING, { boolean: true, ...at }, true)).toMatchObject({ kind: 'boolean', boolean: true });
    const quads = answerAfter(WAITING, { quads: '<a> <b> <c> .\n<d> <e> <f> .\n', ...at }, true);
    const next = answerAfter(quads, { added: '<g> <h> <i> .\n', removed: '<a> <b> <c> .\n', ...at }, false);
    expect(next.quads).toEqual(['<d> <e> <f> .', '<g> <h> <i> .']);
  });
});

describe('costs', () => {
  const samples = (count: number, mode: 'pull' | 'push' = 'pull') =>
    Array.from({ length: count }, (_, index) => ({
      atMs: index * 500,
      malMs: 1000,
      boundMs: 100,
      mode,
      requests: index,
      bytes: index * 1000,
    }));

  test('are measured over the last minute in the present mode', () => {
    expect(measuredSpending(samples(41), 20_000)).toEqual({ requestsPerMinute: 120, bytesPerMinute: 120_000 });
    expect(measuredSpending(samples(5), 2000)).toBeUndefined();
    const switched = [...samples(41), ...samples(3, 'push').map((each) => ({ ...each, atMs: each.atMs + 21_000 }))];
    expect(measuredSpending(switched, 22_500)).toBeUndefined();
  });

  test('of the other way follow the formulas of capacity', () => {
    const question = { malSeconds: 1, intervalSeconds: 5, stateBytes: 20_000, updateBytes: 4000 };
    const [push, pull] = [computedSpending('push', question), computedSpending('pull', question)];
    // One event, and one poll, for each update.
    expect(push.requestsPerMinute).toBeCloseTo(12);
    expect(pull.requestsPerMinute).toBeCloseTo(12);
    expect(pull.bytesPerMinute).toBeGreaterThan(push.bytesPerMinute);
    expect(push.readersPerCore).toBeGreaterThan(pull.readersPerCore);
  });

  test('know the interval that commits had', () => {
    const lag = (atMs: number) => ({ atMs, lagMs: 20, via: 'push' as const, updates: 1 });
    expect(observedInterval([lag(0), lag(5000)])).toBeUndefined();
    expect(observedInterval([lag(0), lag(5000), lag(10_000), lag(30_000)])).toBe(5);
  });
});

test('commands quote what a shell would read', () => {
  const [terminal, script] = followRecipes('http://h/x?$(touch y)', 10);
  expect(terminal?.text).toBe("npx ldes-live follow 'http://h/x?$(touch y)' --mal 10");
  expect(script?.text).toContain('client.follow("http://h/x?$(touch y)")');
  expect(queryRecipes('http://h/x', "ASK { ?s ?p 'a' }")[0]?.text).toBe(
    "npx ldes-live query http://h/x 'ASK { ?s ?p '\\''a'\\'' }'",
  );
});

test('metrics are read with their labels', () => {
  const samples = readMetrics('# HELP a b\na_total{stream="x",kind="q\\"q"} 4\na_total{stream="y"} 2\nb 1.5\n');
  expect([total(samples, 'a_total'), total(samples, 'a_total', { stream: 'y' }), total(samples, 'b')]).toEqual([
    6, 2, 1.5,
  ]);
});

test('the catalogue is read whatever it is called by', () => {
  const [root, stream] = [namedNode('http://other/'), namedNode('http://other/trams#stream')];
  const { streams, publicUrl } = catalogOf([
    quad(root, namedNode(`${prefixes.rdf}type`), namedNode(`${prefixes.dcat}Catalog`)),
    quad(root, namedNode(`${prefixes.dcat}dataset`), stream),
    quad(stream, namedNode(`${prefixes.dct}title`), literal('Trams')),
    quad(stream, namedNode(`${prefixes.dcat}keyword`), literal('rail')),
    quad(stream, namedNode('https://w3id.org/ldes#pollingInterval'), literal('5', xsd.integer)),
  ]);
  expect(publicUrl).toBe('http://other/');
  expect(streams).toEqual([{ name: 'trams', title: 'Trams', keywords: ['rail'], sparql: false, intervalSeconds: 5 }]);
});
