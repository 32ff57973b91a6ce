import { mergeDeliveries } from '../load/merge-deliveries.ts';
import { LOAD, type Setting } from '../setting.ts';
import { startNodeSubject } from '../subjects/node-subject.ts';
import type { WorkersSize } from './fanout-plan.ts';
import { LIVE, measurePeer, type PeerResult, type PeerRun, peerResult } from './measure-peers.ts';

/** Servers that consist of several processes. */
export interface WorkersResult {
  readonly eventBytes: number;
  readonly peers: readonly PeerResult[];
}

/**
 * More clients than one process may have sockets: the framework's server with workers, and as many processes of the Express
 * loop, each with its share of the clients. No process keeps to a core.
 */
export async function measureWorkers(size: WorkersSize, { onProgress }: Setting): Promise<WorkersResult> {
  const { clients, eventBytes, workers, processes } = size;
  const live: PeerRun[] = [];
  const express: PeerRun[] = [];
  let event = '';
  for (let repeat = 0; repeat < size.repeats; repeat += 1) {
    const subject = await startNodeSubject(LIVE, { live: { workload: 'sized', eventBytes, workers } }, undefined);
    event = subject.sample ?? '';
    live.push(await measurePeer(subject, size, { ...LOAD, readers: clients, processes, core: undefined }));
    const readers = Math.ceil(clients / workers);
    const loops = await Promise.all(
      Array.from({ length: workers }, () => startNodeSubject('express', { event }, undefined)),
    );
    const plan = { ...LOAD, readers, processes: Math.ceil(processes / workers), core: undefined };
    const runs = await Promise.all(loops.map((loop) => measurePeer(loop, { ...size, clients: readers }, plan)));
    express.push(mergeDeliveries(runs));
    for (const [name, run] of [
      [LIVE, live.at(-1)],
      ['Express loop', express.at(-1)],
    ] as const) {
      onProgress(
        `workers: ${name} p99 ${run?.p99Ms.toFixed(0)}, longest ${run?.longestMs.toFixed(0)} ms`,
        (repeat + 1) / size.repeats,
      );
    }
  }
  const peers = [peerResult(LIVE, live), peerResult('Express loop', express)];
  return { eventBytes: Buffer.byteLength(event), peers };
}
