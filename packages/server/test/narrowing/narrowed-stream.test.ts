import type { AddressInfo } from 'node:net';
import { extractMembers, parseQuads, readStreamContext } from '@ldes-live/codec';
import { type Draft, httpFields, literal, namedNode, prefixes, quad, rdf } from '@ldes-live/rdf-stream';
import type { EventReader } from '@ldes-live/test-support/events';
import { readRaw } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { listening } from '../push-server.ts';
import { entityOf, fill, PUBLIC_URL, remove, testServer, upsert } from '../test-server.ts';
import { typeOf } from './packets.ts';

type Server = Awaited<ReturnType<typeof listening>>;

let version = 0;

/** A draft of an entity of a type, somewhere. */
function placed(number: number, longitude: number, latitude: number, type = 'Bus'): Draft {
  const entity = namedNode(entityOf(number));
  version += 1;
  return {
    kind: 'upsert',
    entity: entity.value,
    origin: 'feed',
    fingerprint: `${version}`,
    quads: [
      quad(entity, namedNode(rdf.type), namedNode(typeOf(type))),
      quad(entity, namedNode(`${prefixes.wgs}long`), literal(`${longitude}`)),
      quad(entity, namedNode(`${prefixes.wgs}lat`), literal(`${latitude}`)),
    ],
  };
}

/** What a reader got: the number of the commit's last member, and the entities and kinds of the members. */
async function told(server: Server, reader: EventReader): Promise<[id: string, members: string[]][]> {
  const root = await server.get('/vehicles', { accept: 'application/n-quads' });
  const context = readStreamContext(await parseQuads(root.body, 'nquads', PUBLIC_URL), `${PUBLIC_URL}vehicles`);
  return Promise.all(
    reader.events.map(async ({ id, data }) => {
      const members = extractMembers(await parseQuads(data, 'jsonld', PUBLIC_URL), context);
      const names = members.map(({ entity, kind }) => `${kind} ${entity.slice(entityOf(0).length - 1)}`);
      return [id, names.sort()] as [string, string[]];
    }),
  );
}

const narrowTo = (parameters: Record<string, string>) => `?${new URLSearchParams(parameters)}`;

test('PUSH-20 PUSH-21 an event has the members concerned only, and the cursor of the whole commit', async () => {
  const server = await listening();
  const one = await server.read(narrowTo({ entity: entityOf(1) }));
  const several = await server.read(`${narrowTo({ entity: entityOf(1) })}&entity=${encodeURIComponent(entityOf(2))}`);
  const trams = await server.read(narrowTo({ type: typeOf('Tram') }));
  const all = await server.read();
  await eventually(async () => expect(await server.connections()).toBe(4));
  await server.log.append([placed(1, 0, 0), placed(2, 0, 0), placed(3, 0, 0, 'Tram')]);
  await server.log.append([placed(3, 1, 0, 'Tram')]);
  await server.log.append([remove(2), placed(1, 0, 1)]);
  const [first, second, third] = [3, 4, 6].map((sequence) => server.cursor(sequence));
  await all.count(3);
  await eventually(async () =>
    expect(await told(server, one)).toEqual([
      [first, ['upsert 1']],
      [third, ['upsert 1']],
    ]),
  );
  await eventually(async () =>
    expect(await told(server, several)).toEqual([
      [first, ['upsert 1', 'upsert 2']],
      [third, ['delete 2', 'upsert 1']],
    ]),
  );
  await eventually(async () =>
    expect(await told(server, trams)).toEqual([
      [first, ['upsert 3']],
      [second, ['upsert 3']],
      [third, ['delete 2']],
    ]),
  );
});

test('PUSH-24 a reader of a place is told of what is in it, and of what leaves it', async () => {
  const server = await listening();
  await server.log.append([placed(1, 0.5, 0.5), placed(2, 5, 5)]);
  const reader = await server.read(narrowTo({ bbox: '0,0,1,1' }));
  await eventually(async () => expect(await server.connections()).toBe(1));
  // Until the positions are learned either may have been in the box.
  await server.log.append([placed(1, 0.6, 0.5), placed(2, 6, 5)]);
  await server.log.append([placed(2, 7, 5)]);
  await server.log.append([placed(1, 2, 2), placed(2, 1, 1)]);
  await server.log.append([placed(1, 3, 3)]);
  await server.log.append([placed(2, 0, 0), remove(1)]);
  await eventually(async () => {
    const [first, ...rest] = await told(server, reader);
    expect(first?.[1]).toContain('upsert 1');
    expect(rest).toEqual([
      [server.cursor(7), ['upsert 1', 'upsert 2']],
      [server.cursor(10), ['delete 1', 'upsert 2']],
    ]);
  });
});

test('PUSH-22 a narrowed stream in which nothing comes up names the cursor, and resumes there', async () => {
  const server = await listening({ push: { heartbeatMs: 50 } });
  const { port } = server.app.server.address() as AddressInfo;
  const reader = await readRaw(port, `/vehicles/events${narrowTo({ entity: entityOf(9) })}`);
  onTestFinished(() => reader.close());
  await eventually(async () => expect(await server.connections()).toBe(1));
  await fill(server, 6, 2);
  await eventually(() => expect(reader.content()).toContain(`id: ${server.cursor(6)}\n\n`));
  expect(reader.content()).not.toContain('data:');
  expect(reader.content()).not.toContain('event:');
  // No id stands for what has not been looked at.
  const ids = [...reader.content().matchAll(/^id: .*-(\d+)$/gm)].map(([, sequence]) => Number(sequence));
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
  const resumed = await server.read(narrowTo({ entity: entityOf(9) }), { 'last-event-id': server.cursor(6) });
  expect(resumed.response.headers.get(httpFields.cursor)).toBe(server.cursor(6));
  await server.log.append([upsert(9, 1)]);
  await resumed.count(1);
  expect(await told(server, resumed)).toEqual([[server.cursor(7), ['upsert 9']]]);
});

test('PUSH-25 a replay is narrowed like the live stream, and goes on as such', async () => {
  const server = await listening();
  await fill(server, 9, 3);
  const reader = await server.read(narrowTo({ entity: entityOf(1), from: server.cursor(3) }));
  await eventually(async () => expect(await server.connections()).toBe(1));
  await reader.count(2);
  await server.log.append([upsert(0, 100), upsert(1, 100)]);
  await reader.count(3);
  expect(await told(server, reader)).toEqual([
    [server.cursor(6), ['upsert 1']],
    [server.cursor(9), ['upsert 1']],
    [server.cursor(11), ['upsert 1']],
  ]);
});

test('PUSH-25 the whole state is narrowed to what is in a box now', async () => {
  const server = await listening();
  await server.log.append([placed(1, 0.5, 0.5), placed(2, 0.5, 0.5), placed(3, 5, 5), upsert(4, 1)]);
  await server.log.append([placed(2, 5, 5)]);
  const reader = await server.read(narrowTo({ bbox: '0,0,1,1', from: 'latest' }));
  await reader.count(2);
  const [begin, ...updates] = reader.events;
  expect(begin).toMatchObject({ event: 'conflated', id: '' });
  expect(await told(server, { ...reader, events: updates })).toEqual([[server.cursor(5), ['upsert 1']]]);
});

test('PUSH-26 what narrows a stream is refused where it is malformed or too much, and names what is at fault', async () => {
  const server = await testServer({ push: { limitNarrowing: 2 } });
  const get = async (query: string) => (await server.get(`/vehicles/events?${query}`)).json();
  expect(await get('bbox=1,2,3')).toMatchObject({
    status: 400,
    code: 'ERR_NARROWING_MALFORMED',
    name: 'bbox',
    value: '1,2,3',
  });
  expect(await get('entity=1')).toMatchObject({ status: 400, code: 'ERR_NARROWING_MALFORMED', name: 'entity' });
  const three = 'entity=urn:a:1&entity=urn:a:2&bbox=0,0,1,1';
  expect(await get(three)).toMatchObject({ status: 400, code: 'ERR_NARROWING_LIMIT', limitNarrowing: 2, values: 3 });
  const listener = await listening({ push: { limitNarrowing: 3 } });
  expect((await listener.read(`?${three}`)).response.status).toBe(200);
});
