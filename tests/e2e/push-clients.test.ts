/* How clients that others have made read streams of events: all of them at once, each a stream of its own. */
import { spawn } from 'node:child_process';
import { programPath } from '@ldes-live/bench/programs';
import { createLiveClient } from '@ldes-live/client';
import { formatCursor, literal, namedNode, parseCursor, quad, SseParser } from '@ldes-live/rdf-stream';
import { EVENT_STREAM_CASES, type EventStreamCase } from '@ldes-live/test-support/event-stream-cases';
import { eventually } from '@ldes-live/test-support/eventually';
import { httpServer } from '@ldes-live/test-support/net';
import { seededBytes } from '@ldes-live/test-support/properties';
import { afterAll, afterEach, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { type CachedStream, type CachedWorld, cachedWorld, STRAIGHT, WAYS } from './caches/world.ts';
import { closeChromium, readInChromium } from './support/chromium-reader.ts';
import { cuttingProxy } from './support/cutting-proxy.ts';
import {
  EVENT_CLIENTS,
  type EventClient,
  type EventReader,
  membersBetween,
  type ReadEvent,
  reaches,
  toldMembers,
} from './support/event-clients.ts';
import { isThere } from './support/programs.ts';

let world: CachedWorld;
beforeAll(async () => {
  world = await cachedWorld(60);
});
afterAll(async () => {
  await world?.close();
  await closeChromium();
});

// Each way and each client is one test, so that what is not installed is skipped by name.
const PAIRS = WAYS.flatMap((way) => EVENT_CLIENTS.map((client) => ({ way, client, name: client.name, by: way.name })));

describe.concurrent('clients', () => {
  test.for(PAIRS)(
    'PUSH-4, PUSH-58 $name ($by) reads on where it was cut, without gap or double',
    async ({ way, client }, { skip, onTestFinished }) => {
      for (const { program } of [way, client]) skip(!isThere(program), `not installed: ${program}`);
      const stream = await world.stream();
      const proxy = await cuttingProxy(stream.on(way));
      onTestFinished(() => proxy.close());
      const start = stream.head();
      for (let commit = 0; commit < 3; commit += 1) await stream.update();
      const reader = await client.open(`${proxy.url}${stream.name}/events?from=${formatCursor(start)}`);
      onTestFinished(() => reader.close());
      const { events } = reader;
      await reaches(events, stream.head());
      await stream.update();
      await reaches(events, stream.head());
      const last = events.at(-1)?.id;
      // Within the next event.
      proxy.cutAfter(20);
      for (let commit = 0; commit < 4; commit += 1) await stream.update();
      await reaches(events, stream.head());
      await stream.update();
      await reaches(events, stream.head());
      expect(await toldMembers(events, world.publicUrl)).toEqual(
        membersBetween(start.sequence, stream.head().sequence),
      );
      expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['update']));
      expect(proxy.exchanges).toHaveLength(2);
      expect(proxy.exchanges[1]?.request).toMatch(new RegExp(`^last-event-id: ${last}\r$`, 'im'));
      for (const { answer } of proxy.exchanges) {
        expect(/^content-encoding: (.*)\r$/im.exec(answer)?.[1] ?? 'identity').toBe(client.coding);
      }
    },
  );

  // What clients may ask for, as each of them understands the answer. Every update is one of the entities 1 and 2.
  test.for(EVENT_CLIENTS)(
    'PUSH-56 $name begins with the whole state, and goes on from there',
    async (client, context) => {
      const stream = await world.stream(3);
      const events = await open(client, context, stream, '?from=latest');
      await reaches(events, stream.head());
      expect(events[0]?.event).toBe('conflated');
      const { from, to } = JSON.parse(events[0]?.data ?? '') as { from: string; to: string };
      expect(from).toBe(formatCursor({ ...stream.head(), sequence: 0 }));
      // Each commit gives both entities their values: two members are the state, wherever it ends.
      const { sequence } = parseCursor(to);
      await stream.update();
      await reaches(events, stream.head());
      expect(await toldMembers(events, world.publicUrl)).toEqual(membersBetween(sequence - 2, stream.head().sequence));
      expect(events.filter(({ event }) => event !== 'update')).toHaveLength(1);
    },
  );

  test.for(EVENT_CLIENTS)(
    'PUSH-7 $name is told where to read on, and goes on from the head',
    async (client, context) => {
      const stream = await world.stream(3);
      const to = stream.head();
      const events = await open(client, context, stream, '?from=otherlife-7');
      await reaches(events, to);
      expect(events.map(({ event, id }) => [event, id])).toEqual([['gap', formatCursor(to)]]);
      expect(JSON.parse(events[0]?.data ?? '')).toEqual({
        from: 'otherlife-7',
        to: formatCursor(to),
        latest: `${stream.url}/latest`,
        pages: `${stream.url}/pages`,
      });
      await stream.update();
      await reaches(events, stream.head());
      expect(await toldMembers(events, world.publicUrl)).toEqual(membersBetween(to.sequence, stream.head().sequence));
    },
  );

  test.for(EVENT_CLIENTS)(
    'PUSH-20 $name gets the entity that it asks for, and nothing else',
    async (client, context) => {
      const stream = await world.stream();
      const from = stream.head();
      await stream.update();
      const entity = encodeURIComponent(`${stream.url}/entities/1`);
      const events = await open(client, context, stream, `?from=${formatCursor(from)}&entity=${entity}`);
      await reaches(events, stream.head());
      await stream.update();
      await reaches(events, stream.head());
      // Of each commit of two members the first.
      expect(await toldMembers(events, world.publicUrl)).toEqual([from.sequence + 1, from.sequence + 3]);
    },
  );
});

/** What a client reads of a stream, straight, until the test has finished. */
async function open(
  client: EventClient,
  { skip, onTestFinished }: TestContext,
  stream: CachedStream,
  query: string,
): Promise<readonly ReadEvent[]> {
  skip(!isThere(client.program), `not installed: ${client.program}`);
  const reader = await client.open(stream.on(STRAIGHT, `/events${query}`));
  onTestFinished(() => reader.close());
  return reader.events;
}

const readers: EventReader[] = [];
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()));
});

test('clients of all kinds that come at different commits have each event once', async () => {
  const clients = EVENT_CLIENTS.filter(({ program }) => isThere(program));
  const stream = await world.stream();
  const from = stream.head();
  const reading: { readonly events: EventReader['events']; readonly after: number }[] = [];
  for (let commit = 0; commit < 2 * clients.length + 20; commit += 1) {
    const client = clients[Math.floor(commit / 2)];
    if (commit % 2 === 0 && client !== undefined) {
      const after = stream.head();
      const reader = await client.open(stream.on(STRAIGHT, `/events?from=${formatCursor(after)}`));
      readers.push(reader);
      reading.push({ events: reader.events, after: after.sequence });
    }
    await stream.update();
    // A commit at a time, so that there are as many events.
    for (const { events } of reading.slice(0, -1)) await reaches(events, stream.head());
  }
  for (const { events, after } of reading) {
    await reaches(events, stream.head());
    expect(await toldMembers(events, world.publicUrl)).toEqual(membersBetween(after, stream.head().sequence));
  }
  expect(stream.head().sequence).toBe(from.sequence + 2 * (2 * clients.length + 20));
});

// Those that come back by themselves, or by a script, as they do it through anything.
test('PUSH-32, CACHE-14 clients come back to a publisher that was away for a time', async ({ onTestFinished }) => {
  const pairs = PAIRS.filter(({ way, client }) => isThere(way.program) && isThere(client.program));
  const stream = await world.stream();
  const start = stream.head();
  const reading = await Promise.all(
    pairs
      .filter(({ client }) => client.coding === 'gzip')
      .map(async ({ way, client }) => {
        const proxy = await cuttingProxy(stream.on(way));
        onTestFinished(() => proxy.close());
        const reader = await client.open(`${proxy.url}${stream.name}/events?from=${formatCursor(start)}`);
        readers.push(reader);
        return { name: `${client.name} (${way.name})`, proxy, events: reader.events };
      }),
  );
  const allReach = () => Promise.all(reading.map(({ name, events }) => reaches(events, stream.head(), name)));
  await stream.update();
  await allReach();
  const asked = reading.map(({ proxy }) => proxy.exchanges.length);
  await world.stop();
  onTestFinished(() => world.start());
  await stream.update();
  await eventually(() => {
    for (const [index, { name, proxy }] of reading.entries())
      expect(proxy.exchanges.length, name).toBeGreaterThan(asked[index] as number);
  });
  await world.start();
  await stream.update();
  await allReach();
  const expected = membersBetween(start.sequence, stream.head().sequence);
  for (const { events } of reading) expect(await toldMembers(events, world.publicUrl)).toEqual(expected);
});

describe.concurrent('readers that are slow', () => {
  const ENTITIES = 5;
  let small: CachedWorld;
  beforeAll(async () => {
    // Numbers of connections are told as of the last fifth of a heartbeat.
    small = await cachedWorld(3, [STRAIGHT], { limitQueueBytes: 256 * 1024, heartbeatMs: 250 });
  });
  afterAll(() => small?.close());

  /** Gives the next of a few entities in turn a value, of a size that no compression makes small. */
  async function publish({ log, url }: CachedStream, times = 1): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      const { sequence } = log.head.cursor;
      const entity = `${url}/entities/${sequence % ENTITIES}`;
      const text = literal(seededBytes(`text ${sequence}`, 45_000).toString('base64'));
      const quads = [quad(namedNode(entity), namedNode('http://example.org/text'), text)];
      await log.append([{ kind: 'upsert', entity, origin: 'test', fingerprint: String(sequence), quads }]);
    }
  }

  async function metric({ name }: CachedStream, metricName: string, labels = ''): Promise<number> {
    const text = await (await fetch(`${small.publicUrl}metrics`)).text();
    const line = text
      .split('\n')
      .find((each) => each.startsWith(`ldes_live_push_${metricName}{stream="${name}"${labels}} `));
    return Number(line?.split(' ')[1]);
  }
  const isLive = (stream: CachedStream) =>
    eventually(async () => expect(await metric(stream, 'connections', ',state="live"')).toBe(1));

  // The system takes some for a reader that does not read: more than that, and then more than may wait.
  async function fillUp(stream: CachedStream): Promise<void> {
    while ((await metric(stream, 'connections', ',state="behind"')) === 0) await publish(stream, 20);
    await publish(stream, 20);
  }

  // What the events tell of, and what they are to tell of: each member in order, or of a conflation the newest of each
  // entity. Every member is of the next entity in turn, so that the newest of all are the last.
  async function toldAs(events: readonly ReadEvent[]) {
    const expected: number[] = [];
    let [position, conflations] = [0, 0];
    for (const { event, id, data } of events) {
      const { sequence } = parseCursor(event === 'conflated' ? (JSON.parse(data) as { to: string }).to : id);
      if (event === 'conflated') {
        conflations += 1;
        expect((JSON.parse(data) as { from: string }).from).toMatch(new RegExp(`-${position}$`));
        expected.push(...membersBetween(Math.max(position, sequence - ENTITIES), sequence));
      } else if (sequence > position) expected.push(...membersBetween(position, sequence));
      position = Math.max(position, sequence);
    }
    return { sequences: await toldMembers(events, small.publicUrl), expected, conflations };
  }

  test.for([[[]], [['--compressed']]] as const)(
    'PUSH-59, PUSH-60 curl %j that was stopped for a time gets the newest state, and goes on',
    async ([options], { skip, onTestFinished }) => {
      skip(!isThere('curl'), 'not installed: curl');
      const stream = await small.stream(0);
      const events: ReadEvent[] = [];
      const parser = new SseParser({ onEvent: (event) => events.push(event) });
      const child = spawn(programPath('curl'), ['-s', '-N', ...options, stream.on(STRAIGHT, '/events')], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      child.stdout.on('data', (chunk: Buffer) => parser.push(chunk));
      await isLive(stream);
      await publish(stream);
      await reaches(events, stream.head());
      child.kill('SIGSTOP');
      await fillUp(stream);
      child.kill('SIGCONT');
      await reaches(events, stream.head());
      await publish(stream);
      await reaches(events, stream.head());
      const told = await toldAs(events);
      expect(told.sequences).toEqual(told.expected);
      expect(told.conflations).toBeGreaterThan(0);
      expect(await metric(stream, 'conflations_total')).toBe(told.conflations);
    },
  );

  test('PUSH-62 a client that took its time has every member all the same', async () => {
    const stream = await small.stream(0);
    const stop = new AbortController();
    await publish(stream);
    const start = stream.head();
    const from = formatCursor(start);
    const follower = createLiveClient({ mal: 1 }).follow(stream.url, { from, signal: stop.signal });
    const changes = follower[Symbol.asyncIterator]();
    const sequences: number[] = [];
    const next = async () => {
      const { value } = await changes.next();
      sequences.push(value?.member?.sequence ?? 0);
    };
    const first = next();
    await isLive(stream);
    await publish(stream);
    await first;
    await fillUp(stream);
    while (sequences.at(-1) !== stream.head().sequence) await next();
    expect(sequences).toEqual(membersBetween(start.sequence, stream.head().sequence));
    expect(await metric(stream, 'conflations_total')).toBeGreaterThan(0);
    expect(follower.status).toMatchObject({ mode: 'push', gaps: 0 });
    // On the connection that it has.
    const live = next();
    await publish(stream);
    await live;
    expect(sequences.at(-1)).toBe(stream.head().sequence);
    expect(await metric(stream, 'accepted_total')).toBe(1);
    stop.abort();
  });
});

test('Chromium reads the cases of the web platform tests as our parser does', async ({ skip, onTestFinished }) => {
  skip(!isThere('chromium'), 'not installed: chromium');
  const server = await httpServer((request, response) => {
    const { stream } = EVENT_STREAM_CASES[Number(request.url?.slice(1))] as EventStreamCase;
    // Left open: whoever reads to an end comes back, and reads it all again.
    response.writeHead(200, { 'content-type': 'text/event-stream', 'access-control-allow-origin': '*' }).write(stream);
  });
  onTestFinished(() => server.close());
  for (const [index, { name, events }] of EVENT_STREAM_CASES.entries()) {
    const reader = await readInChromium(`${server.url}${index}`);
    await eventually(() => expect(reader.events, name).toEqual(events));
    await reader.close();
  }
});
