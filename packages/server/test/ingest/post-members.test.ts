import { as, dct, live, parseQuads, prov, rdf, sosa } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { readContentShape } from '../../src/documents/descriptions.ts';
import { ex, postingServer, stateLines, versionLines } from './posting-server.ts';

const TURTLE = { 'content-type': 'text/turtle' };
const TRIG = { 'content-type': 'application/trig' };
const JSON_LD = { 'content-type': 'application/ld+json' };
const NDJSON = { 'content-type': 'application/x-ndjson' };

test.each([
  ['application/n-quads', stateLines('a', 1), stateLines('b', 2)],
  ['application/n-triples', stateLines('a', 1), stateLines('b', 2)],
  ['text/turtle', `@prefix e: <${ex('')}> .\ne:a e:value "1" ; a e:Sensor .\n`, 'e:b e:value "2" ; a e:Sensor .'],
  [
    'application/trig',
    `@prefix e: <${ex('')}> .\ne:a { e:a e:value "1" ; a e:Sensor }\n`,
    'e:b { e:b e:value "2" ; a e:Sensor }',
  ],
  [
    'application/ld+json; charset=utf-8',
    `[{"@id":"${ex('a')}","${ex('value')}":"1","${ex('p')}":"\\"]\\\\"}`,
    `,{"@id":"${ex('b')}","${ex('value')}":"2"}]`,
  ],
  [
    'application/x-ndjson',
    `{"@id":"${ex('a')}","${ex('value')}":"1"}\n`,
    `\n{"@id":"${ex('b')}","${ex('value')}":"2"}`,
  ],
])('ING-4 takes %s, one member or many', async (type, first, second) => {
  const server = await postingServer();
  const many = await server.post(first + second, { 'content-type': type });
  expect(many.json()).toMatchObject({ stored: 2, unchanged: 0, held: 0 });
  const members = await server.members();
  expect(members.map(({ entity }) => entity)).toEqual([ex('a'), ex('b')]);
  for (const [index, { quads, id }] of members.entries()) {
    const said = quads.find(({ predicate }) => predicate.value === ex('value'));
    expect([said?.subject.value, said?.object.value]).toEqual([id, String(index + 1)]);
    expect(quads.every(({ graph }) => graph.termType === 'DefaultGraph')).toBe(true);
  }
});

test('ING-4 refuses other types, other charsets and bodies without members', async () => {
  const server = await postingServer();
  const charsets = ['text/turtle; charset=latin1', 'text/turtle;charset=utf-8;charset=utf-16'];
  for (const type of ['application/json', 'text/plain', undefined, ...charsets]) {
    const refused = await server.post(stateLines('a', 1), { 'content-type': type });
    expect([refused.statusCode, refused.json().code, refused.json().stored]).toEqual([415, 'ERR_POST_TYPE', 0]);
    expect(refused.headers['accept-post']).toContain('application/x-ndjson');
  }
  const bodies = [
    ['', {}],
    ['# nothing\n', TURTLE],
    ['[]', JSON_LD],
    ['\n \n', NDJSON],
  ] as const;
  for (const [body, headers] of bodies) {
    await server.refused(400, 'ERR_POST_EMPTY', body, headers);
  }
});

test('ING-10 makes a member of the statements of an IRI that stand together', async () => {
  const server = await postingServer();
  await server.post(stateLines('a', 1) + stateLines('b', 2) + stateLines('c', 3));
  const members = await server.members();
  expect(members.map(({ entity }) => entity)).toEqual([ex('a'), ex('b'), ex('c')]);
  for (const { quads, id } of members) {
    expect(quads).toHaveLength(5);
    expect(new Set(quads.map(({ subject }) => subject.value))).toEqual(new Set([id]));
  }
});

test('ING-11 gives blank nodes to the member that refers to them, wherever they stand beside it', async () => {
  const server = await postingServer();
  const before = `_:x <${ex('p')}> "1" .\n<${ex('a')}> <${ex('at')}> _:x .\n`;
  const after = `<${ex('b')}> <${ex('at')}> _:y .\n_:y <${ex('p')}> _:z .\n_:z <${ex('p')}> "2" .\n`;
  const between = `<${ex('c')}> <${ex('at')}> _:u .\n_:u <${ex('p')}> "3" .\n<${ex('c')}> <${ex('p')}> "4" .\n`;
  expect((await server.post(before + after + between)).json()).toMatchObject({ stored: 3 });
  const nested = `<${ex('d')}> <${ex('at')}> [ <${ex('p')}> ( 1 2 [ <${ex('q')}> 3 ] ) ] .`;
  expect((await server.post(nested, TURTLE)).json()).toMatchObject({ stored: 1 });
  const counts = (await server.members()).map(({ quads }) => quads.length - 3);
  expect(counts).toEqual([2, 3, 3, 9]);
});

test('ING-11 refuses blank nodes of no member, and those of which nothing is said beside the one that refers to them', async () => {
  const server = await postingServer();
  const shared = `<${ex('a')}> <${ex('at')}> _:x .\n_:x <${ex('p')}> "1" .\n<${ex('b')}> <${ex('at')}> _:x .\n`;
  const stray = `${stateLines('a', 1)}_:x <${ex('p')}> "1" .\n${stateLines('b', 1)}`;
  const last = `${stateLines('a', 1)}_:x <${ex('p')}> "1" .\n`;
  const missing = `<${ex('a')}> <${ex('at')}> _:x .\n`;
  const late = `${stray}<${ex('c')}> <${ex('at')}> _:x .\n`;
  for (const body of [shared, stray, last, missing, late]) {
    await server.refused(422, 'ERR_POST_BLANK_NODE', body);
  }
  await server.refused(422, 'ERR_POST_NO_IRI', `_:x <${ex('p')}> "1" .\n`);
  expect(await server.members()).toEqual([]);
});

test('ING-12 refuses an IRI that is told of in two places', async () => {
  const server = await postingServer();
  const refused = await server.post(stateLines('a', 1) + stateLines('b', 1) + stateLines('a', 2));
  expect([refused.statusCode, refused.json().code, refused.json().member]).toEqual([422, 'ERR_POST_SPLIT', ex('a')]);
});

test('ING-13 makes a member of each node at the top of JSON-LD, in its order, and of each line', async () => {
  const server = await postingServer();
  const context = { '@vocab': ex('') };
  const graph = Array.from({ length: 250 }, (_, index) => ({ '@id': ex(`n${index}`), at: { level: index } }));
  const bulk = await server.post(JSON.stringify({ '@context': context, '@graph': graph }), JSON_LD);
  expect(bulk.json()).toMatchObject({ stored: 250 });
  const lines = [1, 2].map((value) => JSON.stringify({ '@context': context, '@id': ex('a'), value })).join('\n');
  expect((await server.post(lines, NDJSON)).json()).toMatchObject({ stored: 2 });
  const members = await server.members();
  expect(members.slice(0, 250).map(({ entity }) => entity)).toEqual(graph.map((node) => node['@id']));
  expect(members.slice(250).map(({ entity }) => entity)).toEqual([ex('a'), ex('a')]);
});

test('ING-13 refuses nodes without an IRI, and what is said of another IRI within them', async () => {
  const server = await postingServer();
  const codes = async (body: object) => (await server.post(JSON.stringify(body), JSON_LD)).json().code;
  expect(await codes({ [ex('p')]: 1 })).toBe('ERR_POST_NO_IRI');
  expect(await codes({ '@id': '_:a', [ex('p')]: 1 })).toBe('ERR_POST_NO_IRI');
  expect(await codes({ '@id': ex('a'), [ex('p')]: { '@id': ex('b'), [ex('q')]: 1 } })).toBe('ERR_POST_SUBJECT');
  expect(await codes({ '@id': ex('a'), [ex('p')]: { '@id': ex('b') } })).toBeUndefined();
});

test.each([
  [
    'a node without a context',
    NDJSON,
    `{"@id":"${ex('a')}","${ex('p')}":1}\n{"@id":"${ex('b')}","value":1}`,
    ex('b'),
    2,
  ],
  ['a node without IRI or context', NDJSON, '{"value":1}', 'Node 1', 1],
  ['the only node', JSON_LD, `{\n"@id":"${ex('a')}","value":1}`, ex('a'), undefined],
  ['a node by another name of @graph', JSON_LD, `{"@context":{"g":"@graph"},"g":[{"value":1}]}`, 'Node 1', 1],
  ['a text among nodes', JSON_LD, '["a"]', 'Node 1', 1],
  ['a node with empty fields', JSON_LD, `{"@id":"${ex('a')}","${ex('p')}":[]}`, ex('a'), undefined],
])('ING-13 refuses %s, of which nothing is left', async (_what, headers, body, node, line) => {
  const server = await postingServer();
  const refused = await server.refused(422, 'ERR_POST_NOTHING_SAID', body, headers);
  expect([refused.json().node, refused.json().line]).toEqual([expect.stringContaining(node), line]);
});

test('ING-13 tells which of many nodes nothing is left of', async () => {
  const server = await postingServer();
  const node = (index: number) =>
    index === 163 || index === 170 ? { index } : { '@id': ex(`n${index}`), [ex('p')]: 1 };
  const nodes = Array.from({ length: 250 }, (_, index) => node(index));
  for (const body of [nodes, { '@context': {}, '@graph': nodes }]) {
    const refused = await server.post(JSON.stringify(body, undefined, 1), JSON_LD);
    expect([refused.statusCode, refused.json()]).toMatchObject([422, { code: 'ERR_POST_NOTHING_SAID', number: 164 }]);
  }
});

test('ING-14 publishes a state as a new version of its entity', async () => {
  const server = await postingServer();
  await server.post(stateLines('a', 1));
  await server.post(stateLines('a', 2));
  const members = await server.members();
  expect(members.map(({ id, time }) => id === `${ex('a')}#${time}`)).toEqual([true, true]);
  expect(server.log.latest.size).toBe(1);
});

test('ING-15 keeps the IRI of a version, and refuses one that does not name one other entity', async () => {
  const server = await postingServer();
  await server.post(versionLines('a/1', 'a', 1) + versionLines('a/2', 'a', 2));
  const members = await server.members();
  expect(members.map(({ id, entity }) => [id, entity])).toEqual([
    [ex('a/1'), ex('a')],
    [ex('a/2'), ex('a')],
  ]);
  const isVersionOf = '<http://purl.org/dc/terms/isVersionOf>';
  const wrong = [
    versionLines('b', 'b', 1),
    `${versionLines('b/1', 'b', 1)}<${ex('b/1')}> ${isVersionOf} <${ex('c')}> .\n`,
    `<${ex('b/1')}> ${isVersionOf} "b" .\n`,
  ];
  for (const body of wrong) {
    await server.refused(422, 'ERR_POST_VERSION', body);
  }
});

test('ING-16 ends the entity of a member of type as:Delete', async () => {
  const server = await postingServer();
  await server.post(stateLines('a', 1) + versionLines('b/1', 'b', 1));
  const ended = '<https://www.w3.org/ns/activitystreams#Delete>';
  const ends = `<${ex('a')}> <${rdf.type}> ${ended} .\n${versionLines('b/2', 'b', 2)}<${ex('b/2')}> <${rdf.type}> ${ended} .\n`;
  expect((await server.post(ends)).json()).toMatchObject({ stored: 2 });
  expect((await server.members()).map(({ entity, kind }) => [entity, kind])).toEqual([
    [ex('a'), 'upsert'],
    [ex('b'), 'upsert'],
    [ex('a'), 'delete'],
    [ex('b'), 'delete'],
  ]);
  expect((await server.post(ends)).json()).toMatchObject({ stored: 0, unchanged: 1, held: 1 });
});

test('ING-17 leaves out what the server states itself', async () => {
  const server = await postingServer();
  const own = `<${ex('a/1')}> <${prov.generatedAtTime}> "1999-01-01T00:00:00Z" .\n<${ex('a/1')}> <${live.sequence}> "7" .\n`;
  await server.post(versionLines('a/1', 'a', 1) + own);
  const [member] = await server.members();
  const said = (predicate: string) =>
    member?.quads.filter((quad) => quad.predicate.value === predicate).map(({ object }) => object.value);
  expect(said(prov.generatedAtTime)).toEqual([member?.time]);
  expect(said(live.sequence)).toEqual(['1']);
  expect(said('http://purl.org/dc/terms/isVersionOf')).toEqual([ex('a')]);
});

test('ING-17 refuses a member that says nothing else', async () => {
  const server = await postingServer();
  const own = `<${ex('a/1')}> <${prov.generatedAtTime}> "1999-01-01T00:00:00Z" .\n<${ex('a/1')}> <${live.sequence}> "7" .\n`;
  for (const body of [own, `<${ex('a/1')}> <${dct.isVersionOf}> <${ex('a')}> .\n`]) {
    const refused = await server.refused(422, 'ERR_POST_NOTHING_SAID', body);
    expect(refused.json().node).toContain(ex('a/1'));
  }
  // That an entity ends is something.
  await server.post(stateLines('a', 1));
  const end = `<${ex('a/1')}> <${dct.isVersionOf}> <${ex('a')}> .\n<${ex('a/1')}> <${rdf.type}> <${as.Delete}> .\n`;
  expect((await server.post(end)).json()).toMatchObject({ stored: 1 });
});

test('ING-18 takes the one sosa:resultTime for the time of the version', async () => {
  const server = await postingServer();
  const noon = '2026-01-01T12:00:00Z';
  const good = [noon, '2024-02-29T24:00:00', '0001-12-31T23:59:59.123456789-14:00'];
  for (const text of good) await server.post(stateLines('a', text) + time(text) + time(text));
  await server.post(stateLines('a', 'no time'));
  const members = await server.members();
  expect(members.map(({ versionTime }) => versionTime)).toEqual([...good, undefined]);
  // As readers take them.
  expect(good.map((text) => Number.isNaN(Date.parse(text)))).toEqual([false, false, false]);
});

test.each([
  ['no time', time('garbage')],
  ['no day', time('2026-02-30T12:00:00Z')],
  ['no day of that year', time('2026-02-29T12:00:00Z')],
  ['no month', time('2026-13-01T12:00:00Z')],
  ['no minute', time('2026-02-28T25:61:00Z')],
  ['no zone', time('2026-02-28T12:00:00+14:30')],
  ['a year of five digits', time('12026-02-28T12:00:00Z')],
  ['two times', time('2026-01-01T12:00:00Z') + time('2026-01-01T13:00:00Z')],
  ['a day', time('2026-01-01', 'date')],
  ['an IRI', `<${ex('a')}> <${sosa.resultTime}> <${ex('noon')}> .\n`],
])('ING-18 refuses %s as the time of a version', async (_what, lines) => {
  const server = await postingServer();
  const refused = await server.post(stateLines('a', 1) + lines);
  expect([refused.statusCode, refused.json()]).toMatchObject([
    422,
    { code: 'ERR_POST_TIME', member: ex('a'), stored: 0 },
  ]);
  expect(refused.json().value).not.toBe('');
});

function time(text: string, type = 'dateTime'): string {
  return `<${ex('a')}> <${sosa.resultTime}> "${text}"^^<http://www.w3.org/2001/XMLSchema#${type}> .\n`;
}

test('ING-19 takes a graph for the member that it is named by, and refuses others', async () => {
  const server = await postingServer();
  const good = `<${ex('a')}> { <${ex('a')}> <${ex('p')}> [ <${ex('q')}> 1 ] } <${ex('a')}> <${ex('r')}> 2 .`;
  expect((await server.post(good, TRIG)).json()).toMatchObject({ stored: 1 });
  expect((await server.members())[0]?.quads.every(({ graph }) => graph.termType === 'DefaultGraph')).toBe(true);
  await server.refused(422, 'ERR_POST_SUBJECT', `<${ex('a')}> { <${ex('b')}> <${ex('p')}> 1 }`, TRIG);
  await server.refused(422, 'ERR_POST_NO_IRI', `_:g { <${ex('b')}> <${ex('p')}> 1 }`, TRIG);
});

const SHAPES = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix e: <${ex('')}> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
e:Shape a sh:NodeShape ;
  sh:property [ sh:path e:value ; sh:minCount 1 ; sh:maxCount 1 ; sh:pattern "^[0-9]+$" ; sh:message "a number" ] ,
    [ sh:path <http://www.w3.org/ns/prov#generatedAtTime> ; sh:minCount 1 ] ,
    [ sh:path e:at ; sh:node e:Place ] .
e:Place a sh:NodeShape ; sh:property [ sh:path e:lat ; sh:minCount 1 ; sh:datatype xsd:decimal ] .`;

async function shapedServer() {
  const shape = readContentShape('water', await parseQuads(SHAPES, 'turtle', 'http://shapes.invalid/'));
  return await postingServer({ shape });
}

test('ING-30 refuses a member that is not as the shape says, with what is wrong with it', async () => {
  const server = await shapedServer();
  const good = stateLines('a', 1);
  const refused = await server.post(good + stateLines('b', 'x'));
  expect([refused.statusCode, refused.json()]).toMatchObject([
    422,
    {
      code: 'ERR_POST_INVALID',
      member: ex('b'),
      stored: 0,
      violations: [
        {
          path: ex('value'),
          message: 'a number',
          constraint: 'http://www.w3.org/ns/shacl#PatternConstraintComponent',
          value: 'x',
        },
      ],
    },
  ]);
  expect(refused.json().detail).toContain(`${ex('value')}: a number`);
  const place = `${good}<${ex('a')}> <${ex('at')}> _:p .\n_:p <${ex('lat')}> "north" .\n`;
  expect((await server.post(place)).json().violations.map(({ path }: { path: string }) => path)).toEqual([ex('at')]);
  expect((await server.post(good)).statusCode).toBe(201);
  // What was wrong before is not held against the next.
  expect((await server.post(stateLines('c', 3))).statusCode).toBe(201);
});

test('ING-30 misses nothing that the server states itself, and validates no ends', async () => {
  const server = await shapedServer();
  expect((await server.post(versionLines('a/1', 'a', 1))).statusCode).toBe(201);
  const end = `<${ex('a')}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://www.w3.org/ns/activitystreams#Delete> .\n`;
  expect((await server.post(end)).json()).toMatchObject({ stored: 1 });
});

test('ING-30 refuses a member with a longer chain than a shape that refers to itself can be followed along', async () => {
  const shapes = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix e: <${ex('')}> .
e:Shape a sh:NodeShape ; sh:property [ sh:path e:next ; sh:node e:Link ] .
e:Link a sh:NodeShape ; sh:property [ sh:path e:next ; sh:node e:Link ] .`;
  const shape = readContentShape('water', await parseQuads(shapes, 'turtle', 'http://shapes.invalid/'));
  const server = await postingServer({ shape, ingest: { limits: { limitBatchMembers: 1 } } });
  const chain = (length: number) =>
    `<${ex('long')}> <${ex('next')}> _:n0 .\n${Array.from({ length }, (_, index) => `_:n${index} <${ex('next')}> _:n${index + 1} .\n`).join('')}_:n${length} <${ex('value')}> "1" .\n`;
  const refused = await server.post(stateLines('a', 1) + stateLines('b', 1) + chain(5000));
  expect([refused.statusCode, refused.json()]).toMatchObject([
    422,
    { code: 'ERR_POST_UNCHECKABLE', member: ex('long'), stored: 1 },
  ]);
  const health = await server.app.inject('/health');
  expect(health.json().streams.water.sources).toMatchObject([{ state: 'ok' }]);
  expect((await server.post(chain(10))).statusCode).toBe(201);
});

test('finds the one shape that no other refers to, and refuses none or several', async () => {
  const read = async (turtle: string) =>
    readContentShape('water', await parseQuads(turtle, 'turtle', 'http://shapes.invalid/'));
  expect((await read(SHAPES)).iri).toBe(ex('Shape'));
  const type = 'a <http://www.w3.org/ns/shacl#NodeShape> .';
  for (const shapes of ['', `[] ${type}`, `<http://e/A> ${type} <http://e/B> ${type}`]) {
    await expect(read(shapes)).rejects.toMatchObject({ code: 'ERR_SHAPE_UNUSABLE' });
  }
  const shape = { iri: ex('Nowhere'), quads: await parseQuads(SHAPES, 'turtle', 'http://shapes.invalid/') };
  await expect(postingServer({ shape })).rejects.toMatchObject({ code: 'ERR_SHAPE_UNUSABLE' });
});
