/* A feed as a large city has it: 2,500 trips of 30 stop times, 630,000 quads. What a commit changes is all that the next
 * document of the latest state costs, and whoever asks for something else meanwhile has their turn. How long it takes is
 * said beside the test (`--reporter=verbose`), with what its client takes in the same process, and not judged: machines
 * differ. LDES_LIVE_FULL=1 makes it as large as that; the gate takes a fifth. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { openLmdbStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { size } from '@ldes-live/test-support/properties';
import { expect, onTestFinished, test } from 'vitest';
import { rtDrafts } from '../support/rt-drafts.ts';

const PUBLIC_URL = 'http://live.example.org/';
const STOPS = 30;
const START_SECONDS = 1_795_600_800;
const TRIPS = size({ gate: 500, night: 2500 });

/** The drafts of trips, as a poll makes them of a feed. */
function tripsOf(numbers: readonly number[], delay: number) {
  return rtDrafts(
    {
      header: { gtfs_realtime_version: '2.0', timestamp: START_SECONDS, incrementality: 'FULL_DATASET' },
      entity: numbers.map((trip) => ({
        id: `t${trip}`,
        trip_update: {
          trip: {
            trip_id: `trip-${trip}`,
            route_id: `route-${trip % 100}`,
            start_date: '20261123',
            start_time: '08:00:00',
          },
          vehicle: { id: `v${trip}`, label: `Bus ${trip}` },
          timestamp: START_SECONDS + delay,
          stop_time_update: Array.from({ length: STOPS }, (_, stop) => ({
            stop_sequence: stop + 1,
            stop_id: `stop-${(trip * 7 + stop) % 3000}`,
            arrival: { delay: delay + stop, time: START_SECONDS + stop * 60 + delay },
            departure: { delay: delay + stop, time: START_SECONDS + stop * 60 + 30 + delay },
          })),
        },
      })),
    },
    { publicUrl: PUBLIC_URL, streamUrl: `${PUBLIC_URL}trips` },
  );
}

test('DOC-6 after a commit the latest state of a large feed is written from what has changed alone', async ({
  annotate,
}) => {
  const description = describeStream({ publicUrl: PUBLIC_URL, name: 'trips' });
  const path = await temporaryFolder();
  const store = await openLmdbStore({ path, clock: Date.now, random: () => 0.5 });
  const log = await store.open(description);
  const streams = [{ description, log }];
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams, logger: false });
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await server.close();
    await store.close();
  });
  const all = Array.from({ length: TRIPS }, (_, trip) => trip);
  let read = 0;
  const { readMembers } = log;
  log.readMembers = (sequences) => {
    read += sequences.length;
    return readMembers.call(log, sequences);
  };
  const loop = monitorEventLoopDelay({ resolution: 1 });
  const get = async (url: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${url}`, { headers: { accept: 'application/ld+json' } });
    expect(response.status).toBe(200);
    return response.text();
  };
  const latest = async () => {
    let turns = 0;
    let isDone = false;
    const others = (async () => {
      for (; !isDone; turns += 1) await setTimeout(1);
    })();
    const cpu = process.cpuUsage();
    loop.reset();
    loop.enable();
    const text = await get('/trips/latest');
    loop.disable();
    isDone = true;
    const { user, system } = process.cpuUsage(cpu);
    await others;
    await annotate(
      `${TRIPS} trips, ${(text.length / 1e6).toFixed(1)} MB, ${read} members read: ${((user + system) / 1000).toFixed(0)} ms of CPU with its client, longest delay of the event loop ${(loop.max / 1e6).toFixed(0)} ms`,
    );
    return { members: JSON.parse(text)['@graph'].find((node: object) => 'tree:member' in node)['tree:member'], turns };
  };
  await log.append(await tripsOf(all, 0));
  const first = await latest();
  expect(first.members).toHaveLength(TRIPS);
  expect(read).toBe(TRIPS);
  expect(first.turns).toBeGreaterThan(3);
  for (let round = 1; round <= 3; round += 1) {
    read = 0;
    const changed = all.filter((trip) => trip % 20 === round);
    await log.append(await tripsOf(changed, round));
    const { members } = await latest();
    expect(members).toHaveLength(TRIPS);
    expect(read).toBe(changed.length);
    expect(members.at(-1)['@id']).toContain(`trip-${changed.at(-1)}`);
  }
}, 120_000);
