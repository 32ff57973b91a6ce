import { expect, test, vi } from 'vitest';
import { main } from '../src/main.ts';
import { fakeProcess } from './fake-process.ts';

// A store whose logs cannot be read.
vi.mock('@ldes-live/log', async (importOriginal) => {
  const log = await importOriginal<typeof import('@ldes-live/log')>();
  const createMemoryStore: typeof log.createMemoryStore = (edge) => {
    const store = log.createMemoryStore(edge);
    const { open } = store;
    store.open = async (description) =>
      Object.assign(await open.call(store, description), {
        readLatest: () => Promise.reject(new Error('disk sdb1')),
      });
    return store;
  };
  return { ...log, createMemoryStore };
});

test('a request that fails on the side of the server is a line on standard error', async () => {
  const demo = fakeProcess(['serve', '--demo', '--port', '0']);
  const ended = main(demo);
  const [, base] = await demo.stdout.until(/publishes (http:\/\/localhost:\d+\/)\n/);
  expect((await fetch(`${base}vehicles/latest`, { headers: { accept: 'text/turtle' } })).status).toBe(500);
  expect(demo.stderr.text).toMatch(/^\{"level":50,.*"message":"disk sdb1".*"path":"\/vehicles\/latest".*\}\n$/m);
  demo.signal('SIGTERM');
  expect(await ended).toBe(0);
});
