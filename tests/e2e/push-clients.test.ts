import { formatCursor } from '@ldes-live/rdf-stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type CachedWorld, cachedWorld } from './caches/cached-world.ts';
import { isOpen, WAYS } from './caches/ways.ts';
import { type CuttingProxy, cuttingProxy } from './support/cutting-proxy.ts';
import { EVENT_CLIENTS, type EventReader } from './support/event-reader.ts';
import { membersBetween, reaches, toldMembers } from './support/told-members.ts';

// Each way is opened once for all who go on it.
describe.each(WAYS)('$name', (way) => {
  let world: CachedWorld;
  let proxy: CuttingProxy;
  let reader: EventReader | undefined;

  beforeAll(async () => {
    world = await cachedWorld([way]);
  });
  afterAll(() => world.close());
  beforeEach(async ({ skip }) => {
    skip(!isOpen(way), `not installed: ${way.program}`);
    proxy = await cuttingProxy(world.on(way));
  });
  afterEach(async () => {
    await reader?.close();
    reader = undefined;
    await proxy?.close();
  });

  test.for(EVENT_CLIENTS)(
    'PUSH-4, PUSH-58, PUSH-63 $name reads on where it was cut, without gap or double',
    async (client, { skip }) => {
      skip(!isOpen(client), `not installed: ${client.program}`);
      const start = world.log.head.cursor;
      for (let commit = 0; commit < 3; commit += 1) await world.update();
      reader = await client.open(`${proxy.url}vehicles/events?from=${formatCursor(start)}`);
      const { events } = reader;
      await reaches(events, world.log.head.cursor);
      await world.update();
      await reaches(events, world.log.head.cursor);
      const last = events.at(-1)?.id;
      // Within the next event.
      proxy.cutAfter(20);
      for (let commit = 0; commit < 4; commit += 1) await world.update();
      await reaches(events, world.log.head.cursor);
      await world.update();
      await reaches(events, world.log.head.cursor);
      const { sequence } = world.log.head.cursor;
      expect(await toldMembers(events, world.publicUrl)).toEqual(membersBetween(start.sequence, sequence));
      expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['update']));
      expect(proxy.exchanges).toHaveLength(2);
      expect(proxy.exchanges[1]?.request).toMatch(new RegExp(`^last-event-id: ${last}\r$`, 'im'));
      for (const { answer } of proxy.exchanges) {
        expect(/^content-encoding: (.*)\r$/im.exec(answer)?.[1] ?? 'identity').toBe(client.coding);
      }
    },
  );

  // Those that come back by themselves, or by a script, as they do it through anything.
  test.for(EVENT_CLIENTS.filter(({ coding }) => coding === 'gzip'))(
    'PUSH-11, CACHE-14 $name comes back to a publisher that was away for a time',
    async (client, { skip }) => {
      skip(!isOpen(client), `not installed: ${client.program}`);
      const start = world.log.head.cursor;
      reader = await client.open(`${proxy.url}vehicles/events?from=${formatCursor(start)}`);
      const { events } = reader;
      await world.update();
      await reaches(events, world.log.head.cursor);
      await world.stop();
      onTestFinished(() => world.start());
      await world.update();
      const asked = proxy.exchanges.length;
      await vi.waitFor(() => expect(proxy.exchanges.length).toBeGreaterThan(asked), { timeout: 20_000 });
      await world.start();
      await world.update();
      await reaches(events, world.log.head.cursor);
      const { sequence } = world.log.head.cursor;
      expect(await toldMembers(events, world.publicUrl)).toEqual(membersBetween(start.sequence, sequence));
    },
  );
});
