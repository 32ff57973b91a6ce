/* A store of an earlier release, whose members are numbered by a term below the publisher's own URL, is published and read. */
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { createLiveClient } from '@ldes-live/client';
import { openLmdbStore } from '@ldes-live/log';
import { describeStream, ldes, parseQuads, sh } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, onTestFinished, test } from 'vitest';

const DATA = new URL('../../packages/log/test/stores/version-2.data.mdb.gz', import.meta.url);
const PUBLIC_URL = 'http://localhost:3000/';

test('DOC-77 a stream keeps the sequence path of its log in its root, its shape and its members', async () => {
  const path = await temporaryFolder({ 'data.mdb': gunzipSync(await readFile(DATA)) });
  const clock = () => Date.UTC(2026, 10, 22, 10);
  const store = await openLmdbStore({ path, clock, random: () => 0.1 });
  onTestFinished(() => store.close());
  const description = describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles' });
  const log = await store.open(description);
  const server = await createLiveServer({
    publicUrl: PUBLIC_URL,
    streams: [{ description, log }],
    clock,
  });
  onTestFinished(() => server.close());
  const origin = `http://localhost:${await server.listen({ host: 'localhost', port: 0 })}/`;
  const fetchThere = async (url: string, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url.replace(PUBLIC_URL, origin), { ...init, redirect: 'manual' });
    const location = response.status === 307 && response.headers.get('location');
    return location ? fetchThere(location, init) : response;
  };

  const former = `${PUBLIC_URL}ns/live#sequence`;
  for (const [url, property] of [
    [description.url, ldes.sequencePath],
    [`${description.url}/shape`, sh.path],
  ] as const) {
    const text = await (await fetchThere(url, { headers: { accept: 'application/n-quads' } })).text();
    const said = (await parseQuads(text, 'nquads', url)).filter(({ predicate }) => predicate.value === property);
    const paths = said.map(({ object }) => object.value).filter((value) => value.endsWith('sequence'));
    expect([...new Set(paths)]).toEqual([former]);
  }
  const follower = createLiveClient({ mal: 1, fetch: fetchThere as typeof fetch }).follow(description.url, {
    from: 'start',
  });
  await log.append([{ kind: 'delete', entity: `${description.url}/entities/0`, origin: 'feed' }]);
  let sequence = 250;
  for await (const { member } of follower) {
    expect(member?.sequence).toBe(++sequence);
    if (sequence === log.head.cursor.sequence) break;
  }
  expect(sequence).toBe(757);
});
