/* A reader behind a balancer over two nodes of one log, of which one is late, and then cut off for a while. */
import { setTimeout } from 'node:timers/promises';
import { createLiveClient } from '@ldes-live/client';
import { type Cluster, type ClusterRole, createMemoryStore } from '@ldes-live/log';
import { type Draft, describeStream, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { createLiveServer, type PushOptions } from '@ldes-live/server';
import { expect, onTestFinished, test } from 'vitest';

const PUBLIC_URL = 'http://nodes.example/';
const COMMITS = 100;
const EVERY_MS = 40;
/** By how much the follower is behind. */
const LATE_MS = 400;
/** While it is cut off it gets nothing, from and to these commits. */
const CUT_OFF = [40, 70] as const;

function draft(number: number): Draft {
  const entity = `${PUBLIC_URL}vehicles/entities/${number % 7}`;
  const quads = [quad(namedNode(entity), namedNode('http://example.org/value'), literal(String(number)))];
  return { kind: 'upsert', entity, origin: 'feed', fingerprint: String(number), quads };
}

/** A server over a log of its own, of the same life as the others, with a place that a test sets. */
async function node(name: string, role: ClusterRole, options: { breakEvenSeconds: number; push?: PushOptions }) {
  const time = { nowMs: 1_795_600_800_000 };
  const description = describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles' });
  const log = await createMemoryStore({ clock: () => time.nowMs, random: () => 0.5 }).open(description);
  const listeners = new Set<() => void>();
  const place = { role };
  const cluster: Cluster = {
    ...{ node: name, problems: [], told: undefined, lag: () => 0, describe: () => {} },
    get role() {
      return place.role;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const become = (next: ClusterRole) => {
    place.role = next;
    for (const listener of listeners) listener();
  };
  const streams = [{ description, log }];
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams, cluster, logger: false, ...options });
  onTestFinished(() => server.close());
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  return { log, time, become, base: `http://127.0.0.1:${port}/` };
}

test.each<[how: string, given: { breakEvenSeconds: number; push?: PushOptions }]>([
  ['polls', { breakEvenSeconds: 0 }],
  [
    'is pushed to, and cut again and again',
    { breakEvenSeconds: 10, push: { limitAgeMs: 400, retryMs: 20, heartbeatMs: 500 } },
  ],
])(
  'CLU-30, CLU-31 a reader that %s gets to either node: no gap, no double, nothing out of order',
  async (_how, given) => {
    const options = { ...given, push: { ...given.push, shutdownGraceMs: 0 } };
    const follower = { role: 'follower', writer: { node: 'a', url: 'http://127.0.0.1:1' } } as const;
    const [a, b] = [await node('a', { role: 'writer' }, options), await node('b', follower, options)];
    let applied = Promise.resolve();
    let connected = Promise.resolve();
    b.log.caughtUp = () => applied;
    let turns = 0;
    const balanced: typeof fetch = async (url, init) => {
      // Else it is pushed to, since a MAL as short as this leaves polling no room.
      if (options.breakEvenSeconds === 0 && String(url).includes('/events')) return new Response(null, { status: 503 });
      turns += 1;
      const { base } = turns % 3 === 1 ? a : b;
      const answer = await fetch(String(url).replace(PUBLIC_URL, base), { ...init, redirect: 'manual' });
      const location = answer.headers.get('location');
      return location === null ? answer : balanced(location, init);
    };
    const commit = async (number: number) => {
      a.time.nowMs += EVERY_MS;
      const drafts = [draft(number)];
      const { time } = await a.log.append(drafts);
      const late = setTimeout(LATE_MS);
      applied = Promise.all([applied, late, connected]).then(async () => {
        b.time.nowMs = Date.parse(time);
        await b.log.append(drafts);
      });
    };
    await commit(0);
    await applied;
    const told: (number | string)[] = [];
    const client = createLiveClient({ mal: 0.3, fetch: balanced, random: () => 0.5 });
    const read = (async () => {
      for await (const { kind, member } of client.follow(`${PUBLIC_URL}vehicles`)) {
        told.push(kind === 'gap' ? 'gap' : (member?.sequence ?? -1));
        if (told.at(-1) === COMMITS || kind === 'gap') return;
      }
    })();
    while (told.length === 0) await setTimeout(10);
    let reconnect = () => {};
    for (let number = 1; number < COMMITS; number += 1) {
      if (number === CUT_OFF[0]) {
        connected = new Promise((resolve) => {
          reconnect = resolve;
        });
        b.become({ role: 'cut-off', sinceMs: b.time.nowMs });
      }
      if (number === CUT_OFF[1]) {
        b.become(follower);
        reconnect();
      }
      await commit(number);
      await setTimeout(EVERY_MS);
    }
    await read;
    expect(told).toEqual(Array.from({ length: COMMITS }, (_, index) => index + 1));
    expect(turns).toBeGreaterThan(5);
  },
  60_000,
);
