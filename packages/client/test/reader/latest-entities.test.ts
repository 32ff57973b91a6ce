import type { Member } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { expect, expectTypeOf, test } from 'vitest';
import { type LatestEntities, LatestMap, Listeners } from '../../src/latest.ts';
import { version } from '../support/version.ts';

/** The events of a map in words, with its size as each was heard. */
function record(entities: LatestEntities): string[] {
  const heard: string[] = [];
  entities.on('upsert', ({ id }) => heard.push(`upsert ${id}, ${entities.size} known`));
  entities.on('delete', ({ id }) => heard.push(`delete ${id}, ${entities.size} known`));
  entities.on('reset', () => heard.push(`reset, ${entities.size} known`));
  return heard;
}

test('is a live map of the newest versions, and each change of it is an event after it', () => {
  const entities = new LatestMap();
  const heard = record(entities);
  entities.put(version(1, 'bus'));
  entities.put(version(2, 'tram'));
  entities.put(version(3, 'bus'));
  entities.remove(version(4, 'tram', 'delete'));
  expect(heard).toEqual([
    'upsert bus/v1, 1 known',
    'upsert tram/v2, 2 known',
    'upsert bus/v3, 2 known',
    'delete tram/v4, 1 known',
  ]);
  expect([...entities]).toEqual([['bus', version(3, 'bus')]]);
});

test('a gap is one event, not the end of every entity, and what changes nothing is none', () => {
  const entities = new LatestMap();
  const heard = record(entities);
  entities.remove(version(1, 'tram', 'delete'));
  entities.reset();
  expect(heard).toEqual([]);
  entities.put(version(1, 'bus'));
  entities.reset();
  expect(heard).toEqual(['upsert bus/v1, 1 known', 'reset, 0 known']);
  expect(entities.has('bus')).toBe(false);
});

test('is typed: members with RDF/JS quads, listeners by event, and nothing that changes it', () => {
  expectTypeOf<LatestEntities>().toExtend<ReadonlyMap<string, Member>>();
  expectTypeOf<LatestEntities['get']>().returns.toEqualTypeOf<Member | undefined>();
  expectTypeOf<Member['quads']>().toEqualTypeOf<readonly Quad[]>();
  expectTypeOf<LatestEntities>().not.toHaveProperty('set');
  expectTypeOf<LatestEntities>().not.toHaveProperty('clear');
  const entities: LatestEntities = new LatestMap();
  const off = entities.on('upsert', (member) => expectTypeOf(member).toEqualTypeOf<Member>());
  expectTypeOf(off).toEqualTypeOf<() => void>();
  entities.on('reset', (...args) => expectTypeOf(args).toEqualTypeOf<[]>());
  // @ts-expect-error no such event
  entities.on('updated', () => {});
});

type Events = { readonly level: readonly [metres: number]; readonly dry: readonly [] };

test('calls the listeners of a type in order of registration, each registration until it is taken off', () => {
  const listeners = new Listeners<Events>();
  const heard: string[] = [];
  const listener = (metres: number) => heard.push(`first ${metres}`);
  const offFirst = listeners.on('level', listener);
  listeners.on('level', (metres) => heard.push(`second ${metres}`));
  listeners.on('level', listener);
  listeners.on('dry', () => heard.push('dry'));
  listeners.emit('level', 3);
  offFirst();
  offFirst();
  listeners.emit('level', 2);
  listeners.emit('dry');
  expect(heard).toEqual(['first 3', 'second 3', 'first 3', 'second 2', 'first 2', 'dry']);
});

test('listeners taken off or added by another listener count at once and from the next event on', () => {
  const listeners = new Listeners<Events>();
  const heard: string[] = [];
  const offs: (() => void)[] = [];
  listeners.on('dry', () => {
    heard.push('first');
    for (const off of offs.splice(0)) off();
    if (heard.length === 1) listeners.on('dry', () => heard.push('late'));
  });
  offs.push(listeners.on('dry', () => heard.push('removed')));
  listeners.emit('dry');
  expect(heard).toEqual(['first']);
  listeners.emit('dry');
  expect(heard).toEqual(['first', 'first', 'late']);
});
