import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLmdbStore } from '@ldes-live/log';
import { describeStream, type Member, parseCursor } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { reservedPort } from '@ldes-live/test-support/net';
import { seeded, size } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { feedServer, vehicleFeed } from '../support/feed-server.ts';
import { contentOf, expectMembers, readInBackground } from '../support/follow-log.ts';
import { answers, startCommand } from './support/commands.ts';

const KILLS = size({ gate: 8, night: 50 });
const VEHICLES = 60;

// A feed at work: each request finds a third of the vehicles elsewhere, and one or another gone.
function movingFeed(random: () => number) {
  const bearings = Array.from({ length: VEHICLES }, () => 0);
  let seconds = 1_700_000_000;
  return () => {
    seconds += 1;
    const away = Math.floor(random() * VEHICLES);
    for (const index of bearings.keys()) if (random() < 0.33) bearings[index] = Math.floor(random() * 360);
    const vehicles = bearings.map((bearing) => ({ position: { latitude: 51, longitude: 4, bearing } }));
    return vehicleFeed(seconds, [...vehicles.slice(0, away), undefined, ...vehicles.slice(away + 1)]);
  };
}

test(`DOC-23 PUSH-2 MAL-10 MAL-12 the server is killed ${KILLS} times at random moments: nothing acknowledged is lost or doubled, and both clients carry on`, {
  timeout: 600_000,
}, async () => {
  const random = seeded('crash');
  const folder = await temporaryFolder();
  const feed = await feedServer();
  const nextBody = movingFeed(random);
  feed.answer = (_request, response) => response.writeHead(200).end(nextBody());
  const port = String(await reservedPort());
  const publicUrl = `http://localhost:${port}/`;
  const url = `${publicUrl}vehicles`;
  await writeFile(
    join(folder, 'config.yml'),
    `publicUrl: ${publicUrl}\nstore: ./data\nstreams:\n  vehicles:\n    source: { gtfsRt: "${feed.url}", every: 100ms }\n`,
  );
  const serve = () => startCommand(['serve', 'config.yml', '--port', port, '--host', 'localhost'], folder);

  let server = serve();
  await answers(`${url}/latest`, server);
  const clients = [0.5, 12].map((mal) => readInBackground(url, mal));
  const isPushed = () => clients.map(({ changes }) => changes.some(({ via }) => via === 'push'));
  // Later it may pull: where three connections in a row ended without news, or brought it late, it pauses push.
  await eventually(() => expect(isPushed()).toEqual([true, false]), { forMs: 60_000 });
  const epochs = new Set<string>();
  let acknowledged = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const cursor = parseCursor((await answers(`${url}/latest`, server)).headers.get('ldes-cursor') ?? '');
    epochs.add(cursor.epoch);
    expect(cursor.sequence, `kill ${kill}`).toBeGreaterThanOrEqual(acknowledged);
    await new Promise((resolve) => setTimeout(resolve, random() * 800));
    acknowledged = Math.max(cursor.sequence, ...clients.map(({ changes }) => sequenceOf(changes.at(-1)?.cursor)));
    server.child.kill('SIGKILL');
    await server.ended;
    server = serve();
  }
  // The feed stands still, so that the readers can reach the end of the log.
  const last = nextBody();
  await answers(`${url}/latest`, server);
  feed.serve(last);
  const head = await eventually(() => settledCursor(url), { forMs: 60_000 });
  await Promise.all(clients.map((client) => client.reach(head)));
  expect(isPushed()).toEqual([true, false]);
  await Promise.all(clients.map((client) => client.close()));
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);

  const store = await openLmdbStore({ path: join(folder, 'data'), clock: Date.now, random: Math.random });
  const log = await store.open(describeStream({ publicUrl, name: 'vehicles' }));
  const members: Member[] = [];
  while (members.length < log.head.cursor.sequence) members.push(...(await log.read(members.length, 1000)));
  await store.close();
  expect(epochs.size).toBe(1);
  expect(log.head.cursor.epoch).toBe([...epochs][0]);
  expect(members.map(({ sequence }) => sequence)).toEqual(members.map((_, index) => index + 1));
  expect(members.length).toBeGreaterThan(KILLS * 10);
  expectNoneDoubled(members);
  for (const { changes } of clients) expectMembers(changes, members);
  await feed.close();
});

function sequenceOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : parseCursor(cursor).sequence;
}

// The cursor, as it stays for some polls of the feed.
async function settledCursor(url: string): Promise<string> {
  const cursor = async () => (await fetch(`${url}/latest`)).headers.get('ldes-cursor') as string;
  const first = await cursor();
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(await cursor()).toBe(first);
  return first;
}

// A version that says what the one before it said would have been published twice.
function expectNoneDoubled(members: readonly Member[]): void {
  const contents = new Map<string, string>();
  const doubled = members.filter((member) => {
    const content = contentOf(member);
    const isDoubled = contents.get(member.entity) === content;
    contents.set(member.entity, content);
    return isDoubled;
  });
  expect(doubled.map(({ id }) => id)).toEqual([]);
}
