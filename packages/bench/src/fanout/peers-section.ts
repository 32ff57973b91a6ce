import type { Cell, Section, Table } from '../report/report.ts';
import type { Spread } from '../spread.ts';
import type { FanOutSize, PeersSize, WorkersSize } from './fanout-plan.ts';
import { LIVE, type PeerResult, type PeersResult } from './measure-peers.ts';
import type { WorkersResult } from './measure-workers.ts';

/** Share of a core past which the load may be what is slow. */
const BUSY_SHARE = 0.8;
const KIB = 1024;
const HEAD = [
  'Server',
  'CPU, µs a delivery',
  'beside the load',
  'p50, ms',
  'p99, ms',
  'Longest, ms',
  'First to last, ms',
  'KiB a connection',
];

/** Servers side by side with the same event and as many clients. */
export function peersSection(results: readonly PeersResult[], plan: PeersSize): Section {
  return {
    title: 'One event to very many clients, beside other servers',
    text: [
      `A delay counts from the instant that an update was scheduled for until a client has read its last byte; CPU time is that of all processes of the server while updates are published, for an event that a client got. ${plan.lean ? 'Where there is a compiler it is measured beside readers in C that only read, which leave the processor cache to the server, and once more beside' : 'It is measured beside'} the load that checks all it gets, by which the delays are measured. To be shown: CPU at most 1.3 times that of the loop in C, at most a third of @fastify/sse, and below Nchan; p99 at most 1.5 times that of the loop in C; at most 12 KiB a connection.`,
    ],
    tables: results.flatMap((result) => [peersTable(result, plan), ratiosTable(result)]),
  };
}

/** Servers of several processes side by side. */
export function workersSection({ eventBytes, peers }: WorkersResult, plan: WorkersSize): Section {
  const { clients, workers, intervalMs, updates, repeats } = plan;
  return {
    title: 'More clients than one process may have sockets',
    text: ['Servers and load share the cores: delays say how it goes on a machine that has nothing to spare.'],
    tables: [
      {
        caption: `One event of ${eventBytes} bytes to ${clients} clients in ${workers} processes every ${intervalMs} ms, ${updates} times; rounds: ${repeats}`,
        columns: HEAD,
        rows: peers.map(row),
      },
    ],
  };
}

/** What has to be known before any figure of servers side by side. */
export function peerWarnings({ clients, peers, missing }: PeersResult): string[] {
  return [
    ...missing.map((name) => `${name} is not on this machine.`),
    ...peers.flatMap((peer) =>
      [...lostWarnings(peer), ...loadWarnings(peer)].map((text) => `${clients} clients, ${text}`),
    ),
  ];
}

/** Whether deliveries did not come. */
export function lostWarnings({ name, runs }: PeerResult): string[] {
  const lost = runs.reduce((sum, { expected, events }) => sum + expected - events, 0);
  return lost === 0 ? [] : [`${name}: ${lost} deliveries did not come.`];
}

function loadWarnings({ name, runs }: PeerResult): string[] {
  const busy = Math.max(...runs.map(({ loadShare }) => loadShare));
  const isSlower = runs.some(({ loadCpuMicros, serverCpuMicros }) => loadCpuMicros > serverCpuMicros);
  return [
    ...(busy <= BUSY_SHARE
      ? []
      : [`${name}: the load took ${Math.round(busy * 100)} % of a core, so that the delays may be its own.`]),
    ...(isSlower
      ? [`${name}: a delivery costs the load more than the server, so that the delays may be its own.`]
      : []),
  ];
}

function peersTable({ clients, eventBytes, peers }: PeersResult, plan: Omit<FanOutSize, 'clients'>): Table {
  const { intervalMs, updates, repeats } = plan;
  return {
    caption: `One event of ${eventBytes} bytes to ${clients} clients every ${intervalMs} ms, ${updates} times; median of ${repeats} rounds in turns (least to greatest)`,
    columns: HEAD,
    rows: peers.map(row),
  };
}

/** What a ratio may be at most, by what the framework is compared with. */
const BARS: Readonly<Record<string, { readonly cpu?: string; readonly p99?: string }>> = {
  'epoll loop in C': { cpu: '1.3', p99: '1.5' },
  '@fastify/sse': { cpu: '0.33' },
  Nchan: { cpu: '1' },
};

function ratiosTable({ clients, ratios }: PeersResult): Table {
  return {
    caption: `${LIVE} in parts of each other server, ${clients} clients; the pairs of each round`,
    columns: ['Beside', 'CPU', 'to be at most', 'p99', 'to be at most'],
    rows: ratios.map(({ to, cpu, p99 }) => [to, cpu, BARS[to]?.cpu, p99, BARS[to]?.p99]),
  };
}

function row(peer: PeerResult): Cell[] {
  const { name, leanCpuMicros, serverCpuMicros, p50Ms, p99Ms, longestMs, spreadMs, residentBytesPerConnection } = peer;
  const cpu = [leanCpuMicros ?? serverCpuMicros, leanCpuMicros && serverCpuMicros];
  return [name, ...cpu, p50Ms, p99Ms, longestMs, spreadMs, inKib(residentBytesPerConnection)];
}

function inKib(bytes: Spread | undefined): Spread | undefined {
  if (bytes === undefined) return undefined;
  return { ...bytes, median: bytes.median / KIB, min: bytes.min / KIB, max: bytes.max / KIB };
}
