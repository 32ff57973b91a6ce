/*
 * A simulated transit agency: three GTFS-Realtime feeds and the timetable of a simulated city, served on loopback.
 *
 * request -> tick of the clock -> `demoFeeds` (where each vehicle is, how late each trip, which alerts) -> Protocol Buffers,
 * gzipped where that is accepted. Nothing changes between ticks, and each is made of the network and the number of the
 * tick alone. It is genuine GTFS with ETag and Last-Modified, so that nothing on the way from there is special.
 *
 *     GET /vehicle-positions.pb, If-None-Match: "1-359999900"  ->  304, ETag: "1-359999900"
 *     { "id": "vehicle-101", "vehicle": { "trip": { "trip_id": "1-out-0859" }, "position": { "latitude": 51.021,
 *       "longitude": 3.4493, "bearing": 97, "speed": 8.2 }, "current_status": "IN_TRANSIT_TO", "occupancy_percentage": 45 } }
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, gzipSync } from 'node:zlib';
import {
  type Alert,
  encodeFeed,
  type FeedEntity,
  type FeedHeader,
  type FeedMessage,
  type TripDescriptor,
  type VehiclePosition,
} from '@ldes-live/sources';
import {
  type DemoRoute,
  type DemoTrip,
  type DemoVehicle,
  demoDuty,
  type Place,
  placeAt,
  seededUnit,
  type TransitNetwork,
  tripDelay,
} from './network.ts';

export { type TransitNetwork, transitNetwork } from './network.ts';

export interface DemoFeeds {
  readonly vehiclePositions: FeedMessage;
  readonly tripUpdates: FeedMessage;
  readonly alerts: FeedMessage;
}

/** The time between two ticks, in seconds: the demonstration changes on ticks only. */
export const TICK_SECONDS = 5;
/** A vehicle reports its position once in so many ticks, and not all of them at the same ones. */
const TICKS_PER_REPORT = 2;
/** Predictions are made in steps, as dispatch systems do, so that not every trip changes at every tick. */
const DELAY_STEP_SECONDS = 15;
/** Past this share of the way to a stop, a vehicle says that it is arriving. */
const ARRIVING = 0.85;
/** How long the alert that comes and goes is there, and how long it is gone. */
const [ALERT_ON_SECONDS, ALERT_OFF_SECONDS] = [90, 60];

export function tickAt(timeMs: number): number {
  return Math.floor(timeMs / (1000 * TICK_SECONDS));
}

/** What a network tells at a tick, as {@link tickAt} counts them. */
export function demoFeeds(network: TransitNetwork, tick: number): DemoFeeds {
  const { seed, vehicles } = network;
  const timeSeconds = tick * TICK_SECONDS;
  const header: FeedHeader = { gtfs_realtime_version: '2.0', incrementality: 'FULL_DATASET', timestamp: timeSeconds };
  const positions = vehicles.flatMap((vehicle, index) => {
    const reportTick = tick - ((tick + index) % TICKS_PER_REPORT);
    return vehiclePosition(seed, vehicle, reportTick * TICK_SECONDS) ?? [];
  });
  const updates = vehicles.flatMap((vehicle) => tripUpdate(seed, vehicle, timeSeconds) ?? []);
  return {
    vehiclePositions: { header, entity: positions },
    tripUpdates: { header, entity: updates },
    alerts: { header, entity: alerts(network, timeSeconds) },
  };
}

function vehiclePosition(seed: number, vehicle: DemoVehicle, reportedSeconds: number): FeedEntity | undefined {
  const trip = demoDuty(vehicle, reportedSeconds);
  if (!trip) return undefined;
  const { scheduledSeconds, pace } = tripDelay(seed, trip, reportedSeconds);
  const motion = motionAt(trip.route, scheduledSeconds);
  const { latitude, longitude, bearing, stopIndex, status } = motion;
  const occupancyPercentage = occupancy(seed, trip, stopIndex);
  return {
    id: `vehicle-${vehicle.id}`,
    vehicle: {
      trip: tripDescriptor(trip),
      position: { latitude, longitude, bearing, speed: Math.round(10 * motion.speedMetresPerSecond * pace) / 10 },
      current_stop_sequence: stopIndex + 1,
      current_status: status,
      timestamp: reportedSeconds,
      stop_id: (trip.route.stops[stopIndex] as DemoRoute['stops'][number]).id,
      vehicle: { id: vehicle.id, label: vehicle.label },
      occupancy_status: occupancyStatus(occupancyPercentage),
      occupancy_percentage: occupancyPercentage,
    },
  };
}

function tripUpdate(seed: number, vehicle: DemoVehicle, timeSeconds: number): FeedEntity | undefined {
  const trip = demoDuty(vehicle, timeSeconds);
  if (!trip) return undefined;
  const { scheduledSeconds, delaySeconds } = tripDelay(seed, trip, timeSeconds);
  const { stops, arrivalSeconds, departureSeconds } = trip.route;
  // Added to 0, since rounding a small negative number gives -0.
  const delay = 0 + DELAY_STEP_SECONDS * Math.round(delaySeconds / DELAY_STEP_SECONDS);
  const event = (seconds = 0) => ({ delay, time: trip.startSeconds + seconds + delay });
  const stopTimes = stops.map((stop, index) => ({
    stop_sequence: index + 1,
    stop_id: stop.id,
    ...(index > 0 && { arrival: event(arrivalSeconds[index]) }),
    ...(index < stops.length - 1 && { departure: event(departureSeconds[index]) }),
  }));
  return {
    id: `trip-${trip.id}`,
    trip_update: {
      trip: tripDescriptor(trip),
      stop_time_update: stopTimes.slice(departureSeconds.findIndex((departure) => scheduledSeconds <= departure)),
      vehicle: { id: vehicle.id, label: vehicle.label },
      timestamp: timeSeconds,
    },
  };
}

function tripDescriptor({ id, route, startSeconds }: DemoTrip): TripDescriptor {
  const clock = new Date(1000 * startSeconds).toISOString();
  return {
    trip_id: id,
    start_time: clock.slice(11, 19),
    start_date: clock.slice(0, 10).replaceAll('-', ''),
    schedule_relationship: 'SCHEDULED',
    route_id: route.line,
    direction_id: route.directionId,
  };
}

function occupancyStatus(percentage: number): NonNullable<VehiclePosition['occupancy_status']> {
  if (percentage === 0) return 'EMPTY';
  if (percentage < 40) return 'MANY_SEATS_AVAILABLE';
  if (percentage < 65) return 'FEW_SEATS_AVAILABLE';
  return percentage < 95 ? 'STANDING_ROOM_ONLY' : 'FULL';
}

/** Where the timetable has a vehicle, `scheduledSeconds` into a trip: smoothly off from one stop and into the next. */
function motionAt(route: DemoRoute, scheduledSeconds: number) {
  const { stops, segments, arrivalSeconds, departureSeconds } = route;
  const stopIndex = departureSeconds.findIndex((departure) => scheduledSeconds <= departure);
  const { latitude, longitude } = stops[stopIndex] as Place;
  const arrival = arrivalSeconds[stopIndex] as number;
  const isStanding = scheduledSeconds >= arrival;
  const segment = Math.min(isStanding ? stopIndex : stopIndex - 1, segments.length - 1);
  const { bearing: exactBearing, lengthMetres } = segments[segment] as DemoRoute['segments'][number];
  const bearing = Math.round(exactBearing) % 360;
  if (isStanding)
    return { latitude, longitude, bearing, speedMetresPerSecond: 0, stopIndex, status: 'STOPPED_AT' } as const;
  const departure = departureSeconds[stopIndex - 1] as number;
  const travelSeconds = arrival - departure;
  const share = (scheduledSeconds - departure) / travelSeconds;
  const travelled = share * share * (3 - 2 * share);
  return {
    ...placeAt(stops[stopIndex - 1] as Place, exactBearing, travelled * lengthMetres),
    bearing,
    speedMetresPerSecond: (6 * share * (1 - share) * lengthMetres) / travelSeconds,
    stopIndex,
    status: travelled > ARRIVING ? 'INCOMING_AT' : 'IN_TRANSIT_TO',
  } as const;
}

/** Fullest in the middle of a trip, some trips fuller than others; changes at stops only; a multiple of 5. */
function occupancy(seed: number, trip: DemoTrip, stopIndex: number): number {
  const along = Math.sin((Math.PI * stopIndex) / (trip.route.stops.length - 1));
  const demand = 0.3 + 0.7 * seededUnit(seed, 'demand', trip.id);
  const luck = 0.2 * seededUnit(seed, 'luck', trip.id, stopIndex);
  return 5 * Math.round(20 * (0.8 * along * demand + luck));
}

/** An alert that stays, and one that comes and goes, each time for the next line. */
function alerts({ lines }: TransitNetwork, timeSeconds: number): FeedEntity[] {
  const period = ALERT_ON_SECONDS + ALERT_OFF_SECONDS;
  const occurrence = Math.floor(timeSeconds / period);
  const startSeconds = occurrence * period;
  const line = lines[occurrence % lines.length];
  const stop = lines[0]?.routes[0].stops[1];
  if (!line || !stop) return [];
  const works: Alert = {
    informed_entity: [{ stop_id: stop.id }],
    cause: 'CONSTRUCTION',
    effect: 'STOP_MOVED',
    header_text: translated(`${stop.name}: stop moved`, `${stop.name}: halte verplaatst`),
    description_text: translated(
      'Board 80 m further on while the tracks are renewed.',
      'Stap 80 m verderop in zolang de sporen vernieuwd worden.',
    ),
  };
  const fault: Alert = {
    active_period: [{ start: startSeconds }],
    informed_entity: [{ route_id: line.id }],
    cause: 'TECHNICAL_PROBLEM',
    effect: 'SIGNIFICANT_DELAYS',
    header_text: translated(`${line.name}: signal fault`, `${line.name}: seinstoring`),
    description_text: translated('Expect delays of a few minutes.', 'Reken op enkele minuten vertraging.'),
  };
  const isThere = timeSeconds - startSeconds < ALERT_ON_SECONDS;
  return [{ id: 'works', alert: works }, ...(isThere ? [{ id: 'signal-fault', alert: fault }] : [])];
}

function translated(en: string, nl: string): NonNullable<Alert['header_text']> {
  return { translation: Object.entries({ en, nl }).map(([language, text]) => ({ text, language })) };
}

type DemoFeed = keyof DemoFeeds | 'timetable';

const PATHS: Readonly<Record<DemoFeed, string>> = {
  vehiclePositions: '/vehicle-positions.pb',
  tripUpdates: '/trip-updates.pb',
  alerts: '/alerts.pb',
  timetable: '/gtfs.zip',
};

export interface DemoFeedServer {
  url(feed: DemoFeed): string;
  close(): Promise<void>;
}

export async function startDemoFeedServer(network: TransitNetwork, clock: () => number): Promise<DemoFeedServer> {
  const feeds = new Map(Object.entries(PATHS).map(([feed, path]) => [path, feed as DemoFeed]));
  const server = createServer((request, response) => {
    const feed = feeds.get(new URL(request.url ?? '/', 'http://demo').pathname);
    if (feed === undefined) return void response.writeHead(404).end();
    // The timetable is the same at any time.
    answer(network, feed, feed === 'timetable' ? 0 : tickAt(clock()), request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (feed) => `http://127.0.0.1:${port}${PATHS[feed]}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(
  network: TransitNetwork,
  feed: DemoFeed,
  tick: number,
  { headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const isZipped = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
  const etag = `"${network.seed}-${tick}${isZipped ? '-gzip' : ''}"`;
  const modified = new Date(1000 * TICK_SECONDS * tick).toUTCString();
  const fields = { etag, 'last-modified': modified, vary: 'accept-encoding' };
  if (headers['if-none-match'] === etag) return void response.writeHead(304, fields).end();
  const isTimetable = feed === 'timetable';
  const bytes = isTimetable ? demoTimetable(network) : encodeFeed(demoFeeds(network, tick)[feed]);
  const body = isZipped ? gzipSync(bytes) : bytes;
  response.writeHead(200, {
    ...fields,
    'content-type': isTimetable ? 'application/zip' : 'application/x-protobuf',
    'content-length': body.byteLength,
    ...(isZipped && { 'content-encoding': 'gzip' }),
  });
  response.end(body);
}

/** The timetable as an agency would publish it: the zip of a static GTFS, without its trips. */
function demoTimetable({ agency, lines }: TransitNetwork): Uint8Array {
  const stops = new Map(lines.flatMap(({ routes: [out] }) => out.stops.map((stop) => [stop.id, stop])));
  return storedZip({
    'agency.txt': csv(
      ['agency_id', 'agency_name', 'agency_url', 'agency_timezone', 'agency_lang'],
      [agency, 'Lindermonde Transit', 'https://lindermonde.example/', 'Etc/UTC', 'en'],
    ),
    'routes.txt': csv(
      ['route_id', 'agency_id', 'route_short_name', 'route_long_name', 'route_type', 'route_color', 'route_text_color'],
      ...lines.map(({ id, routeType, color, routes: [{ stops: way }] }) => {
        return [id, agency, id, `${way[0]?.name} - ${way.at(-1)?.name}`, routeType, color, 'ffffff'];
      }),
    ),
    'stops.txt': csv(
      ['stop_id', 'stop_name', 'stop_lat', 'stop_lon'],
      ...[...stops.values()].map(({ id, name, latitude, longitude }) => {
        return [id, name, latitude.toFixed(6), longitude.toFixed(6)];
      }),
    ),
  });
}

/** CSV of values that need no quotes. */
function csv(...rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.join()}\n`).join('');
}

/** A zip of files that are stored as they are: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
function storedZip(files: Readonly<Record<string, string>>): Uint8Array {
  const contents: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const bytes = Buffer.from(text);
    const { length } = bytes;
    // Version 2.0, no flags, stored, the first day that a zip knows, then checksum, sizes and lengths of the names.
    const facts = [u16(20, 0, 0, 0, 0x21), u32(crc32(bytes), length, length), u16(name.length, 0)];
    // No comment, the first disk, no attributes, and where the file is.
    const place = [u16(0, 0, 0), u32(0, offset)];
    directory.push(Buffer.from('PK\x01\x02'), u16(20), ...facts, ...place, Buffer.from(name));
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), ...facts, Buffer.from(name), bytes]);
    contents.push(entry);
    offset += entry.length;
  }
  const count = Object.keys(files).length;
  const size = Buffer.concat(directory).length;
  const end = [Buffer.from('PK\x05\x06'), u16(0, 0, count, count), u32(size, offset), u16(0)];
  return Buffer.concat([...contents, ...directory, ...end]);
}

const u16 = (...values: readonly number[]) => littleEndian(2, values);
const u32 = (...values: readonly number[]) => littleEndian(4, values);

function littleEndian(width: number, values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(width * values.length);
  for (const [index, value] of values.entries()) bytes.writeUIntLE(value, width * index, width);
  return bytes;
}
