/*
 * The processes of `sources`: a server that polls a feed, one that takes posts, and the mapping of a document.
 *
 *   { "role": "feed", "entities": 1000, "changed": 100 }  -> Place   order {} -> FeedReport of the polls since the last order
 *   { "role": "ingest", "folder": ... }                   -> Place   order {} -> IngestReport
 *   { "role": "mapping", "stations": 500 }                order {} -> { mappingMs, toRdfMs, quads }
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createMemoryStore, openLmdbStore } from '@ldes-live/log';
import { describeStream, formatCursor } from '@ldes-live/rdf-stream';
import { createLiveServer, hashToken, type LiveStream } from '@ldes-live/server';
import {
  compileMapping,
  createGtfsRtSource,
  decodeFeed,
  encodeFeed,
  type FeedMessage,
  type Mapping,
  type Source,
} from '@ldes-live/sources';
import { ownMemory } from '../machine.ts';
import { answerOrders, planOf } from '../processes.ts';
import { TOKEN } from '../subjects/workloads.ts';
import { monotonicMicros } from '../timing.ts';

/** What the process is to do. */
export type SourcesRole =
  | { readonly role: 'feed'; readonly entities: number; readonly changed: number; readonly pollMs: number }
  | { readonly role: 'ingest'; readonly folder: string }
  | { readonly role: 'mapping'; readonly stations: number };

/** Where a server is found. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

/** Polls of a feed of which each brought changes. */
export interface FeedReport {
  readonly polls: readonly {
    /** When its body was there. */
    readonly bodyMicros: number;
    /** From then until the source had made members of it, and from then until the log had them. */
    readonly readMs: number;
    readonly appendMs: number;
    /** Up to where the log reached then. */
    readonly cursor: string;
  }[];
  /** Decoding the same bodies to objects, and nothing else. */
  readonly decodeMs: readonly number[];
}

/** What a server took that members were posted to, with the most memory. */
export type IngestReport = Readonly<Record<'members' | 'cpuMicros' | 'ownBytes' | 'residentBytes', number>>;

/** How long a document takes either way, and what both make of it. */
export type MappingReport = Awaited<ReturnType<typeof mapDocuments>>;

const HOST = '127.0.0.1';
const PUBLIC_URL = 'http://localhost:3000/';
const ENVIRONMENT = { clock: Date.now, random: Math.random };

/** A feed of vehicles, of which so many have moved since the poll before. */
function feedOf(entities: number, changed: number, poll: number): FeedMessage {
  const seconds = Math.floor(Date.now() / 1000);
  return {
    header: { gtfs_realtime_version: '2.0', incrementality: 'FULL_DATASET', timestamp: seconds },
    entity: Array.from({ length: entities }, (_, number) => {
      const moves = number < changed ? poll : 0;
      return {
        id: `vehicle-${number}`,
        vehicle: {
          trip: { trip_id: `trip-${number}`, route_id: `route-${number % 40}`, start_date: '20260302' },
          vehicle: { id: `vehicle-${number}`, label: `Vehicle ${number}` },
          position: {
            latitude: 51 + ((number * 37 + moves * 11) % 1000) / 10_000,
            longitude: 3.7 + ((number * 53 + moves * 7) % 1000) / 10_000,
            bearing: (number * 7 + moves * 3) % 360,
            speed: (number + moves) % 25,
          },
          current_stop_sequence: 1 + (number % 30),
          current_status: 'IN_TRANSIT_TO',
          stop_id: `stop-${number % 500}`,
          timestamp: 1_770_000_000 + moves,
        },
      };
    }),
  };
}

/** A log in memory that a feed is polled into; the body is there as soon as it is asked for. */
async function pollFeed({ entities, changed, pollMs }: Extract<SourcesRole, { readonly role: 'feed' }>): Promise<void> {
  const description = describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles' });
  const log = await createMemoryStore(ENVIRONMENT).open(description);
  const nothing = () => ({ polls: [] as FeedReport['polls'][number][], decodeMs: [] as number[] });
  let report = nothing();
  let [poll, bodyMicros, readMs] = [0, 0, 0];
  const sinceBodyMs = () => (monotonicMicros() - bodyMicros) / 1000;
  const fetch = async () => {
    poll += 1;
    const bytes = new Uint8Array(encodeFeed(feedOf(entities, changed, poll)));
    // When all that follows from the poll is over.
    setTimeout(() => {
      const startMs = performance.now();
      decodeFeed(bytes);
      report.decodeMs.push(performance.now() - startMs);
    }, pollMs / 2);
    bodyMicros = monotonicMicros();
    return new Response(bytes, { headers: { 'content-type': 'application/x-protobuf' } });
  };
  const place = { publicUrl: PUBLIC_URL, streamUrl: description.url };
  const source = createGtfsRtSource({ url: 'http://feed.invalid/feed.pb', intervalMs: pollMs, ...place }, { fetch });
  const drafts: Source['drafts'] = async function* (latest, signal) {
    for await (const batch of source.drafts(latest, signal)) {
      readMs = sinceBodyMs();
      yield batch;
    }
  };
  log.subscribe(({ cursor }) => {
    report.polls.push({ bodyMicros, readMs, appendMs: sinceBodyMs() - readMs, cursor: formatCursor(cursor) });
  });
  answerOrders(await listen({ description, log, sources: [{ ...source, drafts }] }), (): FeedReport => {
    const found = report;
    report = nothing();
    return found;
  });
}

async function listen(stream: LiveStream): Promise<Place> {
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams: [stream] });
  const port = await server.listen({ host: HOST, port: 0 });
  return { host: HOST, port, path: new URL(stream.description.url).pathname };
}

const SAMPLE_MS = 50;

/** A log on disk whose stream takes posts. */
async function takePosts(folder: string): Promise<void> {
  const store = await openLmdbStore({ path: folder, ...ENVIRONMENT });
  const description = describeStream({ publicUrl: PUBLIC_URL, name: 'water' });
  const log = await store.open(description);
  const most = { ownBytes: 0, residentBytes: 0 };
  setInterval(() => {
    const { ownBytes, residentBytes } = ownMemory();
    most.ownBytes = Math.max(most.ownBytes, ownBytes);
    most.residentBytes = Math.max(most.residentBytes, residentBytes);
  }, SAMPLE_MS);
  const place = await listen({ description, log, ingest: { tokenHashes: [hashToken(TOKEN)] } });
  answerOrders(place, (): IngestReport => {
    const { user, system } = process.cpuUsage();
    return { members: log.head.cursor.sequence, cpuMicros: user + system, ...most };
  });
}

const EX = 'http://example.org/terms#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';

/** What the fields of a station mean, as a JSON-LD context. */
const STATION_CONTEXT = {
  id: '@id',
  name: `${EX}name`,
  bikes: { '@id': `${EX}bikes`, '@type': `${XSD}integer` },
  charge: { '@id': `${EX}charge`, '@type': `${XSD}decimal` },
  renting: { '@id': `${EX}renting`, '@type': `${XSD}boolean` },
  reported: { '@id': `${EX}reported`, '@type': `${XSD}dateTime` },
} as const;

/** The same as a mapping. */
const STATION_MAPPING: Mapping = {
  records: 'stations[*]',
  subject: '{+id}',
  properties: [
    { path: 'name', predicate: `${EX}name` },
    { path: 'bikes', predicate: `${EX}bikes`, datatype: 'xsd:integer' },
    { path: 'charge', predicate: `${EX}charge`, datatype: 'xsd:decimal' },
    { path: 'renting', predicate: `${EX}renting` },
    { path: 'reported', predicate: `${EX}reported`, convert: 'iso' },
  ],
};

/** Stations of so many, read from their text as those of an API are. */
function stationsOf(count: number, round: number): readonly object[] {
  const stations = Array.from({ length: count }, (_, index) => ({
    id: `${PUBLIC_URL}stations/entities/${index}`,
    name: `Station ${index}`,
    bikes: (index * 7 + round) % 30,
    charge: (((index * 13 + round) % 1000) * 10 + 5) / 100,
    renting: (index + round) % 9 !== 0,
    reported: new Date(1_700_000_000_000 + index * 1000 + round * 60_000).toISOString(),
  }));
  return JSON.parse(JSON.stringify(stations));
}

/** Documents in a row: each way runs as it does where nothing else goes on. The first rows are slower, and do not count. */
const [ROW, WARM_UP_ROWS] = [10, 5];

async function mapDocuments(stations: number) {
  const { default: jsonld } = await import('jsonld');
  // Its types offer callbacks, and know no plain values.
  const toRdf = jsonld.toRDF as unknown as (document: object) => Promise<readonly unknown[]>;
  const compiled = compileMapping(STATION_MAPPING, { publicUrl: PUBLIC_URL, streamUrl: `${PUBLIC_URL}stations` });
  const byMapping = async (all: readonly object[]) => {
    const { entities } = await compiled.map({ document: { stations: all } });
    // A poll asks for all fingerprints, and for the quads of what changed: here of all.
    return entities.reduce((sum, entity) => sum + (entity.fingerprint === '' ? 0 : entity.quads().length), 0);
  };
  const byJsonLd = async (all: readonly object[]) =>
    (await toRdf({ '@context': STATION_CONTEXT, '@graph': all })).length;
  const measured = { quads: 0, mappingMs: 0, toRdfMs: 0 };
  for (let row = 0; row <= WARM_UP_ROWS; row += 1) {
    // Other ones each time: nothing that was remembered of the last may help.
    const documents = Array.from({ length: ROW }, (_, index) => stationsOf(stations, row * ROW + index));
    const [mapped, expanded] = [await timed(documents, byMapping), await timed(documents, byJsonLd)];
    if (mapped.quads !== expanded.quads) throw new Error(`${mapped.quads} quads, and ${expanded.quads} by JSON-LD`);
    Object.assign(measured, { quads: mapped.quads, mappingMs: mapped.documentMs, toRdfMs: expanded.documentMs });
  }
  return measured;
}

/** Quads of a document, and how long it takes, on average. */
async function timed<Document>(documents: readonly Document[], work: (document: Document) => Promise<number>) {
  await sleep(1);
  const startMs = performance.now();
  let quads = 0;
  for (const document of documents) quads += await work(document);
  return { documentMs: (performance.now() - startMs) / documents.length, quads: quads / documents.length };
}

const role = planOf<SourcesRole>();
if (role.role === 'feed') await pollFeed(role);
else if (role.role === 'ingest') await takePosts(role.folder);
else answerOrders({}, () => mapDocuments(role.stations));
