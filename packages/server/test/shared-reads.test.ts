import { expect, test, vi } from 'vitest';
import { SharedReads } from '../src/push/shared-reads.ts';
import { readEvents } from './event-reader.ts';
import { fill, testServer } from './test-server.ts';

test('reads of the same at the same time are one, later ones are not', async () => {
  const { log } = await testServer();
  const members = vi.spyOn(log, 'members');
  const reads = new SharedReads(log);
  await Promise.all([reads.members(0, 10), reads.members(0, 10), reads.members(1, 10)]);
  expect(members).toHaveBeenCalledTimes(2);
  await reads.members(0, 10);
  expect(members).toHaveBeenCalledTimes(3);
});

test('a read that fails is not shared with those who come later', async () => {
  const { log } = await testServer();
  vi.spyOn(log, 'members').mockRejectedValueOnce(new Error('disk'));
  const reads = new SharedReads(log);
  await expect(reads.members(0, 10)).rejects.toThrow('disk');
  await expect(reads.members(0, 10)).resolves.toEqual([]);
});

test('PUSH-3 readers that come back together cost the log no more reads than one of them', async () => {
  const server = await testServer();
  await fill(server, 500, 50);
  const members = vi.spyOn(server.log, 'members');
  const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
  const url = `${base}/vehicles/events?from=${server.log.head.cursor.epoch}-0`;
  const readers = await Promise.all(Array.from({ length: 20 }, () => readEvents(url)));
  for (const reader of readers) await reader.count(10);
  for (const { events } of readers) expect(events).toEqual(readers[0]?.events);
  expect(members).toHaveBeenCalledTimes(1);
  for (const reader of readers) reader.close();
  await server.app.close();
});
