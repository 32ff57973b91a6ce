import type { Member } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { expect, expectTypeOf, test } from 'vitest';
import { type LatestEntities, LiveEntities } from '../../src/reader/latest-entities.ts';

function version(entity: string, sequence: number, kind: Member['kind'] = 'upsert'): Member {
  return { id: `${entity}/v${sequence}`, entity, kind, sequence, time: '2026-01-01T00:00:00.000Z', quads: [] };
}

/** The events of a map in words, with its size as each was heard. */
function record(entities: LatestEntities): string[] {
  const heard: string[] = [];
  entities.on('upsert', ({ id }) => heard.push(`upsert ${id}, ${entities.size} known`));
  entities.on('delete', ({ id }) => heard.push(`delete ${id}, ${entities.size} known`));
  entities.on('reset', () => heard.push(`reset, ${entities.size} known`));
  return heard;
}

test('MAL-72 is a live map of the newest versions, and each change of it is an event after it', () => {
  const entities = new LiveEntities();
  const heard = record(entities);
  entities.set(version('bus', 1));
  entities.set(version('tram', 2));
  entities.set(version('bus', 3));
  entities.delete(version('tram', 4, 'delete'));
  expect(heard).toEqual([
    'upsert bus/v1, 1 known',
    'upsert tram/v2, 2 known',
    'upsert bus/v3, 2 known',
    'delete tram/v4, 1 known',
  ]);
  expect([...entities]).toEqual([['bus', version('bus', 3)]]);
});

test('MAL-72 what changes nothing is no event: an unknown entity deleted, nothing forgotten', () => {
  const entities = new LiveEntities();
  const heard = record(entities);
  entities.delete(version('tram', 1, 'delete'));
  entities.reset();
  expect(heard).toEqual([]);
});

test('MAL-72 a gap is one event, and not the end of every entity', () => {
  const entities = new LiveEntities();
  entities.set(version('bus', 1));
  entities.set(version('tram', 2));
  const heard = record(entities);
  entities.reset();
  expect(heard).toEqual(['reset, 0 known']);
  expect(entities.has('bus')).toBe(false);
});

test('MAL-73 a listener that throws leaves the map as it should be', () => {
  const reported: unknown[] = [];
  const entities = new LiveEntities((error) => reported.push(error));
  entities.on('upsert', () => {
    throw new Error('a broken view');
  });
  const heard = record(entities);
  entities.set(version('bus', 1));
  expect(entities.get('bus')?.sequence).toBe(1);
  expect(heard).toEqual(['upsert bus/v1, 1 known']);
  expect(reported).toEqual([new Error('a broken view')]);
});

test('reads as any map does', () => {
  const entities = new LiveEntities();
  entities.set(version('bus', 1));
  entities.set(version('tram', 2));
  const visited: [string, number][] = [];
  entities.forEach((member, entity, all) => {
    expect(all).toBe(entities);
    visited.push([entity, member.sequence]);
  });
  expect(visited).toEqual([
    ['bus', 1],
    ['tram', 2],
  ]);
  expect([...entities.keys()]).toEqual(['bus', 'tram']);
  expect([...entities.values()].map(({ sequence }) => sequence)).toEqual([1, 2]);
  expect([...entities.entries()].map(([entity]) => entity)).toEqual(['bus', 'tram']);
});

test('MAL-72 is typed: members with RDF/JS quads, listeners by event, and nothing that changes it', () => {
  expectTypeOf<LatestEntities>().toExtend<ReadonlyMap<string, Member>>();
  expectTypeOf<LatestEntities['get']>().returns.toEqualTypeOf<Member | undefined>();
  expectTypeOf<Member['quads']>().toEqualTypeOf<readonly Quad[]>();
  expectTypeOf<LatestEntities>().not.toHaveProperty('set');
  expectTypeOf<LatestEntities>().not.toHaveProperty('clear');
  const entities: LatestEntities = new LiveEntities();
  const off = entities.on('upsert', (member) => expectTypeOf(member).toEqualTypeOf<Member>());
  expectTypeOf(off).toEqualTypeOf<() => void>();
  entities.on('reset', (...args) => expectTypeOf(args).toEqualTypeOf<[]>());
  // @ts-expect-error no such event
  entities.on('updated', () => {});
});
