/*
 * `sources`: what it costs to take live data in. A GTFS-Realtime feed is polled until what changed has been read from an
 * event stream, beside decoding the feed alone; a document is mapped, beside jsonld.toRDF; one request posts very many
 * members to a log on disk.
 *
 *   { "measurement": "feed", "subject": "ldes-live", "at": { "changed": 1000, "what": "visible update" },
 *     "values": { "p50Ms": 41.2, "p99Ms": 60.3 } }
 *   { "measurement": "ingest", "values": { "membersPerSecond": 21000, "stored": 1000000, "ownBytes": 210000000 } }
 */
import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment, Lab, Measured } from '../experiment.ts';
import { Histogram } from '../histogram.ts';
import { packageVersions } from '../machine.ts';
import { SERVER_CORE, startChild } from '../processes.ts';
import { monotonicMicros } from '../timing.ts';
import type { FeedReport, IngestReport, MappingReport, Place, SourcesRole } from './sources-process.ts';

interface SourcesPlan {
  /** Of the feed; how many of them have changed at each poll. */
  readonly feedEntities: number;
  readonly feedChanged: readonly number[];
  readonly feedPolls: number;
  readonly pollMs: number;
  /** Polls before those that count. */
  readonly feedWarmUp: number;
  /** Records of a mapped document, of five properties each. */
  readonly stations: number;
  readonly repeats: number;
  /** Versions that are posted in one request, and of how many entities. */
  readonly members: number;
  readonly entities: number;
}

const FULL: SourcesPlan = {
  feedEntities: 1000,
  feedChanged: [1000, 100],
  feedPolls: 60,
  pollMs: 500,
  feedWarmUp: 20,
  stations: 500,
  repeats: 9,
  members: 1_000_000,
  entities: 10_000,
};
const QUICK: SourcesPlan = {
  ...FULL,
  feedPolls: 4,
  feedWarmUp: 2,
  repeats: 1,
  members: 2000,
  entities: 100,
};

const OURS = 'ldes-live';
const TO_RDF = 'jsonld.toRDF';
const [VISIBLE, READ, DECODE] = ['visible update', 'read to quads', 'decode alone'];
const START_SECONDS = 1;
/** Members that one request stores, a second; and what a round of mapping takes. */
const [STORED_PER_SECOND, MAPPING_SECONDS] = [7000, 1];
const FEED_REPEATS = 3;

const FEED = { measurement: 'feed' };
const CHANGED = { key: 'changed', title: 'Entities that changed' };

/** What it costs to take live data in. */
export const SOURCES: Experiment<SourcesPlan> = {
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
    return measurement === 'mapping' ? mapDocuments(plan, lab) : postMembers(plan, lab);
  },
  versions: () => packageVersions(['jsonld']),
  ratios: [
    { of: { ...FEED, at: { what: VISIBLE } }, value: 'p50Ms', over: { at: { what: DECODE } } },
    { of: { measurement: 'mapping', subject: TO_RDF }, value: 'documentMs', over: { subject: OURS } },
  ],
  views: [
    {
      kind: 'density',
      title: 'From a polled feed to an update that its reader has',
      of: FEED,
      histogram: 'delay',
      x: 'Delay, ms',
      rows: CHANGED,
      series: { what: '' },
    },
    {
      kind: 'table',
      title: 'From a polled feed to an update that its reader has',
      of: FEED,
      rows: { changed: CHANGED.title, what: 'What' },
      columns: [
        { value: 'p50Ms', title: 'p50, ms' },
        { value: 'p99Ms', title: 'p99, ms' },
        { value: 'p50Ms', title: 'p50 ÷ decode alone', over: { at: { what: DECODE } } },
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

function start<Started>(role: SourcesRole) {
  return startChild<Started>(MODULE, role, SERVER_CORE);
}

async function pollFeed(changed: number, plan: SourcesPlan): Promise<readonly Measured[]> {
  const { feedEntities: entities, feedPolls, feedWarmUp, pollMs } = plan;
  const server = await start<Place>({ role: 'feed', entities, changed, pollMs });
  try {
    const { port, path } = server.started;
    const [response] = (await once(get({ port, host: '127.0.0.1', path: `${path}/events` }), 'response')) as [
      IncomingMessage,
    ];
    // When each event was there as a whole, by its id.
    const visibleMicros = new Map<string, number>();
    let rest = '';
    response.setEncoding('latin1').on('data', (chunk: string) => {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const id = /^id: ?(\S+)$/m.exec(block)?.[1];
        if (id !== undefined) visibleMicros.set(id, monotonicMicros());
      }
    });
    await sleep(feedWarmUp * pollMs);
    await server.ask({});
    await sleep(feedPolls * pollMs);
    const { polls, decodeMs, readMs } = await server.ask<FeedReport>({});
    await sleep(pollMs);
    const delays = polls.flatMap(({ startMicros, cursor }) => {
      const micros = visibleMicros.get(cursor);
      return micros === undefined ? [] : [(micros - startMicros) / 1000];
    });
    const counts = { polls: polls.length, lost: polls.length - delays.length };
    return [delaysOf(VISIBLE, delays, counts), delaysOf(READ, readMs), delaysOf(DECODE, decodeMs)];
  } finally {
    await server.close();
  }
}

function delaysOf(what: string, all: readonly number[], counts: Measured['values'] = {}): Measured {
  const delay = new Histogram();
  for (const ms of all) delay.note(ms * 1000);
  const [p50Ms, p99Ms] = [delay.percentileMs(0.5), delay.percentileMs(0.99)];
  return { at: { what }, values: { p50Ms, p99Ms, ...counts }, histograms: { delay: delay.encode() } };
}

/** The first rounds are slower: what is compared is a server that runs. */
const WARM_UP = 5;

async function mapDocuments({ stations }: SourcesPlan, lab: Lab): Promise<readonly Measured[]> {
  const child = await lab.shared('mapping', async () => {
    const started = await start<object>({ role: 'mapping', stations });
    for (let round = 0; round < WARM_UP; round += 1) await started.ask({});
    return started;
  });
  const { quads, mappingMs, toRdfMs } = await child.ask<MappingReport>({});
  return [{ values: { documentMs: mappingMs, quads } }, { subject: TO_RDF, values: { documentMs: toRdfMs, quads } }];
}

const TOKEN = 'token-of-one-measurement';
/** Members in a piece of the body. */
const PIECE = 200;

async function postMembers({ members, entities }: SourcesPlan, { folder }: Lab): Promise<Measured> {
  const server = await start<Place>({ role: 'ingest', folder, token: TOKEN });
  try {
    const startMs = performance.now();
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/n-quads' };
    const post = request({ ...server.started, host: '127.0.0.1', method: 'POST', headers });
    const answered = once(post, 'response');
    let bodyBytes = 0;
    for (let first = 0; first < members; first += PIECE) {
      const count = Math.min(PIECE, members - first);
      const piece = Array.from({ length: count }, (_, index) => observationLines(first + index, entities)).join('');
      bodyBytes += Buffer.byteLength(piece);
      // Who is refused is answered before the body has ended.
      if (!post.write(piece)) await Promise.race([once(post, 'drain'), answered]);
    }
    post.end();
    const [response] = (await answered) as [IncomingMessage];
    const answer = await text(response);
    const tookMs = performance.now() - startMs;
    if (response.statusCode !== 201 && response.statusCode !== 200) throw new Error(`The server answered ${answer}`);
    const { stored = 0 } = JSON.parse(answer) as { readonly stored?: number };
    const { members: held, cpuMicros, ...memory } = await server.ask<IngestReport>({});
    if (held !== stored) throw new Error(`${stored} members are stored by the answer, ${held} by the log`);
    const membersPerSecond = (stored * 1000) / tookMs;
    return { values: { stored, membersPerSecond, bodyBytes, cpuMicros: cpuMicros / members, ...memory } };
  } finally {
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
