/*
 * `sources`: what it costs to take live data in. A GTFS-Realtime feed is polled until what changed has been read from an
 * event stream, step by step, beside decoding the feed alone; a document is mapped, beside jsonld.toRDF; one request posts
 * very many members to a log on disk.
 *
 *   { "measurement": "feed", "at": { "changed": 1000 }, "values": { "decodeMs": 2.1, "readMs": 24, "visibleMs": 55, ... } }
 *   { "measurement": "ingest", "values": { "membersPerSecond": 21000, "stored": 1000000, "ownBytes": 210000000 } }
 */
import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SseParser } from '@ldes-live/rdf-stream';
import type { Experiment, Lab, Measured } from '../experiment.ts';
import { spread } from '../figures.ts';
import { Histogram } from '../histogram.ts';
import { packageVersions } from '../machine.ts';
import { askOnce, SERVER_CORE, startChild } from '../processes.ts';
import { TOKEN } from '../subjects/workloads.ts';
import { monotonicMicros } from '../timing.ts';
import type { FeedReport, IngestReport, MappingReport, Place, SourcesRole } from './sources-process.ts';

const FULL = {
  /** Of the feed; how many of them have changed at each poll. */
  feedEntities: 1000,
  feedChanged: [1000, 100],
  feedPolls: 60,
  pollMs: 500,
  /** Polls before those that count. */
  feedWarmUp: 20,
  /** Records of a mapped document, of five properties each. */
  stations: 500,
  repeats: 9,
  /** Versions that are posted in one request, and of how many entities. */
  members: 1_000_000,
  entities: 10_000,
};
type Plan = typeof FULL;
const QUICK: Plan = { ...FULL, feedPolls: 4, feedWarmUp: 2, repeats: 1, members: 2000, entities: 100 };

const OURS = 'ldes-live';
const TO_RDF = 'jsonld.toRDF';
const START_SECONDS = 1;
/** Members that one request stores, a second; and what a round of mapping takes. */
const [STORED_PER_SECOND, MAPPING_SECONDS] = [7000, 3];
const FEED_REPEATS = 3;

const FEED = { measurement: 'feed' };

/** What it costs to take live data in. */
export const SOURCES: Experiment<Plan> = {
  name: 'sources',
  title: 'What it costs to take live data in',
  about: 'what it costs to take live data in: feeds, mappings, posts',
  measurements: ['feed', 'mapping', 'ingest'],
  options: [],
  plan: ({ quick }) => (quick ? QUICK : FULL),
  cells: ({ feedChanged, feedPolls, feedWarmUp, pollMs, repeats, members }) => [
    ...feedChanged.map((changed) => {
      const seconds = START_SECONDS + ((feedPolls + feedWarmUp) * pollMs) / 1000;
      return { ...FEED, subject: OURS, at: { changed }, repeats: Math.min(FEED_REPEATS, repeats), seconds };
    }),
    { measurement: 'mapping', subject: OURS, at: {}, repeats, seconds: MAPPING_SECONDS },
    { measurement: 'ingest', subject: OURS, at: {}, seconds: START_SECONDS + members / STORED_PER_SECOND },
  ],
  measure: ({ measurement, at }, plan, lab) => {
    if (measurement === 'feed') return pollFeed(Number(at.changed), plan);
    return measurement === 'mapping' ? mapDocuments(plan) : postMembers(plan, lab);
  },
  versions: () => packageVersions(['jsonld']),
  ratios: [
    { of: FEED, value: 'visibleMs', overValue: 'decodeMs' },
    { of: { measurement: 'mapping', subject: TO_RDF }, value: 'documentMs', over: { subject: OURS } },
  ],
  views: [
    {
      kind: 'density',
      title: 'From a polled feed to an update that its reader has',
      of: FEED,
      histogram: 'delay',
      x: 'Delay, ms',
      rows: { key: 'changed', title: 'Entities that changed' },
      series: { subject: '' },
    },
    {
      kind: 'table',
      title: 'From a polled feed to an update that its reader has: medians of the polls of a round, ms',
      of: FEED,
      rows: { changed: 'Entities that changed' },
      columns: [
        { value: 'decodeMs', title: 'Decode alone: protobuf to objects' },
        { value: 'readMs', title: 'Source: protobuf to members' },
        { value: 'appendMs', title: 'Log' },
        { value: 'pushMs', title: 'Push' },
        { value: 'visibleMs', title: 'Visible update' },
        { value: 'p99Ms', title: 'Visible update, p99' },
        { value: 'readMs', title: 'Source ÷ decode alone', overValue: 'decodeMs' },
        { value: 'visibleMs', title: 'Visible ÷ decode alone', overValue: 'decodeMs' },
        { value: 'polls', title: 'Polls', isTotal: true },
        { value: 'lost', title: 'Never visible', isTotal: true },
      ],
    },
    {
      kind: 'table',
      title: 'A document of stations to quads',
      of: { measurement: 'mapping' },
      rows: { subject: 'By' },
      columns: [
        { value: 'documentMs', title: 'ms' },
        { value: 'quads', title: 'Quads' },
        { value: 'documentMs', title: 'ms ÷ ldes-live', over: { subject: OURS } },
      ],
    },
    {
      kind: 'table',
      title: 'One request of very many members as N-Quads to a log on disk',
      of: { measurement: 'ingest' },
      rows: { subject: 'Server' },
      columns: [
        { value: 'stored', title: 'Stored' },
        { value: 'membersPerSecond', title: 'Members/s' },
        { value: 'bodyBytes', per: 1024 ** 2, title: 'Body, MiB' },
        { value: 'cpuMicros', title: 'CPU, µs a member' },
        { value: 'ownBytes', per: 1024 ** 2, title: 'Memory of its own at most, MiB' },
        { value: 'residentBytes', per: 1024 ** 2, title: 'With the mapped file, MiB' },
      ],
    },
  ],
};

const MODULE = new URL('./sources-process.js', import.meta.url);

function startServer(role: SourcesRole) {
  return startChild<Place>(MODULE, role, SERVER_CORE);
}

async function pollFeed(changed: number, plan: Plan): Promise<Measured> {
  const { feedEntities: entities, feedPolls, feedWarmUp, pollMs } = plan;
  const server = await startServer({ role: 'feed', entities, changed, pollMs });
  try {
    const events = get({ ...server.started, path: `${server.started.path}/events` });
    const [response] = (await once(events, 'response')) as [IncomingMessage];
    // When each event was there as a whole, by its id.
    const visibleMicros = new Map<string, number>();
    const parser = new SseParser({ onEvent: ({ id }) => void visibleMicros.set(id, monotonicMicros()) });
    response.on('data', (bytes: Buffer) => parser.push(bytes));
    await sleep(feedWarmUp * pollMs);
    await server.ask({});
    await sleep(feedPolls * pollMs);
    const { polls, decodeMs } = await server.ask<FeedReport>({});
    await sleep(pollMs);
    const seen = polls.flatMap(({ bodyMicros, cursor, ...steps }) => {
      const micros = visibleMicros.get(cursor);
      return micros === undefined ? [] : [{ ...steps, visibleMs: (micros - bodyMicros) / 1000 }];
    });
    const median = (step: (poll: (typeof seen)[number]) => number) => spread(seen.map(step)).median;
    const lost = polls.length - seen.length;
    const { values, histograms } = Histogram.ofMs(seen.map(({ visibleMs }) => visibleMs)).cell(lost);
    const { p50Ms, ...late } = values;
    return {
      values: {
        decodeMs: spread(decodeMs).median,
        readMs: median(({ readMs }) => readMs),
        appendMs: median(({ appendMs }) => appendMs),
        pushMs: median(({ visibleMs, readMs, appendMs }) => visibleMs - readMs - appendMs),
        ...(p50Ms !== undefined && { visibleMs: p50Ms }),
        ...late,
        polls: polls.length,
        lost,
      },
      histograms,
    };
  } finally {
    await server.close();
  }
}

async function mapDocuments({ stations }: Plan): Promise<readonly Measured[]> {
  const { quads, mappingMs, toRdfMs } = await askOnce<MappingReport>(
    MODULE,
    { role: 'mapping', stations },
    SERVER_CORE,
  );
  return [{ values: { documentMs: mappingMs, quads } }, { subject: TO_RDF, values: { documentMs: toRdfMs, quads } }];
}

/** Members in a piece of the body. */
const PIECE = 200;

async function postMembers({ members, entities }: Plan, { folder }: Lab): Promise<Measured> {
  const server = await startServer({ role: 'ingest', folder });
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/n-quads' };
  const post = request({ ...server.started, method: 'POST', headers });
  let bodyBytes = 0;
  const pieces = function* () {
    for (let first = 0; first < members; first += PIECE) {
      const count = Math.min(PIECE, members - first);
      const piece = Array.from({ length: count }, (_, index) => observationLines(first + index, entities)).join('');
      bodyBytes += Buffer.byteLength(piece);
      yield piece;
    }
  };
  try {
    const startMs = performance.now();
    // Who is refused is answered before the body has ended; what is sent after that fails.
    Readable.from(pieces())
      .pipe(post)
      .on('error', () => undefined);
    const [response] = (await once(post, 'response')) as [IncomingMessage];
    const answer = await text(response);
    const tookMs = performance.now() - startMs;
    if (response.statusCode !== 201 && response.statusCode !== 200) throw new Error(`The server answered ${answer}`);
    const { stored = 0 } = JSON.parse(answer) as { readonly stored?: number };
    const { members: held, cpuMicros, ...memory } = await server.ask<IngestReport>({});
    if (held !== stored) throw new Error(`${stored} members are stored by the answer, ${held} by the log`);
    const membersPerSecond = (stored * 1000) / tookMs;
    return { values: { stored, membersPerSecond, bodyBytes, cpuMicros: cpuMicros / members, ...memory } };
  } finally {
    post.destroy();
    await server.close();
  }
}

/** An observation of one of so many sensors as N-Quads: a version with an IRI of its own. */
function observationLines(number: number, entities: number): string {
  const version = `<http://city.example/id/observations/${number}>`;
  const sensor = `<http://city.example/id/sensors/${number % entities}>`;
  const time = new Date(1_700_000_000_000 + number * 1000).toISOString();
  return [
    `${version} <http://purl.org/dc/terms/isVersionOf> ${sensor} .`,
    `${version} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/sosa/Observation> .`,
    `${version} <http://www.w3.org/ns/sosa/madeBySensor> ${sensor} .`,
    `${version} <http://www.w3.org/ns/sosa/hasSimpleResult> "${(number * 7919) % 10_000}.5"^^<http://www.w3.org/2001/XMLSchema#decimal> .`,
    `${version} <http://www.w3.org/ns/sosa/resultTime> "${time}"^^<http://www.w3.org/2001/XMLSchema#dateTime> .`,
    '',
  ].join('\n');
}
