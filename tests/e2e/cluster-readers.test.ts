/* What readers and posters of a cluster see: on their way from node to node, and on a node that is apart from the others. */
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@ldes-live/test-support/eventually';
import { natsWay, startNats } from '@ldes-live/test-support/nats';
import { listen } from '@ldes-live/test-support/net';
import { isGate, size } from '@ldes-live/test-support/properties';
import { expect, onTestFinished, test } from 'vitest';
import { type Nodes, startNodes, TOKEN } from './support/cluster.ts';
import { need } from './support/programs.ts';

need('nats-server');

const HOPS = size({ gate: 30, night: 100 });

async function feed(): Promise<string> {
  const server = createServer((_request, response) => {
    response.end(JSON.stringify([{ id: 'a', number: Math.floor(Date.now() / 1000) }]));
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}/`;
}

async function post(nodes: Nodes, node: number, number: number): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'text/turtle' };
  const body = `<${nodes.publicUrl}posted/entities/${number % 5}> <http://example.org/number> ${number} .`;
  const response = await fetch(`${nodes.urlOf(node)}posted`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

/** Reads events of a node from a cursor on, until so many have come or so long has passed. */
async function readSome(url: string, lastId: string, { events: limit = 3, forMs = 400 } = {}) {
  const sequences: number[] = [];
  const others: string[] = [];
  const stop = AbortSignal.timeout(forMs);
  try {
    const headers = { accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) };
    const response = await fetch(`${url}/events`, { headers, signal: stop });
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const event = text.slice(0, end);
        text = text.slice(end + 2);
        const [, kind = ''] = /^event: (.*)$/m.exec(event) ?? [];
        if (kind !== 'update') {
          if (kind) others.push(`${kind} ${event}`);
          continue;
        }
        lastId = /^id: (.*)$/m.exec(event)?.[1] ?? '';
        for (const [, sequence] of event.matchAll(/"live:sequence":(\d+)/g)) sequences.push(Number(sequence));
      }
      if (sequences.length >= limit) break;
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  return { lastId, sequences, others };
}

const tagOf = async (nodes: Nodes, node: number, stream: string) =>
  (await nodes.document(node, `${stream}/latest`)).tag;

async function expectEqual(nodes: Nodes, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await eventually(async () => {
      const documents = await Promise.all([0, 1, 2].map((node) => nodes.document(node, path)));
      expect(documents[1], path).toEqual(documents[0]);
      expect(documents[2], path).toEqual(documents[0]);
    });
  }
}

test(`CLU-1 CLU-30 CLU-31 a reader goes from node to node ${HOPS} times with its cursor: no gap, no double, and the same tags`, async () => {
  const nats = await startNats();
  onTestFinished(() => nats.close());
  const nodes = await startNodes({ nats, feedUrl: await feed() });
  for (let number = 0; number < 5; number += 1) expect(await post(nodes, number % 3, number)).toBe(201);
  const stop = new AbortController();
  const posting = (async () => {
    for (let number = 5; !stop.signal.aborted; number += 1) {
      expect(await post(nodes, number % 3, number)).toBe(201);
      await delay(15);
    }
  })();
  let { lastId, sequences } = await readSome(`${nodes.urlOf(0)}posted`, '', { forMs: 30_000 });
  const [first = 0] = sequences;
  const all = [...sequences];
  for (let hop = 1; hop <= HOPS; hop += 1) {
    const some = await readSome(`${nodes.urlOf(hop % 3)}posted`, lastId);
    expect(some.others).toEqual([]);
    // What it has got to on one node the next has too, or waits for.
    const { status } = await fetch(`${nodes.urlOf((hop + 1) % 3)}posted/pages?after=${some.lastId}`);
    expect(status).toBe(200);
    all.push(...some.sequences);
    ({ lastId, sequences } = some);
  }
  stop.abort();
  await posting;
  expect(all.length).toBeGreaterThan(2 * HOPS);
  expect(all).toEqual(Array.from(all, (_, index) => first + index));
  await expectEqual(nodes, ['', 'posted', 'posted/latest', 'posted/pages/open', 'posted/shape']);
});

test('CLU-22 CLU-24 CLU-26 a writer that is cut off from NATS, or heard in one direction only, or slow', {
  timeout: 150_000,
}, async () => {
  const nats = await startNats();
  onTestFinished(() => nats.close());
  const [port = 0] = nats.ports;
  const ways = await Promise.all([0, 1, 2].map(() => natsWay(port)));
  const nodes = await startNodes({ nats, feedUrl: await feed(), urls: (node) => ways[node]?.urls ?? [] });
  const writerNow = () =>
    eventually(
      async () => {
        const roles = await Promise.all([0, 1, 2].map(async (node) => (await nodes.health(node))?.cluster.role));
        expect(roles.filter((role) => role === 'writer')).toHaveLength(1);
        return roles.indexOf('writer');
      },
      { forMs: 20_000 },
    );
  // The others take as long again.
  for (const how of isGate ? (['cut'] as const) : (['cut', 'up', 'down'] as const)) {
    const writer = await writerNow();
    const way = ways[writer] as (typeof ways)[number];
    const events = readSome(`${nodes.urlOf(writer)}things`, '', { events: 1000, forMs: 12_000 });
    await delay(300);
    const before = await tagOf(nodes, writer, 'posted');
    const startedMs = Date.now();
    if (how === 'cut') way.cut(true);
    else way.held[how] = true;
    // It says so, and goes on serving what it has.
    const health = await eventually(
      async () => {
        const found = await nodes.health(writer);
        expect(found, how).toMatchObject({ status: 'degraded', cluster: { role: 'cut-off' } });
        return found;
      },
      { forMs: 15_000 },
    );
    expect(Math.abs(Date.parse(health?.cluster.since ?? '') - startedMs), how).toBeLessThan(7000);
    const response = await fetch(`${nodes.urlOf(writer)}things/latest`);
    expect(response.headers.get('cache-control')).toMatch(/^public, max-age=0\b/);
    expect(response.headers.get('next-update')).toBeNull();
    expect(response.headers.get('ldes-source')).toMatch(/failing.*complete-to/);
    await response.arrayBuffer();
    expect(await post(nodes, writer, 1), how).toBe(503);
    expect(await tagOf(nodes, writer, 'posted')).toBe(before);
    expect(await writerNow()).not.toBe(writer);
    expect((await events).others.join('\n'), how).toContain('completeTo');
    way.cut(true);
    way.held.up = false;
    way.held.down = false;
    way.cut(false);
    await eventually(async () => expect((await nodes.health(writer))?.cluster.role).toBe('follower'), {
      forMs: 20_000,
    });
    expect(await post(nodes, writer, Math.floor(startedMs / 1000))).toBe(201);
    await expectEqual(nodes, ['posted/latest', 'posted']);
  }
  // What is slow is late, and nothing else.
  const writer = await writerNow();
  (ways[writer] as (typeof ways)[number]).held.delayMs = 150;
  for (let number = 0; number < 5; number += 1) expect(await post(nodes, (writer + 1) % 3, 1000 + number)).toBe(201);
  expect(await writerNow()).toBe(writer);
  await expectEqual(nodes, ['posted/latest', 'posted']);
});
