import { get } from 'node:http';
import { createMemoryStore, type Log, type LogStore, openLmdbStore } from '@ldes-live/log';
import { type Draft, describeStream, formatCursor } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { DeclaredSchedule } from './declared-schedule.ts';
import type { LivePeerOptions, Peer } from './peer.ts';
import { type CommitSize, PUBLIC_URL, sizeCommits, stampedCommit, stampedState } from './sized-commits.ts';
import { startWorkerProcesses } from './worker-processes.ts';

const NAME = 'vehicles';

/** What each publication appends. */
type Workload = (stampMicros: number, index: number) => readonly Draft[];

/** The framework's server by its public interface, with a log of its own. */
export async function startLivePeer(options: LivePeerOptions): Promise<Peer> {
  const description = describeStream({ publicUrl: PUBLIC_URL, name: NAME });
  const store = await openStore(options.folder);
  const log = await store.open(description);
  const declared = new DeclaredSchedule(options.everyMs);
  const streams = [{ description, log, schedule: () => declared.schedule }];
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams, push: options.push ?? {} });
  const port = await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  const path = `/${NAME}/events`;
  const sampled = (drafts: readonly Draft[]) => sampleEvent(port, path, log, drafts);
  const { workload, sample, commits } = await prepare(options, log, sampled);
  const workers = options.workers ? await startWorkerProcesses(server, port, options.workers) : undefined;
  return {
    port: workers?.port ?? port,
    path,
    latestPath: `/${NAME}/latest`,
    ...(workers && { pids: workers.pids, moreCpuMicros: workers.cpuMicros }),
    ...(sample !== undefined && { sample }),
    ...(commits && { commits }),
    head: () => formatCursor(log.head.cursor),
    expect: (dueMicros) => declared.expect(dueMicros),
    publish: async (stampMicros, index) => {
      await log.append(workload(stampMicros, index));
      declared.published(stampMicros);
    },
    close: async () => {
      await server.close();
      await workers?.ended;
      await store.close();
    },
  };
}

function openStore(folder: string | undefined): LogStore | Promise<LogStore> {
  const edge = { clock: Date.now, random: Math.random };
  return folder === undefined ? createMemoryStore(edge) : openLmdbStore({ path: folder, ...edge });
}

async function prepare(
  { workload, eventBytes = 0, commits, entities = 1 }: LivePeerOptions,
  log: Log,
  sampled: (drafts: readonly Draft[]) => Promise<string>,
): Promise<{ workload: Workload; sample?: string; commits?: CommitSize }> {
  if (workload === 'demo') {
    const { recordDemo } = await import('./record-demo.ts');
    const recorded = await recordDemo(PUBLIC_URL, NAME, entities);
    return { workload: (_stamp, index) => recorded[index] as readonly Draft[] };
  }
  if (workload === 'single') {
    await log.append(Array.from({ length: entities }, (_, number) => stampedState(PUBLIC_URL, number, 0)));
    return { workload: (stampMicros) => [stampedState(PUBLIC_URL, Math.floor(Math.random() * entities), stampMicros)] };
  }
  const commit = (size: CommitSize, micros: number) => stampedCommit(PUBLIC_URL, size.entities, micros, size.noteBytes);
  const workloadOf = (size: CommitSize) => (stampMicros: number) => commit(size, stampMicros);
  if (commits) return { workload: workloadOf(commits), commits };
  let micros = 0;
  // Each is another state than the one before: else there would be nothing to send.
  const next = (size: CommitSize) => {
    micros += 1;
    return sampled(commit(size, micros));
  };
  const size = await sizeCommits(eventBytes, async (tried) => Buffer.byteLength(await next(tried)));
  return { workload: workloadOf(size), sample: await next(size), commits: size };
}

/** What a reader gets when something is appended: one event, as text. */
function sampleEvent(port: number, path: string, log: Log, drafts: readonly Draft[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream', 'accept-encoding': 'identity' };
    const request = get({ port, host: '127.0.0.1', path, headers, agent: false }, (response) => {
      let text = '';
      let isAsked = false;
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        const event = /^event: update\n(?:.+\n)+\n/m.exec(text)?.[0];
        if (event !== undefined) {
          request.destroy();
          resolve(event);
        }
        if (isAsked) return;
        isAsked = true;
        log.append(drafts).catch(reject);
      });
    });
    request.on('error', reject);
  });
}
