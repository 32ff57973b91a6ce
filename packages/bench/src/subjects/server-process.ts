// The process that is measured: what it is told by its parent, it does.
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { publishOnSchedule } from '../load/publish-on-schedule.ts';
import type { Peer, PeerOptions } from './peer.ts';
import type { ServerOrder, ServerTold } from './server-messages.ts';

const name = process.argv[2] as string;
const options = JSON.parse(process.argv[3] as string) as PeerOptions;

// Each process loads what it measures, and nothing else.
async function start(): Promise<Peer> {
  if (options.live) return (await import('./live-peer.ts')).startLivePeer(options.live);
  const event = options.event as string;
  if (name === 'express') return (await import('./express-peer.ts')).startExpressPeer(event, options.intervalMs);
  return (await import('./fastify-sse-peer.ts')).startFastifySsePeer(event);
}

const tell = (told: ServerTold) => void process.send?.(told);
const peer = await start();
process.on('message', async (order: ServerOrder) => {
  if (order.order === 'usage') {
    const { user, system } = process.cpuUsage();
    tell({ kind: 'usage', cpuMicros: user + system + ((await peer.moreCpuMicros?.()) ?? 0) });
  }
  if (order.order === 'publish') {
    peer.expect?.(order.schedule.startMicros);
    // What is published while the server closes may find the log closed.
    await publishOnSchedule(order.schedule, peer.publish).catch(() => undefined);
    const head = peer.head?.();
    if (process.connected) tell({ kind: 'published', ...(head !== undefined && { head }) });
  }
  if (order.order === 'close') {
    const startedMicros = monotonicMicros();
    await peer.close();
    tell({ kind: 'closed', startedMicros, endedMicros: monotonicMicros() });
    process.disconnect();
  }
});
// Nobody is left to tell.
process.on('disconnect', () => process.exit());
const { port, path, latestPath, sample, commits, pids } = peer;
tell({
  kind: 'started',
  port,
  path,
  ...(latestPath !== undefined && { latestPath }),
  ...(sample !== undefined && { sample }),
  ...(commits && { commits }),
  ...(pids && { pids }),
});
