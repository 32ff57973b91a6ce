import { describeStream, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { createMemoryStore } from '../src/memory-store.ts';

test('a log tells of the commit that is being stored, until its subscribers are told', async () => {
  const description = describeStream({ publicUrl: 'http://live.example/', name: 'a', title: 'A' });
  const log = await createMemoryStore({ clock: () => 5000, random: () => 0 }).open(description);
  const entity = 'http://live.example/a/entities/1';
  const quads = [quad(namedNode(entity), namedNode('urn:p'), literal('x'))];
  const told: (number | undefined)[] = [];
  log.subscribe(() => told.push(log.storingMs));
  expect(log.storingMs).toBeUndefined();
  await log.append([{ kind: 'upsert', entity, origin: 'feed', fingerprint: '1', quads }]);
  expect(told).toEqual([5000]);
  expect(log.storingMs).toBeUndefined();
  await expect(log.append([{ kind: 'delete', entity: `${entity}0`, origin: 'feed' }])).rejects.toThrow();
  expect(log.storingMs).toBeUndefined();
});
