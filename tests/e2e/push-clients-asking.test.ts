import { formatCursor, parseCursor } from '@ldes-live/rdf-stream';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type CachedWorld, cachedWorld } from './caches/cached-world.ts';
import { isOpen, WAYS } from './caches/ways.ts';
import { EVENT_CLIENTS, type EventReader } from './support/event-reader.ts';
import { membersBetween, reaches, toldMembers } from './support/told-members.ts';

// What clients may ask for, as each of them understands the answer. Every update is one of the entities 1 and 2.
const [STRAIGHT] = WAYS.filter(({ name }) => name === 'straight') as [(typeof WAYS)[number]];

let world: CachedWorld;
const readers: EventReader[] = [];
const open = async (client: (typeof EVENT_CLIENTS)[number], query: string) => {
  const reader = await client.open(world.on(STRAIGHT, `/events${query}`));
  readers.push(reader);
  return reader.events;
};
const head = () => world.log.head.cursor;

beforeAll(async () => {
  world = await cachedWorld([STRAIGHT]);
  for (let commit = 0; commit < 3; commit += 1) await world.update();
});
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()));
});
afterAll(() => world.close());

test.for(EVENT_CLIENTS)(
  'PUSH-56 $name begins with the whole state, and goes on from there',
  async (client, { skip }) => {
    skip(!isOpen(client), `not installed: ${client.program}`);
    const events = await open(client, '?from=latest');
    await reaches(events, head());
    expect(events[0]?.event).toBe('conflated');
    const { from, to } = JSON.parse(events[0]?.data ?? '') as { from: string; to: string };
    expect(from).toBe(formatCursor({ ...head(), sequence: 0 }));
    // Each commit gives both entities their values: two members are the state, wherever it ends.
    const { sequence } = parseCursor(to);
    await world.update();
    await reaches(events, head());
    expect(await toldMembers(events, world.publicUrl)).toEqual(membersBetween(sequence - 2, head().sequence));
    expect(events.filter(({ event }) => event !== 'update')).toHaveLength(1);
  },
);

test.for(EVENT_CLIENTS)(
  'PUSH-7 $name is told where to read on, and goes on from the head',
  async (client, { skip }) => {
    skip(!isOpen(client), `not installed: ${client.program}`);
    const to = head();
    const events = await open(client, '?from=otherlife-7');
    await reaches(events, to);
    expect(events.map(({ event, id }) => [event, id])).toEqual([['gap', formatCursor(to)]]);
    expect(JSON.parse(events[0]?.data ?? '')).toEqual({
      from: 'otherlife-7',
      to: formatCursor(to),
      latest: `${world.publicUrl}vehicles/latest`,
      pages: `${world.publicUrl}vehicles/pages`,
    });
    await world.update();
    await reaches(events, head());
    expect(await toldMembers(events, world.publicUrl)).toEqual(membersBetween(to.sequence, head().sequence));
  },
);

test.for(EVENT_CLIENTS)(
  'PUSH-20 $name gets the entity that it asks for, and nothing else',
  async (client, { skip }) => {
    skip(!isOpen(client), `not installed: ${client.program}`);
    const from = head();
    await world.update();
    const entity = encodeURIComponent(`${world.publicUrl}vehicles/entities/1`);
    const events = await open(client, `?from=${formatCursor(from)}&entity=${entity}`);
    await reaches(events, head());
    await world.update();
    await reaches(events, head());
    // Of each commit of two members the first.
    expect(await toldMembers(events, world.publicUrl)).toEqual([from.sequence + 1, from.sequence + 3]);
  },
);

test('PUSH-16, PUSH-17 clients of all kinds that come at different commits have each event once', async () => {
  const clients = EVENT_CLIENTS.filter(isOpen);
  const from = head();
  const reading: { readonly events: EventReader['events']; readonly after: number }[] = [];
  for (let commit = 0; commit < 80; commit += 1) {
    const client = clients[Math.floor(commit / 2)];
    if (commit % 2 === 0 && client !== undefined) {
      const after = head();
      reading.push({ events: await open(client, `?from=${formatCursor(after)}`), after: after.sequence });
    }
    await world.update();
    // A commit at a time, so that there are as many events.
    for (const { events } of reading.slice(0, -1)) await reaches(events, head());
  }
  for (const { events, after } of reading) {
    await reaches(events, head());
    expect(await toldMembers(events, world.publicUrl)).toEqual(membersBetween(after, head().sequence));
  }
  expect(head().sequence).toBe(from.sequence + 160);
});
