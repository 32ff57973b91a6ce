/*
 * The processes of `replay`: a server of finished histories, one of our log, and a reader. Each loads what it measures, and
 * nothing else.
 *
 *   { "role": "histories", "histories": [{ "name": "ordered-ttl", "members": 25000, ... }] }  -> { url: "http://127.0.0.1:4711/" }
 *   { "role": "live", "members": 100000, "entities": 1000 }                                     -> { url }
 *   { "role": "reader", "url": ".../ordered-ttl", "isOrdered": true, ... }                      order {} -> ReadingReport
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  commitDrafts,
  describeStream,
  formats,
  ldes,
  memberQuads,
  nodeQuads,
  rangeQuads,
  streamQuads,
  writeQuads,
} from '@ldes-live/rdf-stream';
import { answerOrders, freePort, planOf } from '../processes.ts';
import { stampedState } from '../subjects/workloads.ts';

/** A finished LDES on immutable pages of one size. */
export interface History {
  readonly name: string;
  readonly members: number;
  readonly pageMembers: number;
  readonly entities: number;
  readonly format: 'nquads' | 'turtle';
  /** Whether relations say which times their pages hold, so that it can be read in order without reading all of it first. */
  readonly isOrdered: boolean;
}

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

/** What the process is to do. */
export type ReplayRole =
  | { readonly role: 'histories'; readonly histories: readonly History[] }
  | { readonly role: 'live'; readonly members: number; readonly entities: number }
  | ReaderRole;

/** How a history was read. */
export type ReadingReport = Awaited<ReturnType<typeof read>>;

const HOST = '127.0.0.1';
const START_MS = Date.UTC(2026, 0, 1);
const STEP_MS = 1000;
/** Length of a remark: a member has one, and so as many quads as one of our server. */
const NOTE_BYTES = 20;
/** What our server says beyond what every LDES does. */
const EXTENSIONS = [ldes.sequencePath, ldes.versionTimestampPath, ldes.versionDeleteObject] as const;

/** Its documents by their URLs: the root, and the pages that it leads to. */
function* documentsOf({ name, members, pageMembers, entities, format, isOrdered }: History, publicUrl: string) {
  const description = describeStream({ publicUrl, name });
  const { url, sequencePath } = description;
  const write = (quads: ReturnType<typeof nodeQuads>) => {
    const common = quads.filter(({ predicate: { value } }) => ![...EXTENSIONS, sequencePath].includes(value));
    return Buffer.from(writeQuads(common, format, {}));
  };
  const timeOf = (number: number) => new Date(START_MS + number * STEP_MS).toISOString();
  const pages = Array.from({ length: Math.ceil(members / pageMembers) }, (_, page) => {
    const [first, end] = [page * pageMembers, Math.min(members, (page + 1) * pageMembers)];
    const times = isOrdered ? { firstTime: timeOf(first), lastTime: timeOf(end - 1) } : {};
    return { url: `${url}/${page}`, first, end, ...times };
  });
  yield [url, write([...streamQuads(description, url), ...rangeQuads({ url, sealed: true, pages })])] as const;
  for (const page of pages) {
    const versions = Array.from({ length: page.end - page.first }, (_, index) => {
      const number = page.first + index;
      const head = { cursor: { epoch: name, sequence: number }, timeMs: 0 };
      const draft = stampedState(number % entities, number, NOTE_BYTES);
      return commitDrafts([draft], head, START_MS + number * STEP_MS, sequencePath).members;
    });
    const quads = [...nodeQuads({ url: page.url, sealed: true }), ...memberQuads(description, versions.flat())];
    yield [page.url, write(quads)] as const;
  }
}

async function serveHistories(histories: readonly History[]): Promise<void> {
  const documents = new Map<string, { readonly bytes: Buffer; readonly type: string }>();
  const server = createServer(({ url: path = '/' }, response) => {
    const document = documents.get(path);
    if (document === undefined) return response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': document.type,
      'content-length': document.bytes.length,
      'cache-control': 'public, max-age=604800, immutable',
    });
    return response.end(document.bytes);
  }).listen(0, HOST);
  await once(server, 'listening');
  const url = `http://${HOST}:${(server.address() as AddressInfo).port}/`;
  for (const history of histories) {
    const type = formats[history.format].mediaType;
    for (const [at, bytes] of documentsOf(history, url)) documents.set(new URL(at).pathname, { bytes, type });
  }
  answerOrders({ url }, () => ({}));
}

/** Members of a commit, each of another entity. */
const COMMIT_MEMBERS = 1000;

/** A log in memory of our server, to which nothing more is published. */
async function serveLive(members: number, entities: number): Promise<void> {
  const { createMemoryStore } = await import('@ldes-live/log');
  const { createLiveServer } = await import('@ldes-live/server');
  const port = await freePort();
  const publicUrl = `http://${HOST}:${port}/`;
  const description = describeStream({ publicUrl, name: 'parking' });
  const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(description);
  const size = Math.min(COMMIT_MEMBERS, entities);
  for (let first = 0; first < members; first += size) {
    const numbers = Array.from({ length: Math.min(size, members - first) }, (_, index) => first + index);
    await log.append(numbers.map((number) => stampedState(number % entities, number)));
  }
  const server = await createLiveServer({ publicUrl, streams: [{ description, log }] });
  await server.listen({ host: HOST, port });
  answerOrders({ url: description.url }, () => ({}));
}

/** A client that reads: members by their numbers from 0 on, and its state to save, where it has one. */
interface Reading {
  readonly numbers: AsyncIterable<number>;
  state?(): unknown;
}

const MAL_SECONDS = 10;

async function openOurs({ url, isOrdered, isLive }: ReaderRole): Promise<Reading> {
  const { createLiveClient } = await import('@ldes-live/client');
  const order = isOrdered ? 'ascending' : 'none';
  const follower = createLiveClient({ mal: MAL_SECONDS }).follow(url, { from: 'start', order });
  const numbers = async function* () {
    for await (const { member } of follower) if (member) yield isLive ? member.sequence - 1 : numberOf(member.id);
  };
  return { numbers: numbers(), state: () => follower.state };
}

/** As much of the public package `ldes-client` as is measured here. */
interface LdesClient {
  replicateLDES(
    options: { url: string; polling: boolean },
    order: 'ascending' | 'none',
  ): { stream(strategy: QueuingStrategy): ReadableStream<{ id: { value: string } }> };
}

/** As its README has it. */
async function openLdesClient(module: string, { url, isOrdered }: ReaderRole): Promise<Reading> {
  // It logs to standard output, where the tables of this command go.
  process.env.LOG_LEVEL = 'error';
  const { replicateLDES }: LdesClient = await import(pathToFileURL(module).href);
  const client = replicateLDES({ url, polling: false }, isOrdered ? 'ascending' : 'none');
  const numbers = async function* () {
    for await (const { id } of client.stream({ highWaterMark: 10 })) yield numberOf(id.value);
  };
  return { numbers: numbers() };
}

/** By the time of the version, which its IRI ends with. */
function numberOf(id: string): number {
  return (Date.parse(id.slice(id.indexOf('#') + 1)) - START_MS) / STEP_MS;
}

const SAMPLE_MS = 20;
/** How often the state is weighed while reading. */
const STATES = 10;

/** Reads until the end, or until the time is over. */
async function read(role: ReaderRole) {
  const { ldesClient, isLive, members, limitMs } = role;
  const { numbers, state } = await (ldesClient ? openLdesClient(ldesClient, role) : openOurs(role));
  const [seen, startedMs] = [new Uint8Array(members), performance.now()];
  // Members that came, each counted once; that came once more; that came after a newer one. Memory and state at most.
  const report = { members: 0, doubled: 0, disordered: 0, peakBytes: 0, stateBytes: 0 };
  let newest = -1;
  const sample = () => {
    report.peakBytes = Math.max(report.peakBytes, process.memoryUsage.rss());
  };
  const weigh = () => {
    report.stateBytes = Math.max(report.stateBytes, Buffer.byteLength(JSON.stringify(state?.()) ?? ''));
  };
  setInterval(sample, SAMPLE_MS);
  const readAll = async () => {
    for await (const number of numbers) {
      report.doubled += seen[number] as number;
      if (seen[number] === 1) continue;
      seen[number] = 1;
      report.members += 1;
      if (number < newest) report.disordered += 1;
      newest = Math.max(newest, number);
      if (report.members % Math.ceil(members / STATES) === 0) weigh();
      if (isLive && report.members === members) break;
    }
  };
  await Promise.race([readAll(), sleep(limitMs)]);
  const elapsedMs = performance.now() - startedMs;
  sample();
  weigh();
  const { stateBytes, ...counts } = report;
  return { elapsedMs, ...counts, ...(state && { stateBytes }) };
}

const role = planOf<ReplayRole>();
if (role.role === 'histories') await serveHistories(role.histories);
else if (role.role === 'live') await serveLive(role.members, role.entities);
else answerOrders({}, () => read(role));
