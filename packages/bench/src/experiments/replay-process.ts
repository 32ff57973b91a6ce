/*
 * The processes of `replay`: a server of finished histories, one of our log, and a reader. Each loads what it measures, and
 * nothing else.
 *
 *   { "role": "histories", "shapes": [{ "name": "ordered-nq", "members": 25000, ... }] }  -> { url: "http://127.0.0.1:4711/" }
 *   { "role": "live", "members": 100000, "entities": 1000 }                                 -> { url }
 *   { "role": "reader", "url": ".../ordered-nq/root.nq", "isOrdered": true, ... }           order {} -> ReadingReport
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { dct, ldes, prov, rdf, tree, xsd } from '@ldes-live/rdf-stream';
import { answerOrders, freePort, planOf } from '../processes.ts';

/** A finished LDES on immutable pages of one size. */
export interface HistoryShape {
  /** Of its folder. */
  readonly name: string;
  readonly members: number;
  readonly pageMembers: number;
  readonly entities: number;
  readonly format: HistoryFormat;
  /** Whether relations say which times their pages hold, so that it can be read in order without reading all of it first. */
  readonly isOrdered: boolean;
}

/** The formats that histories are written in, by the ends of their files' names. */
export type HistoryFormat = 'nq' | 'ttl';

/** What the process is to do. */
export type ReplayRole =
  | { readonly role: 'histories'; readonly shapes: readonly HistoryShape[] }
  | { readonly role: 'live'; readonly members: number; readonly entities: number }
  | ReaderRole;

/** What is to be read from its beginning to its end. */
export interface ReaderRole {
  readonly role: 'reader';
  /** Path of the module of ldes-client, which reads then; absent: our client reads. */
  readonly ldesClient?: string;
  readonly url: string;
  readonly isOrdered: boolean;
  /** Whether it is a stream of our server, which goes on: the reading ends with its last member. */
  readonly isLive: boolean;
  readonly members: number;
  readonly limitMs: number;
}

/** How a history was read. */
export interface ReadingReport {
  readonly elapsedMs: number;
  /** Members that came, each counted once; that came once more; that came after a newer one. */
  readonly members: number;
  readonly doubled: number;
  readonly disordered: number;
  /** The most resident memory. */
  readonly peakBytes: number;
  /** The longest text of the state to save, of ten while reading and the last; absent of a client without one. */
  readonly stateBytes?: number;
}

const HOST = '127.0.0.1';
const MEDIA_TYPES: Readonly<Record<HistoryFormat, string>> = { nq: 'application/n-quads', ttl: 'text/turtle' };
const EX = 'http://example.org/parking#';
const START_MS = Date.UTC(2026, 0, 1);
const STEP_MS = 1000;

/** As N-Triples has its terms. */
type Triple = readonly [subject: string, predicate: string, object: string];

/** Its documents by their paths: the root, and the pages that it leads to. */
function historyDocuments(shape: HistoryShape, origin: string): Map<string, Buffer> {
  const { name, format, members, pageMembers, entities, isOrdered } = shape;
  const base = `${origin}${name}/`;
  const [root, stream] = [`<${base}root.${format}>`, `<${base}root.${format}#stream>`];
  const pages = Array.from({ length: Math.ceil(members / pageMembers) }, (_, page) => page);
  const relation = (page: number, label: string, type: string, bound?: number): Triple[] => [
    [root, `<${tree.relation}>`, `_:${label}${page}`],
    [`_:${label}${page}`, `<${rdf.type}>`, `<${type}>`],
    [`_:${label}${page}`, `<${tree.node}>`, `<${base}page-${page}.${format}>`],
    ...(bound === undefined
      ? []
      : ([
          [`_:${label}${page}`, `<${tree.path}>`, `<${prov.generatedAtTime}>`],
          [`_:${label}${page}`, `<${tree.value}>`, instant(bound)],
        ] as const)),
  ];
  const rootTriples: Triple[] = [
    [stream, `<${rdf.type}>`, `<${ldes.EventStream}>`],
    [stream, `<${ldes.timestampPath}>`, `<${prov.generatedAtTime}>`],
    [stream, `<${ldes.versionOfPath}>`, `<${dct.isVersionOf}>`],
    [stream, `<${tree.view}>`, root],
    [root, `<${rdf.type}>`, `<${tree.Node}>`],
    [root, `<${ldes.immutable}>`, TRUE],
    // Two relations to an ordered page: from its first instant on, and before that of the next page.
    ...pages.flatMap((page) =>
      isOrdered
        ? [
            ...relation(page, 'from', tree.GreaterThanOrEqualToRelation, page * pageMembers),
            ...relation(page, 'to', tree.LessThanRelation, (page + 1) * pageMembers),
          ]
        : relation(page, 'to', tree.Relation),
    ),
  ];
  const pageTriples = (page: number): Triple[] => {
    const length = Math.min(pageMembers, members - page * pageMembers);
    const numbers = Array.from({ length }, (_, index) => page * pageMembers + index);
    return [
      [`<${base}page-${page}.${format}>`, `<${ldes.immutable}>`, TRUE],
      ...numbers.map((number) => [stream, `<${tree.member}>`, `<${base}versions/${number}>`] as const),
      ...numbers.flatMap((number) => memberTriples(base, number, number % entities)),
    ];
  };
  const write = (triples: readonly Triple[]) =>
    Buffer.from(format === 'nq' ? writeNQuads(triples) : writeTurtle(triples));
  return new Map([
    [`/${name}/root.${format}`, write(rootTriples)],
    ...pages.map((page) => [`/${name}/page-${page}.${format}`, write(pageTriples(page))] as const),
  ]);
}

const TRUE = `"true"^^<${xsd.boolean}>`;

/** Eight, as many as a member of our server has. */
function memberTriples(base: string, number: number, entity: number): Triple[] {
  const said = [
    [rdf.type, `<${EX}CarPark>`],
    [dct.isVersionOf, `<${base}entities/${entity}>`],
    [prov.generatedAtTime, instant(number)],
    [`${EX}observedBy`, '<http://example.org/id/sensors/1>'],
    [`${EX}name`, `"Car park ${entity}"`],
    [`${EX}spaces`, `"1000"^^<${xsd.integer}>`],
    [`${EX}vacant`, `"${(number * 37) % 1000}"^^<${xsd.integer}>`],
    [`${EX}operator`, '<http://example.org/id/operators/1>'],
  ] as const;
  return said.map(([predicate, object]) => [`<${base}versions/${number}>`, `<${predicate}>`, object]);
}

function instant(number: number): string {
  return `"${new Date(START_MS + number * STEP_MS).toISOString()}"^^<${xsd.dateTime}>`;
}

function writeNQuads(triples: readonly Triple[]): string {
  return triples.map((triple) => `${triple.join(' ')} .\n`).join('');
}

/** What is said of a subject in a row stands together. */
function writeTurtle(triples: readonly Triple[]): string {
  let subject = '';
  const lines = triples.map(([next, predicate, object]) => {
    const begin = next === subject ? ' ;\n ' : `${subject === '' ? '' : ' .\n'}${next}`;
    subject = next;
    return `${begin} ${predicate} ${object}`;
  });
  return `${lines.join('')} .\n`;
}

async function serveHistories(shapes: readonly HistoryShape[]): Promise<void> {
  const documents = new Map<string, Buffer>();
  const server = createServer(({ url = '/' }, response) => {
    const bytes = documents.get(url);
    if (bytes === undefined) return response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': MEDIA_TYPES[url.slice(url.lastIndexOf('.') + 1) as HistoryFormat],
      'content-length': bytes.length,
      'cache-control': 'public, max-age=604800, immutable',
    });
    return response.end(bytes);
  }).listen(0, HOST);
  await once(server, 'listening');
  const url = `http://${HOST}:${(server.address() as AddressInfo).port}/`;
  for (const shape of shapes) for (const [path, bytes] of historyDocuments(shape, url)) documents.set(path, bytes);
  answerOrders({ url }, () => ({}));
}

/** Members of a commit, each of another entity. */
const COMMIT_MEMBERS = 1000;

/** A log in memory of our server, to which nothing more is published. */
async function serveLive(members: number, entities: number): Promise<void> {
  const { createMemoryStore } = await import('@ldes-live/log');
  const { createLiveServer } = await import('@ldes-live/server');
  const { describeStream } = await import('@ldes-live/rdf-stream');
  const { stampedState } = await import('../subjects/workloads.ts');
  const port = await freePort();
  const publicUrl = `http://${HOST}:${port}/`;
  const description = describeStream({ publicUrl, name: 'parking' });
  const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(description);
  for (let first = 0; first < members; ) {
    const count = Math.min(COMMIT_MEMBERS, entities, members - first);
    const numbers = Array.from({ length: count }, (_, index) => first + index);
    await log.append(numbers.map((number) => stampedState(number % entities, number)));
    first += count;
  }
  const server = await createLiveServer({ publicUrl, streams: [{ description, log }] });
  await server.listen({ host: HOST, port });
  answerOrders({ url: description.url }, () => ({}));
}

const SAMPLE_MS = 20;
const STATES = 10;

/** Watches the memory of this process, and which members of a history come, by their numbers from 0 on. */
function watchReading(members: number) {
  const [seen, startedMs] = [new Uint8Array(members), performance.now()];
  const report = { members: 0, doubled: 0, disordered: 0, peakBytes: 0 };
  let newest = -1;
  const sample = () => {
    report.peakBytes = Math.max(report.peakBytes, process.memoryUsage.rss());
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    report,
    note: (number: number) => {
      if (seen[number] !== 0) {
        report.doubled += 1;
        return;
      }
      seen[number] = 1;
      report.members += 1;
      if (number < newest) report.disordered += 1;
      newest = Math.max(newest, number);
    },
    end: (): ReadingReport => {
      clearInterval(timer);
      sample();
      return { elapsedMs: performance.now() - startedMs, ...report };
    },
  };
}

function numberOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('/') + 1));
}

const MAL_SECONDS = 10;

async function readByOurs({ url, isOrdered, isLive, members, limitMs }: ReaderRole): Promise<ReadingReport> {
  const { createLiveClient } = await import('@ldes-live/client');
  const signal = AbortSignal.timeout(limitMs);
  const order = isOrdered ? 'ascending' : 'none';
  const follower = createLiveClient({ mal: MAL_SECONDS }).follow(url, { from: 'start', order, signal });
  const watch = watchReading(members);
  let stateBytes = 0;
  const weigh = () => {
    stateBytes = Math.max(stateBytes, Buffer.byteLength(JSON.stringify(follower.state)));
  };
  try {
    for await (const { member } of follower) {
      if (!member) continue;
      watch.note(isLive ? member.sequence - 1 : numberOf(member.id));
      if (watch.report.members % Math.ceil(members / STATES) === 0) weigh();
      if (isLive && watch.report.members === members) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  weigh();
  return { ...watch.end(), stateBytes };
}

/** As much of the public package `ldes-client` as is measured here. */
interface LdesClient {
  replicateLDES(
    options: { url: string; polling: boolean },
    order: 'ascending' | 'none',
  ): { stream(strategy: QueuingStrategy): ReadableStream<{ id: { value: string } }> };
}

/** As its README has it. */
async function readByLdesClient(module: string, role: ReaderRole): Promise<ReadingReport> {
  const { url, isOrdered, members, limitMs } = role;
  // It logs to standard output, where the tables of this command go.
  process.env.LOG_LEVEL = 'error';
  const { replicateLDES }: LdesClient = await import(pathToFileURL(module).href);
  const client = replicateLDES({ url, polling: false }, isOrdered ? 'ascending' : 'none');
  const watch = watchReading(members);
  const reader = client.stream({ highWaterMark: 10 }).getReader();
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), limitMs).unref());
  for (;;) {
    const next = await Promise.race([reader.read(), late]);
    if (next === undefined || next.done) return watch.end();
    watch.note(numberOf(next.value.id.value));
  }
}

const role = planOf<ReplayRole>();
if (role.role === 'histories') await serveHistories(role.shapes);
else if (role.role === 'live') await serveLive(role.members, role.entities);
else answerOrders({}, () => (role.ldesClient ? readByLdesClient(role.ldesClient, role) : readByOurs(role)));
