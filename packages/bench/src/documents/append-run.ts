import { Agent, get } from 'node:http';
import { openLmdbStore } from '@ldes-live/log';
import { describeStream, extentOfPage, formatCursor, httpFields, PAGE_MEMBERS, pageOf } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { vehicleCommit } from './workload.ts';

/** What is appended. */
export interface AppendPlan {
  /** A folder for the log; it should be empty. */
  readonly folder: string;
  readonly members: number;
  /** Entities that the members are versions of. */
  readonly fleet: number;
}

/** How the appending stood after a tenth of it. */
export interface AppendTenth {
  readonly members: number;
  readonly membersPerSecond: number;
  /** Resident memory that is the process's own, bytes: without the mapped file of the log, where the system tells. */
  readonly ownBytes: number;
  /** Resident memory in all, bytes. */
  readonly residentBytes: number;
  /** From the acknowledgement of a commit to the whole of a document with its newest member, of each commit, milliseconds. */
  readonly sealedVisibleMs: readonly number[];
  /** The same for the latest state, of each twentieth commit, milliseconds. */
  readonly latestVisibleMs: readonly number[];
}

const PUBLIC_URL = 'http://bench.invalid/';
const LATEST_EVERY = 20;

/**
 * Appends commits of a page each to a log on disk, one after the other, each acknowledged once it is synced, and
 * asks the server for every page as soon as it is sealed, in N-Quads.
 *
 * @param memory - tells the resident memory: the process's own, and in all, bytes
 */
export async function* appendRun(
  plan: AppendPlan,
  memory: () => { readonly ownBytes: number; readonly residentBytes: number },
): AsyncGenerator<AppendTenth> {
  const description = describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles' });
  const store = await openLmdbStore({ path: plan.folder, clock: Date.now, random: Math.random });
  const log = await store.open(description);
  const streams = [{ description, log, schedule: () => ({ kind: 'unknown' }) as const }];
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams });
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const read = (path: string) => readDocument(port, agent, path);
  const tenth = plan.members / 10;
  try {
    for (let from = 0; from < plan.members; from += tenth) {
      const sealedVisibleMs: number[] = [];
      const latestVisibleMs: number[] = [];
      const startedMs = performance.now();
      for (let first = from; first < from + tenth; first += PAGE_MEMBERS) {
        const { cursor } = await log.append(vehicleCommit(PUBLIC_URL, first, PAGE_MEMBERS, plan.fleet));
        const acknowledgedMs = performance.now();
        const page = pageOf(cursor.sequence);
        const sealed = await read(`/vehicles/pages/${cursor.epoch}/${page}`);
        sealedVisibleMs.push(performance.now() - acknowledgedMs);
        if (sealed !== formatCursor({ epoch: cursor.epoch, sequence: extentOfPage(page).last })) {
          throw new Error(`Page ${page} is not what was appended: it stands at ${sealed}`);
        }
        if ((first / PAGE_MEMBERS) % LATEST_EVERY > 0) continue;
        const askedMs = performance.now();
        const latest = await read('/vehicles/latest');
        latestVisibleMs.push(performance.now() - askedMs);
        if (latest !== formatCursor(cursor)) throw new Error(`The latest state stands at ${latest}`);
      }
      const membersPerSecond = (tenth * 1000) / (performance.now() - startedMs);
      yield { members: from + tenth, membersPerSecond, ...memory(), sealedVisibleMs, latestVisibleMs };
    }
  } finally {
    agent.destroy();
    await server.close();
    await store.close();
  }
}

/** Reads a document to its end; resolves to the cursor that it states. */
function readDocument(port: number, agent: Agent, path: string): Promise<string | undefined> {
  const headers = { accept: 'application/n-quads', 'accept-encoding': 'identity' };
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent, path, headers }, (response) => {
      response.on('error', reject);
      response.on('end', () => resolve(response.headers[httpFields.cursor] as string | undefined));
      response.resume();
    }).on('error', reject);
  });
}
