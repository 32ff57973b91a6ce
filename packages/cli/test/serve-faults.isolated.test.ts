import { join } from 'node:path';
import { StreamError } from '@ldes-live/rdf-stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test, vi } from 'vitest';
import { main } from '../src/index.ts';
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
  const openLmdbStore: typeof log.openLmdbStore = async ({ onWarning, ...options }) => {
    onWarning?.(new StreamError('ERR_STORE_COMPACT', 'The file stays as large as it is.'));
    return createMemoryStore(options);
  };
  return { ...log, createMemoryStore, openLmdbStore };
});

test('a request that fails on the side of the server is a line on standard error', async () => {
  const demo = fakeProcess(['serve', '--demo', '--port', '0']);
  const ended = main(demo);
  const [, base] = await demo.stdout.until(/publishes (http:\/\/localhost:\d+\/)\n/);
  expect((await fetch(`${base}vehicles/latest`, { headers: { accept: 'text/turtle' } })).status).toBe(500);
  expect(demo.stderr.text).toMatch(/^\{"level":50,.*"path":"\/vehicles\/latest".*"message":"disk sdb1".*\}\n$/m);
  demo.signal('SIGTERM');
  expect(await ended).toBe(0);
});

test('LOG-1 `store warning` is logged, also where the store warned before there was a server', async () => {
  const config =
    'publicUrl: http://a.example/\nstore: data\nstreams: { a: { source: { gtfsRt: "http://127.0.0.1:1/", every: 1h } } }';
  const folder = await temporaryFolder({ 'config.yml': config });
  const process = fakeProcess(['serve', join(folder, 'config.yml'), '--port', '0']);
  const ended = main(process);
  await process.stderr.until(
    /"store":".*data","code":"ERR_STORE_COMPACT","message":"The file stays.*"msg":"store warning"/,
  );
  await process.stdout.until(/It listens/);
  process.signal('SIGTERM');
  expect(await ended).toBe(0);
});
