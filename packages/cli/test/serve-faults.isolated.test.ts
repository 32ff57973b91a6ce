import { StreamError } from '@ldes-live/rdf-stream';
import { expect, test, vi } from 'vitest';
import { configFile, served } from './run-command.ts';

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
  const { base, process } = await served('--demo');
  expect((await fetch(`${base}vehicles/latest`, { headers: { accept: 'text/turtle' } })).status).toBe(500);
  expect(process.stderr.text).toMatch(/^\{"level":50,.*"path":"\/vehicles\/latest".*"message":"disk sdb1".*\}\n$/m);
});

test('LOG-1 `store warning` is logged, also where the store warned before there was a server', async () => {
  const streams = 'streams: { a: { source: { gtfsRt: "http://127.0.0.1:1/", every: 1h } } }';
  const { process } = await served(await configFile(`publicUrl: http://a.example/\nstore: data\n${streams}`));
  await process.stderr.until(
    /"store":".*data","code":"ERR_STORE_COMPACT","message":"The file stays.*"msg":"store warning"/,
  );
});
