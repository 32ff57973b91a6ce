import { crc32 } from 'node:zlib';
import type { TransitNetwork } from './transit-network.ts';

/** The timetable of a network as an agency would publish it: the zip of a static GTFS, without its trips. */
export function demoTimetable({ agency, lines }: TransitNetwork): Uint8Array {
  const stops = new Map(lines.flatMap(({ routes: [out] }) => out.stops.map((stop) => [stop.id, stop])));
  return storedZip({
    'agency.txt': csv(
      ['agency_id', 'agency_name', 'agency_url', 'agency_timezone', 'agency_lang'],
      [[agency, 'Lindermonde Transit', 'https://lindermonde.example/', 'Etc/UTC', 'en']],
    ),
    'routes.txt': csv(
      ['route_id', 'agency_id', 'route_short_name', 'route_long_name', 'route_type', 'route_color', 'route_text_color'],
      lines.map(({ id, routeType, color, routes: [{ stops }] }) => {
        const name = `${stops[0]?.name} - ${stops.at(-1)?.name}`;
        return [id, agency, id, name, routeType, color, 'ffffff'];
      }),
    ),
    'stops.txt': csv(
      ['stop_id', 'stop_name', 'stop_lat', 'stop_lon'],
      [...stops.values()].map(({ id, name, latitude, longitude }) => [
        id,
        name,
        latitude.toFixed(6),
        longitude.toFixed(6),
      ]),
    ),
  });
}

/** CSV of values that need no quotes. */
function csv(
  ...[columns, rows]: [columns: readonly string[], rows: readonly (readonly (string | number)[])[]]
): string {
  return [columns, ...rows].map((row) => `${row.join()}\n`).join('');
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
    // Version 2.0, no flags, stored, the first day that a zip knows, then checksum and sizes.
    const facts = [u16(20), u16(0), u16(0), u16(0), u16(0x21), u32(crc32(bytes)), u32(bytes.length), u32(bytes.length)];
    const lengths = [u16(name.length), u16(0)];
    const entry = [Buffer.from('PK\x03\x04'), ...facts, ...lengths, Buffer.from(name), bytes];
    // No comment, the first disk, no attributes, and where the file is.
    const place = [u16(0), u16(0), u16(0), u32(0), u32(offset)];
    directory.push(Buffer.from('PK\x01\x02'), u16(20), ...facts, ...lengths, ...place, Buffer.from(name));
    contents.push(...entry);
    offset += Buffer.concat(entry).length;
  }
  const count = u16(Object.keys(files).length);
  const directoryBytes = u32(Buffer.concat(directory).length);
  const end = [Buffer.from('PK\x05\x06'), u16(0), u16(0), count, count, directoryBytes, u32(offset), u16(0)];
  return Buffer.concat([...contents, ...directory, ...end]);
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
