/*
 * A city that is made up, over HTTP on loopback: vehicles as GTFS-Realtime, sensors as JSON. Each good answer is another state.
 *
 *   const city = await openCity({ vehicles: 300, sensors: 60 }, random)
 *   city.outage = 'cut'            // the next answers break off
 *   city.good.vehicles             // 1800: answers that a poll may count
 *
 * A vehicle is labelled with the instant of its answer, as readers of a load look for it. All vehicles move with each answer,
 * so each commit has one version of each. Sensors come and go: their stream has deletes too.
 */
import { createServer, type ServerResponse } from 'node:http';
import { encodeFeed } from '@ldes-live/sources';
import { listen } from '../processes.ts';
import { monotonicMicros, stamp } from '../timing.ts';

/** How a feed may fail: a status of 500, no answer, a body that breaks off, bytes that are no feed. */
export const OUTAGES = ['status', 'silence', 'cut', 'rubbish'] as const;
type Outage = (typeof OUTAGES)[number];

export interface City {
  readonly port: number;
  /** How both feeds fail; `undefined` while they do not. */
  outage: Outage | undefined;
  /** Whether the feeds stand still: each answer is the last one again. */
  isStill: boolean;
  /** Answers with another state that were sent whole. */
  readonly good: { vehicles: number; sensors: number };
  /** Answers that failed. */
  failed: number;
  close(): void;
}

/** Digits of the number of a vehicle, as a load puts it into a path. */
const ID_DIGITS = 6;

/** Opens both feeds: `/vehicles.pb` and `/sensors.json`. */
export async function openCity(
  sizes: { readonly vehicles: number; readonly sensors: number },
  random: () => number,
): Promise<City> {
  const states = { vehicles: vehicleStates(sizes.vehicles), sensors: sensorStates(sizes.sensors, random) };
  const last: { vehicles?: Uint8Array; sensors?: Uint8Array } = {};
  const answer = (name: 'vehicles' | 'sensors', response: ServerResponse) => {
    if (city.outage !== undefined) {
      city.failed += 1;
      fail(response, city.outage, last[name]);
      return;
    }
    const isNew = !city.isStill || last[name] === undefined;
    if (isNew) last[name] = states[name]();
    const body = last[name] as Uint8Array;
    response.writeHead(200, { 'content-length': body.length }).end(body, () => {
      if (isNew) city.good[name] += 1;
    });
  };
  const server = createServer(({ url }, response) => {
    if (url === '/vehicles.pb') answer('vehicles', response);
    else if (url === '/sensors.json') answer('sensors', response);
    else response.writeHead(404).end();
  });
  const city: City = {
    port: await listen(server),
    outage: undefined,
    isStill: false,
    good: { vehicles: 0, sensors: 0 },
    failed: 0,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return city;
}

function fail(response: ServerResponse, outage: Outage, body: Uint8Array = Buffer.from('[]')): void {
  switch (outage) {
    case 'status':
      response.writeHead(500).end('out of order');
      break;
    case 'silence':
      // Whoever asks gives up.
      break;
    case 'cut':
      response.writeHead(200, { 'content-length': body.length }).write(body.subarray(0, body.length / 2));
      setTimeout(() => response.destroy(), 20);
      break;
    case 'rubbish':
      response.writeHead(200).end(Buffer.alloc(body.length, 0xa7));
  }
}

function vehicleStates(count: number): () => Uint8Array {
  let turn = 0;
  return () => {
    turn += 1;
    const label = stamp(monotonicMicros());
    const entity = Array.from({ length: count }, (_, index) => {
      const id = String(index).padStart(ID_DIGITS, '0');
      const bearing = (index * 7 + turn * 11) % 360;
      const position = { latitude: 51 + index / 10_000, longitude: 4 + (turn % 1000) / 10_000, bearing };
      return { id, vehicle: { vehicle: { id, label }, trip: { trip_id: `t${index}`, route_id: 'r1' }, position } };
    });
    const header = {
      gtfs_realtime_version: '2.0',
      incrementality: 'FULL_DATASET' as const,
      timestamp: Math.floor(Date.now() / 1000),
    };
    return encodeFeed({ header, entity });
  };
}

/** The share of sensors that are not there, of each answer others. */
const AWAY_SHARE = 0.05;

function sensorStates(count: number, random: () => number): () => Uint8Array {
  let turn = 0;
  return () => {
    turn += 1;
    const all = Array.from({ length: count }, (_, id) => ({ id, level: (id + turn) % 100, turn }));
    return Buffer.from(JSON.stringify(all.filter(() => random() >= AWAY_SHARE)));
  };
}
