import { ldes } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { objectsOf, published, relationsOf } from './published.ts';
import { EPOCH, fill, PUBLIC_URL, testServer } from './test-server.ts';

const RANGE_MEMBERS = 25_000;
const PAGES = `${PUBLIC_URL}vehicles/pages/${EPOCH}`;
const IMMUTABLE = 'public, max-age=31536000, immutable';

test('DOC-5 a full range is sealed, has two bounds and never changes; the open one follows it', async () => {
  const server = await testServer();
  const path = (range: number) => `/vehicles/pages/${EPOCH}/range-${range}`;
  const timeOf = async (sequence: number) => (await server.log.members(sequence - 1, 1))[0]?.time as string;
  const justPast = (time: string) => new Date(Date.parse(time) + 1).toISOString();

  await fill(server, RANGE_MEMBERS - 1, 5000);
  const open = await server.get(path(0), { accept: 'text/turtle' });
  expect(open.headers['cache-control']).toBe('public, max-age=1, stale-if-error=300');
  expect(objectsOf(await published(server, path(0)), `${PAGES}/range-0`, ldes.immutable)).toEqual([]);
  const root = async () => relationsOf(await published(server, '/vehicles'), `${PUBLIC_URL}vehicles`);
  const first = await timeOf(1);
  expect(await root()).toEqual([[`${PAGES}/range-0`, 'GreaterThanOrEqualToRelation', first]]);

  await fill(server, 1, 1);
  const sealed = await server.get(path(0), { accept: 'text/turtle' });
  expect(sealed.headers['cache-control']).toBe(IMMUTABLE);
  expect(sealed.headers).not.toHaveProperty('expires');
  expect(sealed.headers).not.toHaveProperty('next-update');
  const quads = await published(server, path(0));
  expect(objectsOf(quads, `${PAGES}/range-0`, ldes.immutable)).toEqual(['true']);
  const relations = relationsOf(quads, `${PAGES}/range-0`);
  expect(relations.map(([target]) => target)).toEqual(
    Array.from({ length: 100 }, (_, page) => [`${PAGES}/${page}`, `${PAGES}/${page}`]).flat(),
  );
  expect(relations.slice(-2)).toEqual([
    [`${PAGES}/99`, 'GreaterThanOrEqualToRelation', await timeOf(24_751)],
    [`${PAGES}/99`, 'LessThanRelation', justPast(await timeOf(RANGE_MEMBERS))],
  ]);
  const bounded = [
    [`${PAGES}/range-0`, 'GreaterThanOrEqualToRelation', first],
    [`${PAGES}/range-0`, 'LessThanRelation', justPast(await timeOf(RANGE_MEMBERS))],
  ];
  // While it is empty the next range has no bound.
  expect(await root()).toEqual([...bounded, [`${PAGES}/range-1`, 'Relation', undefined]]);

  await fill(server, 260, 260);
  const again = await server.get(path(0), { accept: 'text/turtle' });
  expect(again.rawPayload.equals(sealed.rawPayload)).toBe(true);
  expect(again.headers.etag).toBe(sealed.headers.etag);
  expect(again.headers['cache-control']).toBe(IMMUTABLE);
  const next = await timeOf(RANGE_MEMBERS + 1);
  expect(await root()).toEqual([...bounded, [`${PAGES}/range-1`, 'GreaterThanOrEqualToRelation', next]]);
  const second = await published(server, path(1));
  expect(objectsOf(second, `${PAGES}/range-1`, ldes.immutable)).toEqual([]);
  expect(relationsOf(second, `${PAGES}/range-1`)).toEqual([
    [`${PAGES}/100`, 'GreaterThanOrEqualToRelation', next],
    [`${PAGES}/100`, 'LessThanRelation', justPast(await timeOf(RANGE_MEMBERS + 250))],
    [`${PAGES}/101`, 'GreaterThanOrEqualToRelation', await timeOf(RANGE_MEMBERS + 251)],
  ]);
});
