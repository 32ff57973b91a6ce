import type { Member } from '@ldes-live/rdf-stream';
import { parseQuads } from '@ldes-live/rdf-stream';
import { expect, expectTypeOf, test } from 'vitest';
import { type ObjectOptions, toObject } from '../../src/json.ts';

const EX = 'https://transport.example/ns#';
const CONTEXT = { '@vocab': EX, id: '@id', type: '@type' };

const V2 = 'https://transport.example/bus/7/v2';
const BUS = 'https://transport.example/bus/7';

async function memberOf(trig: string): Promise<Member> {
  const prefixes = `@prefix ex: <${EX}>. @prefix xsd: <http://www.w3.org/2001/XMLSchema#>.`;
  const quads = await parseQuads(prefixes + trig, 'trig', 'https://transport.example/');
  return { id: V2, entity: BUS, kind: 'upsert', sequence: 2, time: '2026-01-01T00:00:00.000Z', quads };
}

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const typed = (name: string, value: string) => ({ type: XSD + name, '@value': value });
const FRAME = {
  '@context': CONTEXT,
  '@explicit': true,
  type: 'Position',
  seats: {},
  of: { '@explicit': true, name: {} },
};
const FRAMED =
  '<bus/7/v2> a ex:Position ; ex:of <bus/7> ; ex:seats 44 ; ex:hidden "x" . <bus/7> ex:name "Bus 7" ; ex:hidden "y" .';

test.each<[string, string, ObjectOptions, object]>([
  [
    'nested nodes are nested, lists are lists, and the context is left out',
    `<bus/7/v2> a ex:Position ; ex:of <bus/7> ; ex:at [ ex:street "Kade" ; ex:stops ( "North" "South" ) ] .
     <bus/7> ex:operator <lijn> .`,
    { context: CONTEXT },
    {
      ...{ id: V2, type: 'Position', of: { id: BUS, operator: { id: 'https://transport.example/lijn' } } },
      at: { street: 'Kade', stops: { '@list': ['North', 'South'] } },
    },
  ],
  [
    'numbers and booleans are those of JavaScript where these hold them exactly',
    `<bus/7/v2> ex:seats 44 ; ex:lat 51.0543 ; ex:speed 1.2e1 ; ex:electric true ; ex:heading "90.5"^^xsd:float ;
     ex:isFull "0"^^xsd:boolean ; ex:doors ( 1 2 ) ; ex:line "12" .`,
    { context: { ...CONTEXT, doors: { '@container': '@list' } } },
    {
      ...{ id: V2, seats: 44, lat: 51.0543, speed: 12, electric: true, heading: 90.5 },
      ...{ isFull: false, doors: [1, 2], line: '12' },
    },
  ],
  [
    'what a number cannot hold keeps its text and type',
    `<bus/7/v2> ex:ticks "9007199254740993"^^xsd:integer ; ex:top "INF"^^xsd:double ; ex:odd "12 km"^^xsd:integer ;
     ex:perhaps "maybe"^^xsd:boolean .`,
    { context: CONTEXT },
    {
      ...{ id: V2, ticks: typed('integer', '9007199254740993'), top: typed('double', 'INF') },
      ...{ odd: typed('integer', '12 km'), perhaps: typed('boolean', 'maybe') },
    },
  ],
  [
    'a property whose type the context states keeps its name, and its values as text',
    '<bus/7/v2> ex:seats 44, 45.5 ; ex:doors ( 1 2 ) ; ex:seen "2026-01-01T08:00:00Z"^^xsd:dateTime .',
    {
      context: {
        ...CONTEXT,
        seats: { '@id': `${EX}seats`, '@type': `${XSD}integer` },
        doors: { '@id': `${EX}doors`, '@type': `${XSD}integer`, '@container': '@list' },
        seen: { '@id': `${EX}seen`, '@type': `${XSD}dateTime` },
      },
    },
    { id: V2, seats: '44', [`${EX}seats`]: 45.5, doors: ['1', '2'], seen: '2026-01-01T08:00:00Z' },
  ],
  [
    'a frame chooses the properties and what is nested in what',
    FRAMED,
    { frame: FRAME },
    { id: V2, type: 'Position', seats: 44, of: { id: BUS, name: 'Bus 7' } },
  ],
  [
    'a context goes before that of the frame',
    FRAMED,
    { frame: FRAME, context: { ex: EX } },
    { '@id': V2, '@type': 'ex:Position' },
  ],
  [
    'a frame may ask for another node by its id',
    FRAMED,
    { frame: { '@context': CONTEXT, id: BUS } },
    { id: BUS, name: 'Bus 7', hidden: 'y' },
  ],
  [
    'what stands in named graphs is merged',
    '<bus/7/v2> ex:of <bus/7> . <bus/7/v2> { <bus/7> ex:seats 44 . }',
    { context: CONTEXT },
    { id: V2, of: { id: BUS, seats: 44 } },
  ],
  [
    'the node is the entity where only it is spoken of',
    '<bus/7/v2> { <bus/7> ex:seats 44 . }',
    { context: CONTEXT },
    { id: BUS, seats: 44 },
  ],
  [
    'nodes that lead to each other are nested once',
    '<bus/7/v2> ex:of <bus/7> . <bus/7> ex:newest <bus/7/v2> .',
    { context: CONTEXT },
    { id: V2, of: { id: BUS, newest: { id: V2 } } },
  ],
  ['of a member without quads there is nothing to tell', '', { context: CONTEXT }, {}],
])('%s', async (_rule, trig, options, expected) => {
  expect(await toObject(await memberOf(trig), options)).toEqual(expected);
});

test('a text and names of a hundred thousand characters take no time', async () => {
  const [digits, name] = [`${'1'.repeat(100_000)}x`, 'n'.repeat(100_000)];
  const member = await memberOf(`<bus/7/v2> ex:seats "${digits}"^^xsd:double ; ex:${name}\\/ 1 .`);
  expect(await toObject(member, { context: CONTEXT })).toMatchObject({ seats: typed('double', digits) });
  expect(Object.keys(await toObject(member))).toContain(`${EX}${name}/`);
});

test('takes a change as well, and names properties by their local names without a context', async () => {
  const member = await memberOf('<bus/7/v2> ex:seats 44 .');
  const told = { lagMs: 1, isLive: true, conflated: 0, isNewest: true, endsCommit: true, inFilter: true };
  const change = { kind: 'upsert', member, cursor: 'e-2', via: 'push', ...told } as const;
  expect(await toObject(change)).toEqual({ id: 'https://transport.example/bus/7', seats: 44 });
  expectTypeOf(toObject).returns.resolves.toEqualTypeOf<Record<string, unknown>>();
  // @ts-expect-error a gap has no quads
  const gap: Parameters<typeof toObject>[0] = { kind: 'gap', cursor: 'e-1', from: 'd-1', via: 'pull' };
  expect(gap).toBeDefined();
});

const REMOTE = 'https://contexts.example/bus.jsonld';

test.each<[string, object, object]>([
  ['ERR_CONTEXT_REFUSED', { context: REMOTE }, { url: REMOTE }],
  ['ERR_OBJECT_UNMADE', { context: { '@vocab': 7 } }, { member: V2 }],
  ['ERR_OPTION_UNKNOWN', { geoJson: true }, { name: 'geoJson', meant: 'geojson' }],
])('%s: %o are refused', async (code, options, details) => {
  const member = await memberOf('<bus/7/v2> ex:seats 44 .');
  await expect(toObject(member, options)).rejects.toMatchObject({ code, details });
});

const REMOTE_CONTEXT = { '@context': CONTEXT };

test.each([
  ['an object', REMOTE_CONTEXT],
  ['text', JSON.stringify(REMOTE_CONTEXT)],
])('a remote context is what a loader gives, as %s', async (_as, document) => {
  const asked: string[] = [];
  const documentLoader = async (url: string) => {
    asked.push(url);
    return { document };
  };
  const member = await memberOf('<bus/7/v2> ex:seats 44 .');
  expect(await toObject(member, { context: REMOTE, documentLoader })).toEqual({ id: V2, seats: 44 });
  expect(asked).toContain(REMOTE);
});

const GEO =
  '@prefix geo: <http://www.opengis.net/ont/geosparql#>. @prefix wgs: <http://www.w3.org/2003/01/geo/wgs84_pos#>.';

test('without a context it is the object of the entity: short names, native values, a place', async () => {
  const member =
    await memberOf(`${GEO} @prefix dct: <http://purl.org/dc/terms/>. @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#>.
    <bus/7/v2> a ex:Vehicle, <http://schema.org/Bus> ; dct:isVersionOf <bus/7> ; rdfs:label "Bus 7" ; ex:electric true ;
      ex:status ex:Moving ; ex:line <lines/3> ; ex:speed 5.40 ; ex:ticks 9007199254740993 ; ex:stops ( "North" ex:South ) ;
      ex:destination "Gent"@nl, "Ghent"@en ; ex:note "vol"@nl ; ex:next [ ex:stop <s/1> ; ex:delay "PT5S" ] ;
      ex:name "a" ; <http://schema.org/name> "b" ; ex:type "odd" ;
      wgs:lat 51.05 ; wgs:long 3.72 ; geo:hasGeometry [ geo:asWKT "POINT (3.72 51.05)" ] .
    <bus/7> ex:operator <lijn> . <lijn> ex:of <bus/7> .`);
  expect(await toObject(member)).toEqual({
    id: 'https://transport.example/bus/7',
    type: ['Vehicle', 'Bus'],
    label: 'Bus 7',
    electric: true,
    status: 'Moving',
    line: 'https://transport.example/lines/3',
    speed: 5.4,
    ticks: '9007199254740993',
    stops: ['North', 'South'],
    destination: { nl: 'Gent', en: 'Ghent' },
    note: 'vol',
    next: { stop: 'https://transport.example/s/1', delay: 'PT5S' },
    [`${EX}name`]: 'a',
    'http://schema.org/name': 'b',
    [`${EX}type`]: 'odd',
    operator: { id: 'https://transport.example/lijn', of: 'https://transport.example/bus/7' },
    latitude: 51.05,
    longitude: 3.72,
  });
});

test('what leads back to itself, as a node or as a list, has an end; what is no point keeps its geometry', async () => {
  const member = await memberOf(`${GEO} <bus/7/v2> ex:list _:l ; ex:shared _:s ; ex:again _:s ; ex:none () ;
      geo:hasGeometry [ geo:asWKT "LINESTRING (3 51, 4 52)" ] .
    _:s ex:self _:s . _:l <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> 1 ; <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> _:l .`);
  const object = await toObject(member);
  expect(object).toMatchObject({ list: [1], none: [], hasGeometry: { asWKT: 'LINESTRING (3 51, 4 52)' } });
  expect(object).toMatchObject({ shared: { self: object.again } });
  expect(object.again).toMatch(/^_:/);
});

test('a GeoJSON feature has the point of the member, and the object as its properties', async () => {
  const member = await memberOf(`${GEO} <bus/7/v2> ex:seats 44 ; wgs:lat 51.05 ; wgs:long 3.72 .`);
  const feature = { type: 'Feature', id: member.entity, geometry: { type: 'Point', coordinates: [3.72, 51.05] } };
  const named = { id: member.entity, seats: 44, latitude: 51.05, longitude: 3.72 };
  expect(await toObject(member, { geojson: true })).toEqual({ ...feature, properties: named });
  const byContext = await toObject(member, { geojson: true, context: CONTEXT });
  expect(byContext).toMatchObject({ ...feature, properties: { id: member.id, seats: 44 } });
  const nowhere = await memberOf('<bus/7> ex:seats 44 .');
  expect(await toObject(nowhere, { geojson: true })).toMatchObject({ geometry: null, properties: { seats: 44 } });
});

test.each<[string, string, object]>([
  [
    'a property that has the name of the place keeps its IRI',
    '<bus/7> ex:latitude "mine" ; wgs:lat 51.2 ; wgs:long 3.4 .',
    { [`${EX}latitude`]: 'mine', latitude: 51.2, longitude: 3.4 },
  ],
  [
    'a blank node that is referred to twice has a name where it stands',
    '<bus/7> ex:home _:x ; ex:work _:x . _:x ex:street "S" .',
    { home: { id: expect.stringMatching(/^_:/), street: 'S' }, work: expect.stringMatching(/^_:/) },
  ],
])('%s', async (_what, trig, expected) => {
  const member = await memberOf(`@prefix wgs: <http://www.w3.org/2003/01/geo/wgs84_pos#> . ${trig}`);
  const object = await toObject(member);
  expect(object).toEqual({ id: BUS, ...expected });
  if ('home' in object) expect((object.home as { id: string }).id).toBe(object.work);
});

test.each<[string, string, ObjectOptions]>([
  ['nodes that are nested deeper than the stack', nodesNested(5_000), {}],
  ['a property that would be a prototype', '<bus/7> ex:__proto__ <x> . <x> ex:admin true .', { context: CONTEXT }],
])('ERR_OBJECT_UNMADE tells of %s', async (_what, trig, options) => {
  const member = await memberOf(trig);
  await expect(toObject(member, options)).rejects.toMatchObject({ code: 'ERR_OBJECT_UNMADE' });
});

function nodesNested(count: number): string {
  const links = Array.from({ length: count }, (_, index) => `_:n${index} ex:in _:n${index + 1} .`);
  return `<bus/7> ex:in _:n0 . ${links.join(' ')} _:n${count} ex:seats 4 .`;
}
