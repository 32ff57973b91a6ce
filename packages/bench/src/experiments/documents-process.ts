/*
 * The process that `documents` measures: our server and a bare Fastify that sends the same bytes, or a log on disk that is
 * appended to.
 *
 *   { "role": "serving", "vehicles": 1000 }                    order {} -> CPU time so far, microseconds
 *   { "role": "appending", "members": 1000000, "folder": ... } order {} -> the next tenth
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMemoryStore, type Log, openLmdbStore } from '@ldes-live/log';
import {
  type Draft,
  describeStream,
  extentOfPage,
  formatCursor,
  httpFields,
  literal,
  namedNode,
  PAGE_MEMBERS,
  pageOf,
  quad,
  rdf,
  xsd,
} from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import Fastify from 'fastify';
import { memoryOf } from '../machine.ts';
import { answerOrders, planOf } from '../processes.ts';

/** What the process is to do. */
export type DocumentsRole =
  | { readonly role: 'serving'; readonly vehicles: number }
  | { readonly role: 'appending'; readonly members: number; readonly fleet: number; readonly folder: string };

/** A document that both servers have, and how it is asked for. */
export interface ServedDocument {
  readonly name: string;
  readonly path: string;
  /** Of the bare server. */
  readonly barePath: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How the appending stood after a tenth of it. */
export interface AppendedTenth {
  readonly members: number;
  readonly membersPerSecond: number;
  /** Memory of the process's own, without the mapped file of the log. */
  readonly ownBytes: number;
  readonly residentBytes: number;
  /** From the acknowledgement of a commit to the whole of a document with its newest member, of each commit. */
  readonly sealedMs: readonly number[];
  /** The same for the latest state, of each twentieth commit. */
  readonly latestMs: readonly number[];
}

const PUBLIC_URL = 'http://bench.invalid/';
const DESCRIPTION = describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles' });
const EX = 'http://example.org/transit#';
const WGS = 'http://www.w3.org/2003/01/geo/wgs84_pos#';

/** States of `count` vehicles from number `first` on, round a fleet: seven quads each, and three more as a member. */
function vehicleCommit(first: number, count: number, fleet: number): Draft[] {
  return Array.from({ length: count }, (_, index) => {
    const [entity, round] = [(first + index) % fleet, Math.floor((first + index) / fleet)];
    const iri = `${PUBLIC_URL}vehicles/entities/${entity}`;
    const subject = namedNode(iri);
    const latitude = (51 + ((entity * 37 + round * 11) % 1000) / 10_000).toFixed(4);
    const longitude = (3.7 + ((entity * 53 + round * 7) % 1000) / 10_000).toFixed(4);
    return {
      kind: 'upsert',
      entity: iri,
      origin: 'bench',
      fingerprint: `${round}`,
      quads: [
        quad(subject, namedNode(rdf.type), namedNode(`${EX}VehiclePosition`)),
        quad(subject, namedNode(`${EX}route`), namedNode(`http://example.org/id/routes/${entity % 40}`)),
        quad(subject, namedNode(`${EX}trip`), namedNode(`http://example.org/id/trips/${entity}-${round % 50}`)),
        quad(subject, namedNode(`${WGS}lat`), literal(latitude, xsd.decimal)),
        quad(subject, namedNode(`${WGS}long`), literal(longitude, xsd.decimal)),
        quad(subject, namedNode(`${EX}bearing`), literal(String((entity * 7 + round * 3) % 360), xsd.integer)),
        quad(subject, namedNode(`${EX}speed`), literal(((entity + round) % 25).toFixed(1), xsd.decimal)),
      ],
    };
  });
}

async function startServer(log: Log): Promise<number> {
  const streams = [{ description: DESCRIPTION, log, schedule: () => ({ kind: 'unknown' }) as const }];
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams });
  return await server.listen({ host: '127.0.0.1', port: 0 });
}

/** The latest state of so many vehicles, each with a second version, in memory; a bare Fastify with the same bytes beside. */
async function serve(vehicles: number): Promise<void> {
  const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(DESCRIPTION);
  await log.append(vehicleCommit(0, vehicles, vehicles));
  await log.append(vehicleCommit(vehicles, Math.ceil(vehicles / 4), vehicles));
  const livePort = await startServer(log);
  const paths = { latest: '/vehicles/latest', 'sealed page': `/vehicles/pages/${log.head.cursor.epoch}/0` };
  const bare = Fastify();
  const documents: ServedDocument[] = [];
  for (const [name, path] of Object.entries(paths)) {
    for (const [suffix, coding] of [
      ['', 'identity'],
      [', gzip', 'gzip'],
    ] as const) {
      const headers = { 'accept-encoding': coding };
      const { body, fields } = await read(livePort, path, headers);
      const barePath = `/${documents.length}`;
      bare.get(barePath, (_, reply) => reply.send(body));
      documents.push({ name: `${name}${suffix}`, path, barePath, headers });
      if (name !== 'latest') continue;
      const conditional = { ...headers, 'if-none-match': String(fields.etag) };
      documents.push({ name: `${name}${suffix}, 304`, path, barePath: '/unmodified', headers: conditional });
    }
  }
  bare.get('/unmodified', (_, reply) => reply.code(304).send());
  await bare.listen({ host: '127.0.0.1', port: 0 });
  const { port: barePort } = bare.server.address() as AddressInfo;
  answerOrders({ livePort, barePort, documents }, () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  });
}

const TENTHS = 10;
const LATEST_EVERY = 20;

/** Appends commits of a page each, one after the other, and asks for every page as soon as it is sealed, in N-Quads. */
async function append(members: number, fleet: number, folder: string): Promise<void> {
  const store = await openLmdbStore({ path: folder, clock: Date.now, random: Math.random });
  const log = await store.open(DESCRIPTION);
  const port = await startServer(log);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { accept: 'application/n-quads', 'accept-encoding': 'identity' };
  const readUntil = async (path: string, cursor: string) => {
    const startedMs = performance.now();
    const { fields } = await read(port, path, headers, agent);
    const stands = fields[httpFields.cursor];
    if (stands !== cursor) throw new Error(`${path} stands at ${stands}, not at ${cursor}`);
    return performance.now() - startedMs;
  };
  let appended = 0;
  answerOrders({}, async (): Promise<AppendedTenth> => {
    const [sealedMs, latestMs]: [number[], number[]] = [[], []];
    const [startedMs, end] = [performance.now(), appended + members / TENTHS];
    for (; appended < end; appended += PAGE_MEMBERS) {
      const { cursor } = await log.append(vehicleCommit(appended, PAGE_MEMBERS, fleet));
      const page = pageOf(cursor.sequence);
      const sealed = formatCursor({ epoch: cursor.epoch, sequence: extentOfPage(page).last });
      sealedMs.push(await readUntil(`/vehicles/pages/${cursor.epoch}/${page}`, sealed));
      const isLooked = (appended / PAGE_MEMBERS) % LATEST_EVERY === 0;
      if (isLooked) latestMs.push(await readUntil('/vehicles/latest', formatCursor(cursor)));
    }
    const membersPerSecond = (members / TENTHS / (performance.now() - startedMs)) * 1000;
    const { rss } = process.memoryUsage();
    const memory = memoryOf('self') ?? { ownBytes: rss, residentBytes: rss };
    return { members: appended, membersPerSecond, ...memory, sealedMs, latestMs };
  });
}

/** Reads a document to its end, as it goes over the wire. */
function read(port: number, path: string, headers: Readonly<Record<string, string>>, agent?: Agent) {
  return new Promise<{ readonly body: Buffer; readonly fields: IncomingMessage['headers'] }>((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, headers, agent }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ body: Buffer.concat(chunks), fields: response.headers });
    });
    asked.on('error', reject);
    asked.end();
  });
}

const plan = planOf<DocumentsRole>();
await (plan.role === 'serving' ? serve(plan.vehicles) : append(plan.members, plan.fleet, plan.folder));
