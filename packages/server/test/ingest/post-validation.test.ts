import { parseQuads } from '@ldes-live/codec';
import { expect, test } from 'vitest';
import { readContentShape } from '../../src/shape/read-content-shape.ts';
import { ex, postingServer, stateLines, versionLines } from './posting-server.ts';

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

test('ING-31 misses nothing that the server states itself, and validates no ends', async () => {
  const server = await shapedServer();
  expect((await server.post(versionLines('a/1', 'a', 1))).statusCode).toBe(201);
  const end = `<${ex('a')}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://www.w3.org/ns/activitystreams#Delete> .\n`;
  expect((await server.post(end)).json()).toMatchObject({ stored: 1 });
});

test('ING-33 refuses a member with a longer chain than a shape that refers to itself can be followed along', async () => {
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

test('ING-32 finds the one shape that no other refers to, and refuses none or several', async () => {
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
