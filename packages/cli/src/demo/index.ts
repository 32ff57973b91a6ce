/*
 * The server of a simulated transit agency: three GTFS-Realtime feeds and the timetable, on a free port of loopback.
 *
 * request -> tick of the clock -> `demoFeeds` -> the feed in Protocol Buffers, gzipped where that is accepted. It is
 * genuine GTFS with ETag and Last-Modified, so that nothing on the way from there is special.
 *
 *     GET /vehicle-positions.pb, If-None-Match: "1-359999900"  ->  304, ETag: "1-359999900"
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, gzipSync } from 'node:zlib';
import { encodeFeed } from '@ldes-live/sources';
import { type DemoFeeds, demoFeeds, TICK_SECONDS, tickAt } from './feeds.ts';
import type { TransitNetwork } from './network.ts';

export { type DemoFeeds, demoFeeds, TICK_SECONDS, tickAt } from './feeds.ts';
export { type TransitNetwork, transitNetwork } from './network.ts';

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

/**
 * Serves the feeds and the timetable of a simulated network.
 *
 * @param clock - the present, epoch milliseconds
 */
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
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const isZipped = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
  const etag = `"${network.seed}-${tick}${isZipped ? '-gzip' : ''}"`;
  const modifiedMs = 1000 * TICK_SECONDS * tick;
  const fields = { etag, 'last-modified': new Date(modifiedMs).toUTCString(), vary: 'accept-encoding' };
  if (isKnown(headers, etag, modifiedMs)) return void response.writeHead(304, fields).end();
  const isTimetable = feed === 'timetable';
  const bytes = isTimetable ? demoTimetable(network) : encodeFeed(demoFeeds(network, tick)[feed]);
  const body = isZipped ? gzipSync(bytes) : bytes;
  response.writeHead(200, {
    ...fields,
    'content-type': isTimetable ? 'application/zip' : 'application/x-protobuf',
    'content-length': body.byteLength,
    ...(isZipped && { 'content-encoding': 'gzip' }),
  });
  response.end(method === 'HEAD' ? undefined : body);
}

/** Whether the client has this state already; the ETag decides where it is sent (RFC 9110, section 13.2.2). */
function isKnown(headers: IncomingMessage['headers'], etag: string, modifiedMs: number): boolean {
  const known = headers['if-none-match'];
  if (known !== undefined) return known === '*' || known.split(/\s*,\s*/).includes(etag);
  return Date.parse(headers['if-modified-since'] ?? '') >= modifiedMs;
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

/**
 * A zip of files that are stored as they are.
 *
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
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
