import { decodeFeed } from '@ldes-live/sources';
import { recogniseCsv } from './recognise-csv.ts';
import { recogniseJson } from './recognise-json.ts';
import type { Recognition } from './recognition.ts';

/** Characters that no text has, but every binary format soon. */
const BINARY = /[^\P{Cc}\t\n\r]/u;

/**
 * What a sample is, told by its bytes alone.
 *
 * @returns `undefined` where it is nothing that is known
 */
export function recognise(bytes: Uint8Array): Recognition | undefined {
  const { text, charset } = decoded(bytes);
  const start = text.trimStart();
  if (start.startsWith('<')) return { ...recogniseXml(start), reading: { format: 'xml' } };
  const json = recogniseJson(start);
  if (json) return json;
  if (BINARY.test(text.slice(0, 2000))) return isGtfsRt(bytes) ? GTFS_RT : undefined;
  return recogniseCsv(start, charset) ?? (isGtfsRt(bytes) ? GTFS_RT : undefined);
}

const GTFS_RT: Recognition = { source: 'gtfsrt', because: 'it is a GTFS-Realtime message in Protocol Buffers' };

function isGtfsRt(bytes: Uint8Array): boolean {
  try {
    decodeFeed(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The text of bytes in UTF-8, or else in the encoding of older spreadsheets, which takes any bytes. */
function decoded(bytes: Uint8Array): { text: string; charset?: string } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), charset: 'windows-1252' };
  }
}

function recogniseXml(start: string): Pick<Recognition, 'source' | 'because'> {
  const isDatex = /datex2\.eu|d2LogicalModel/i.test(start.slice(0, 4000));
  return { source: 'xml', because: isDatex ? 'it is XML of DATEX II' : 'it is XML' };
}
