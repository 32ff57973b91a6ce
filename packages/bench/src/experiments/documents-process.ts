/*
 * The process that `documents` measures: our server and a bare Fastify that sends the same bytes, or a log on disk that is
 * appended to.
 *
 *   { "role": "serving", "vehicles": 1000 }                    -> Servers
 *   { "role": "appending", "members": 1000000, "folder": ... } order {} -> the next tenth
 */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createMemoryStore, type Log, openLmdbStore } from '@ldes-live/log';
import { describeStream, extentOfPage, formatCursor, httpFields, PAGE_MEMBERS, pageOf } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import Fastify from 'fastify';
import { ownMemory } from '../machine.ts';
import { answerOrders, planOf } from '../processes.ts';
import { PUBLIC_URL, stampedState } from '../subjects/workloads.ts';

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

/** Both servers. */
export interface Servers {
  readonly livePort: number;
  readonly barePort: number;
  readonly documents: readonly ServedDocument[];
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

const DESCRIPTION = describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles' });
/** Length of a remark: a member has one, and so nine quads. */
const NOTE_BYTES = 20;

/** States from a number on, round a fleet. */
function commitFrom(first: number, count: number, fleet: number) {
  return Array.from({ length: count }, (_, index) => stampedState((first + index) % fleet, first + index, NOTE_BYTES));
}

async function startServer(log: Log): Promise<number> {
  const streams = [{ description: DESCRIPTION, log, schedule: () => ({ kind: 'unknown' }) as const }];
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams });
  return await server.listen({ host: '127.0.0.1', port: 0 });
}

/** The latest state of so many vehicles, each with a second version, in memory; a bare Fastify with the same bytes beside. */
async function serve(vehicles: number): Promise<void> {
  const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(DESCRIPTION);
  await log.append(commitFrom(0, vehicles, vehicles));
  await log.append(commitFrom(vehicles, Math.ceil(vehicles / 4), vehicles));
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
  const servers: Servers = { livePort, barePort, documents };
  answerOrders(servers, () => ({}));
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
      const { cursor } = await log.append(commitFrom(appended, PAGE_MEMBERS, fleet));
      const page = pageOf(cursor.sequence);
      const sealed = formatCursor({ epoch: cursor.epoch, sequence: extentOfPage(page).last });
      sealedMs.push(await readUntil(`/vehicles/pages/${cursor.epoch}/${page}`, sealed));
      const isLooked = (appended / PAGE_MEMBERS) % LATEST_EVERY === 0;
      if (isLooked) latestMs.push(await readUntil('/vehicles/latest', formatCursor(cursor)));
    }
    const membersPerSecond = (members / TENTHS / (performance.now() - startedMs)) * 1000;
    return { members: appended, membersPerSecond, ...ownMemory(), sealedMs, latestMs };
  });
}

/** Reads a document to its end, as it goes over the wire. */
async function read(port: number, path: string, headers: Readonly<Record<string, string>>, agent?: Agent) {
  const asked = get({ port, host: '127.0.0.1', path, headers, agent });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { body: await buffer(response), fields: response.headers };
}

const plan = planOf<DocumentsRole>();
await (plan.role === 'serving' ? serve(plan.vehicles) : append(plan.members, plan.fleet, plan.folder));
