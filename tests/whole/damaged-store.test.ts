/* A store of which the disk has changed two members is published: what needs them is refused by name, and the rest goes on. */
import { openLmdbStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { reservedPort } from '@ldes-live/test-support/net';
import { open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import { valueDraft } from '../support/published-log.ts';

const TABLE = { name: 'members', compression: { threshold: 500, dictionary: Buffer.alloc(0) } };

test('STORE-2 STORE-3 what needs a damaged member answers 500 by name, health names its page, and the rest goes on', async () => {
  const path = await temporaryFolder();
  const port = await reservedPort();
  const publicUrl = `http://localhost:${port}/`;
  const description = describeStream({ publicUrl, name: 'vehicles' });
  const openStore = () => openLmdbStore({ path, clock: Date.now, random: Math.random });
  const written = await openStore();
  const before = await written.open(description);
  for (const value of [1, 2, 3]) {
    await before.append(Array.from({ length: 250 }, (_, number) => valueDraft(description.url, number, value)));
  }
  await written.close();
  const root = open({ path, noSubdir: false });
  const members = root.openDB<{ nquads: string }, [string, number]>(TABLE);
  for (const sequence of [300, 501]) {
    const record = members.get(['vehicles', sequence])!;
    await members.put(['vehicles', sequence], { ...record, nquads: `${record.nquads.slice(0, -2)}\n` });
  }
  await root.close();

  const store = await openStore();
  onTestFinished(() => store.close());
  const log = await store.open(description);
  const server = await createLiveServer({ publicUrl, streams: [{ description, log }], clock: Date.now });
  onTestFinished(() => server.close());
  await server.listen({ host: 'localhost', port });
  const health = async () =>
    (await (await fetch(`${publicUrl}health`)).json()) as {
      status: string;
      streams: { vehicles: { damagedPages?: number[] } };
    };
  const { epoch } = log.head.cursor;
  for (const place of [`/pages/${epoch}/1`, '/latest', '/entities/0']) {
    const answer = await fetch(`${description.url}${place}`, { headers: { accept: 'text/turtle' } });
    expect([place, answer.status, answer.headers.get('cache-control')]).toEqual([place, 500, 'no-store']);
    const sequence = place.startsWith('/pages') ? 300 : 501;
    expect(await answer.json()).toMatchObject({ code: 'ERR_STORE_DAMAGED', stream: 'vehicles', sequence });
  }
  for (const place of ['', `/pages/${epoch}/0`, '/entities/1', '/shape']) {
    expect([place, (await fetch(`${description.url}${place}`)).status]).toEqual([place, 200]);
  }
  const { status, streams } = await health();
  expect([status, streams.vehicles.damagedPages]).toEqual(['degraded', [1, 2]]);

  /** What push says after a place, up to the next commit. */
  const eventsFrom = async (sequence: number, until: number) => {
    const { body } = await fetch(`${description.url}/events?from=${epoch}-${sequence}`);
    let text = '';
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes(`id: ${epoch}-${until}`)) break;
    }
    return text;
  };
  await log.append([valueDraft(description.url, 0, 4)]);
  expect(await eventsFrom(260, 751)).toContain('event: gap');
  // What comes after the damage does not depend on it, also in the same commit.
  expect(await eventsFrom(510, 751)).not.toContain('event: gap');
  // The entity has been published again.
  expect((await fetch(`${description.url}/latest`)).status).toBe(200);
  expect((await health()).streams.vehicles.damagedPages).toEqual([1, 2]);
});
