/* The public ldes-client, unchanged, reads what this server publishes: histories, pages as they are sealed, places. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { blankNode, type Draft, literal, namedNode, prefixes, quad } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { keptFolder } from '@ldes-live/test-support/folders';
import { httpServer } from '@ldes-live/test-support/net';
import { size } from '@ldes-live/test-support/properties';
import { describe, expect, test } from 'vitest';
import { type PublishedLog, publishedLog } from '../support/published-log.ts';
import { ROOT, startProcess } from './support/commands.ts';

const MEMBERS = size({ gate: 2000, night: 100_000 });
const ORDERED_MEMBERS = size({ gate: 600, night: 5000 });

const COMMAND = `${ROOT}examples/hand-over/node_modules/ldes-client/dist/bin/cli.js`;
const VERSION = /^<([^>]+)> <http:\/\/purl\.org\/dc\/terms\/isVersionOf>/;

/** Starts the client, and gathers the version IRIs that it prints, in their order, repeated where it repeats them. */
function ldesClient(...args: readonly string[]) {
  const { child, errorOutput, ended, stop } = startProcess(process.execPath, [COMMAND, ...args]);
  const members: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => members.push(...(VERSION.exec(line)?.slice(1) ?? [])));
  const closed = once(lines, 'close');
  return { members, errorOutput, ended: ended.then((code) => closed.then(() => code)), stop };
}

/** Stands before a server on loopback, hands everything on as it is, and writes down what was asked. */
async function countingProxy() {
  const requests: { readonly path: string; readonly isSealed: boolean }[] = [];
  const behind = { port: 0 };
  /** Turtle that it answers by itself, by path: what somebody still has of before. */
  const old = new Map<string, string>();
  const server = await httpServer((incoming, outgoing) => {
    const { method, url: path = '/', headers } = incoming;
    const text = old.get(path);
    if (text !== undefined) {
      outgoing.writeHead(200, { 'content-type': 'text/turtle' }).end(text);
      return;
    }
    const onward = request({ host: 'localhost', port: behind.port, method, path, headers }, (answer) => {
      requests.push({ path, isSealed: /\bimmutable\b/.test(answer.headers['cache-control'] ?? '') });
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  return { ...server, requests, behind, old };
}

/** Appends commits of so many members until there are as many as asked for. */
async function appendUpTo({ log, publish }: PublishedLog, members: number, perCommit: number): Promise<void> {
  for (let { sequence } = log.head.cursor; sequence < members; sequence = log.head.cursor.sequence) {
    await publish(Math.min(perCommit, members - sequence));
  }
}

/** Version IRIs of the log from a sequence number on, in its order. */
async function idsOf({ log }: PublishedLog, after = 0): Promise<string[]> {
  const ids: string[] = [];
  while (after + ids.length < log.head.cursor.sequence) {
    ids.push(...(await log.read(after + ids.length, 1000)).map(({ id }) => id));
  }
  return ids;
}

/** What it prints of a whole tree until it ends. It ends with 0 after an error too, which it only prints. */
async function printed(url: string, ...args: readonly string[]): Promise<readonly string[]> {
  const reader = ldesClient(url, ...args);
  expect(await reader.ended, reader.errorOutput()).toBe(0);
  return reader.members;
}

/** Follows a stream while pages of it are sealed, and counts what is asked for. */
async function followSealing(...args: string[]) {
  const proxy = await countingProxy();
  const published = await publishedLog({ clock: Date.now, publicUrl: proxy.url });
  proxy.behind.port = published.port;
  await appendUpTo(published, 600, 50);
  const reader = ldesClient(published.url, '--follow', '--poll-interval', '100', ...args);
  const head = () => published.log.head.cursor.sequence;
  const reached = () => eventually(() => expect(new Set(reader.members).size).toBe(head()), { forMs: 60_000 });
  await reached();
  // A page is sealed every few polls, and the client is somewhere in its round each time.
  while (head() < 1600) {
    await appendUpTo(published, head() + 50, 50);
    const seen = proxy.requests.length;
    await eventually(() => expect(proxy.requests.length).toBeGreaterThan(seen), { forMs: 60_000 });
  }
  await reached();
  const polls = () => proxy.requests.filter(({ path }) => path === '/vehicles').length;
  const round = async () => {
    const before = polls();
    await eventually(() => expect(polls()).toBeGreaterThan(before + 2), { forMs: 30_000 });
  };
  const close = async () => {
    await reader.stop();
    await published.close();
    await proxy.close();
  };
  const sealed = () => proxy.requests.filter(({ isSealed }) => isSealed).map(({ path }) => path);
  return { reader, published, sealed, round, close };
}

describe.concurrent('the public ldes-client', { timeout: 300_000 }, () => {
  test(`DOC-1 DOC-2 DOC-5 DOC-20 prints each of ${MEMBERS.toLocaleString('en')} members once, and ends`, async () => {
    const published = await publishedLog({ clock: Date.now });
    const { log, publicUrl, url } = published;
    await appendUpTo(published, MEMBERS - 1, 500);
    await log.append([{ kind: 'delete', entity: `${publicUrl}vehicles/entities/7`, origin: 'test' }]);
    const members = await printed(url);
    const due = await idsOf(published);
    const unique = new Set(members);
    expect(due.filter((id) => !unique.has(id)).slice(0, 10)).toEqual([]);
    expect([members.length, unique.size]).toEqual([due.length, due.length]);
    await published.close();
  });

  test(`DOC-4 DOC-5 prints ${ORDERED_MEMBERS.toLocaleString('en')} members in order, each once, and ends`, async () => {
    const published = await publishedLog({ clock: Date.now });
    // One member a commit: members of one commit have one time, and no order by it.
    await appendUpTo(published, ORDERED_MEMBERS, 1);
    expect(await printed(published.url, '--ordered', 'ascending')).toEqual(await idsOf(published));
    await published.close();
  });

  test('DOC-5 that follows in order prints each member once, and asks for no sealed page twice', async () => {
    const { reader, published, sealed, round, close } = await followSealing('--ordered', 'ascending');
    await round();
    expect([...reader.members].sort()).toEqual((await idsOf(published)).sort());
    expect(sealed()).toHaveLength(6);
    expect(new Set(sealed()).size).toBe(6);
    await close();
  });

  test('DOC-5 DOC-9 that follows unordered prints every member, and leaves sealed pages alone once it has noted them', async ({
    onTestFinished,
  }) => {
    const folder = await keptFolder();
    onTestFinished(() => rm(folder, { recursive: true }));
    const { reader, published, sealed, round, close } = await followSealing('--save', `${folder}/state`);
    await round();
    const noted = sealed().length;
    await round();
    expect(sealed()).toHaveLength(noted);
    // It asks twice at once for a page that it both polls and finds linked, and then prints what is new on it twice.
    expect([...new Set(reader.members)].sort()).toEqual((await idsOf(published)).sort());
    await close();
  });

  test('DOC-27 DOC-29 reads what is left of a stream, each member once', async () => {
    const published = await publishedLog({ clock: Date.now });
    const { log, url } = published;
    await appendUpTo(published, 1000, 50);
    await log.unlink({ first: 1, last: 500 });
    await log.erase({ first: 1, last: 250 });
    expect([...(await printed(url))].sort()).toEqual((await idsOf(published, 500)).sort());
    await published.close();
  });

  test('DOC-28 goes on past a link to a page that was erased since', async () => {
    const proxy = await countingProxy();
    const published = await publishedLog({ clock: Date.now, publicUrl: proxy.url });
    proxy.behind.port = published.port;
    const { log, url } = published;
    await appendUpTo(published, 1000, 50);
    for (const path of ['/vehicles', `/vehicles/pages/${log.head.cursor.epoch}/range-0`]) {
      const answer = await fetch(new URL(path, url), { headers: { accept: 'text/turtle' } });
      proxy.old.set(path, await answer.text());
    }
    await log.unlink({ first: 1, last: 500 });
    await log.erase({ first: 1, last: 250 });
    expect([...(await printed(url))].sort()).toEqual((await idsOf(published, 250)).sort());
    expect(proxy.requests.map(({ path }) => path)).toContain(`/vehicles/pages/${log.head.cursor.epoch}/removed`);
    await published.close();
    await proxy.close();
  });

  test('DOC-31 reads the place view whole: the latest state, each member once', async () => {
    const published = await publishedLog({ clock: Date.now });
    const { log, publicUrl, url } = published;
    await log.append(Array.from({ length: 900 }, (_, number) => placedDraft(publicUrl, number)));
    await log.append([
      ...Array.from({ length: 100 }, (_, number) => placedDraft(publicUrl, number)),
      { kind: 'delete' as const, entity: `${publicUrl}vehicles/entities/500`, origin: 'test' },
      { ...placedDraft(publicUrl, 2000), quads: [] } as Draft,
    ]);
    const latest = (await log.readLatest()).map(({ id }) => id);
    expect(latest).toHaveLength(900);
    expect([...(await printed(`${url}/tiles`))].sort()).toEqual(latest.sort());
    await published.close();
  });
});

function placedDraft(publicUrl: string, number: number): Draft {
  const entity = namedNode(`${publicUrl}vehicles/entities/${number}`);
  const place = blankNode('place');
  const wkt = `POINT (${3 + Math.sin(number)} ${51 + Math.cos(number * 1.3) / 2})`;
  const quads = [
    quad(entity, namedNode(`${prefixes.geo}hasGeometry`), place),
    quad(place, namedNode(`${prefixes.geo}asWKT`), literal(wkt, `${prefixes.geo}wktLiteral`)),
  ];
  return { kind: 'upsert', entity: entity.value, origin: 'test', fingerprint: String(number), quads };
}
