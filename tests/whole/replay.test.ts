import { formatCursor, type Member } from '@ldes-live/rdf-stream';
import { describeRecordings, recording, recordings } from '@ldes-live/test-support/recordings';
import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { contentOf, expectMembers, readInBackground } from '../support/follow-log.ts';
import { liveWorld } from './support/live-world.ts';

/** The fields of a protobuf message by number, as they stand on the wire: numbers, or bytes. */
type PlainFields = ReadonlyMap<number, readonly (number | Uint8Array)[]>;

/**
 * Reads one level of a protobuf message without any description of it: a second opinion on what the
 * decoder under test reads. Numbers of 64 bits lose what a double cannot hold.
 */
function plainFields(bytes: Uint8Array): PlainFields {
  const fields = new Map<number, (number | Uint8Array)[]>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let offset = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[offset++] as number;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (offset < bytes.length) {
    const tag = varint();
    const [number, wireType] = [Math.floor(tag / 8), tag % 8];
    let value: number | Uint8Array;
    if (wireType === 0) value = varint();
    else if (wireType === 2) {
      const length = varint();
      value = bytes.subarray(offset, offset + length);
      offset += length;
    } else {
      const size = wireType === 1 ? 8 : 4;
      value = size === 8 ? view.getFloat64(offset, true) : view.getFloat32(offset, true);
      offset += size;
    }
    const values = fields.get(number) ?? [];
    fields.set(number, [...values, value]);
  }
  return fields;
}

/** A nested message's fields; none when it is not there. */
function nested(fields: PlainFields, number: number): PlainFields {
  const value = fields.get(number)?.at(-1);
  return value instanceof Uint8Array ? plainFields(value) : new Map();
}

/** A text field; empty when it is not there. */
function text(fields: PlainFields, number: number): string {
  const value = fields.get(number)?.at(-1);
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : '';
}

// The entities of a feed, read without the decoder under test.
function entitiesOf(body: Uint8Array): PlainFields[] {
  return (plainFields(body).get(2) ?? []).map((entity) => plainFields(entity as Uint8Array));
}

// Natural keys of New York's feeds: the train id of extension 1001 tells two trains of one trip apart.
function trainKeys(body: Uint8Array): string[] {
  return entitiesOf(body).map((entity) => {
    const [kind, message] = entity.has(3) ? ['update', nested(entity, 3)] : ['position', nested(entity, 4)];
    const trip = nested(message as PlainFields, 1);
    return [kind, text(trip, 1), text(trip, 3), text(trip, 2), text(nested(trip, 1001), 1)].join(' ');
  });
}

// The state after each commit, by replaying changes: entity IRI to newest sequence.
function statesOf(members: readonly Member[]): string[] {
  const living = new Map<string, number>();
  const states: string[] = [];
  for (const [index, { kind, entity, sequence, time }] of members.entries()) {
    if (kind === 'delete') living.delete(entity);
    else living.set(entity, sequence);
    if (members[index + 1]?.time !== time) states.push(JSON.stringify([...living].sort()));
  }
  return states;
}

describeRecordings('recordings of real feeds', () => {
  test('GTFS-30 MAL-10 New York, minute by minute: the state is the recording, and both clients rebuild every state', async () => {
    const keys = { trip: ['trip_id', 'start_date', 'start_time', '1001.1'] };
    const world = await liveWorld({ intervalMs: 60_000, feedOptions: { keys } });
    const clients = [0.5, 600].map((mal) => readInBackground(world.url, mal, world.time));
    let before = new Map<string, unknown>();
    for (const path of recordings('nyct-ace-sequence')) {
      const body = recording(path);
      const firstNew = world.log.head.cursor.sequence + 1;
      expect(await world.poll(body), path).toMatchObject({ kind: 'accepted' });
      // A large commit is encoded and read in many turns, in which no time is to pass.
      await until(() => clients[0]?.follower.state.cursor === formatCursor(world.log.head.cursor));
      const latest = await world.log.readLatest();
      expect(latest).toHaveLength(new Set(trainKeys(body)).size);
      // A member was made of what changed, and of nothing else.
      const now = new Map(latest.map((member) => [member.entity, contentOf(member)]));
      for (const member of latest) {
        expect(member.sequence >= firstNew, member.id).toBe(before.get(member.entity) !== now.get(member.entity));
      }
      before = now;
    }
    const head = formatCursor(world.log.head.cursor);
    await Promise.all(clients.map((client) => client.reach(head)));
    const modes = clients.map(({ follower }) => follower.status.mode);
    expect(modes, clients[0]?.follower.status.reason).toEqual(['push', 'pull']);
    const members = await world.log.read(0, 10_000);
    for (const { changes } of clients) {
      expectMembers(changes, members);
      expect(statesOf(changes.map(({ member }) => member as Member))).toEqual(statesOf(members));
    }
    expect(statesOf(members)).toHaveLength(12);
    await Promise.all(clients.map((client) => client.close()));
    await world.close();
  });

  test('GTFS-11 New York without a key of its own: the two trains of one trip are kept apart and reported', async () => {
    const world = await liveWorld({ intervalMs: 60_000 });
    for (const path of recordings('nyct-ace-sequence').slice(0, 3)) {
      const body = recording(path);
      const event = await world.poll(body);
      const collisions = Object.entries((event as { findings: Record<string, number> }).findings).filter(([name]) =>
        name.includes('collision'),
      );
      expect(collisions.reduce((sum, [, count]) => sum + count, 0)).toBe(2);
      expect(await world.log.readLatest()).toHaveLength(entitiesOf(body).length);
    }
    await world.close();
  });

  test.each([
    ['mbta/VehiclePositions-live.pb', 785],
    ['mbta/vehiclepositions.pb', 48],
    ['mbta/tripupdates.pb', 49],
    ['mbta/alerts.pb', 51],
    ['bustang/bustang.pb', 6],
    ['raba/raba-trip-updates.pb', 9],
    ['raba/raba-vehicle-positions.pb', 22],
    ['barcelona/tripupdates.pb', 38],
    ['aomori/TripUpdate.pb', 35],
    ['aomori/VehiclePosition.pb', 37],
  ])('GTFS-30 %s: %i entities live, and a repetition changes nothing', async (path, entities) => {
    const world = await liveWorld({ intervalMs: 20_000 });
    const clients = [0.5, 120].map((mal) => readInBackground(world.url, mal, world.time));
    expect(await world.poll(recording(path))).toMatchObject({ kind: 'accepted', upserts: entities });
    expect(await world.poll(recording(path))).toMatchObject({ kind: 'unchanged' });
    const latest = await world.log.readLatest();
    expect(latest).toHaveLength(entities);
    await Promise.all(clients.map((client) => client.reach(formatCursor(world.log.head.cursor))));
    for (const { changes } of clients) expectMembers(changes, latest);
    await Promise.all(clients.map((client) => client.close()));
    await world.close();
  });
});
