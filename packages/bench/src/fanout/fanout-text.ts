import type { Spread } from '../spread.ts';
import type { FanoutReport } from './fanout.ts';
import type { FanoutPlan } from './fanout-plan.ts';
import type { FollowersResult } from './measure-entities.ts';
import type { GzipResult } from './measure-gzip.ts';
import type { PeerResult, PeersResult } from './measure-peers.ts';
import type { Back, SlowResult } from './measure-slow.ts';
import type { StopResult } from './measure-stop.ts';
import type { StormResult } from './measure-storm.ts';
import type { WorkersResult } from './measure-workers.ts';
import type { SequenceTally } from './sequence-check.ts';

/** Share of a core past which the load may be what is slow. */
const BUSY_SHARE = 0.8;

/** The report of the experiment for a terminal. */
export function fanoutText({ machine, plan, results }: FanoutReport): string {
  const { cpu, cores, memoryGib, node, pinned } = machine;
  const { fanout, workers, gzip, slow, storm, entities, stop } = results;
  return [
    `Machine: ${cpu}, ${cores} cores, ${memoryGib} GiB, Node ${node}${pinned ? ', server and load on a core each' : ''}`,
    ...(fanout ? peersText(fanout, plan.fanout) : []),
    ...(workers ? workersText(workers, plan.workers) : []),
    ...(gzip ? gzipText(gzip, plan.gzip) : []),
    ...(slow ? slowText(slow, plan.slow) : []),
    ...(storm ? stormText(storm, plan.storm) : []),
    ...(entities ? entitiesText(entities, plan.entities) : []),
    ...(stop ? stopText(stop, plan.stop) : []),
    '',
  ].join('\n');
}

function peersText({ eventBytes, peers, ratios, missing }: PeersResult, plan: FanoutPlan['fanout']): string[] {
  return [
    '',
    `One event of ${eventBytes} bytes to ${plan.clients} clients every ${plan.intervalMs} ms, ${plan.updates} times; medians of ${plan.repeats} rounds in turns [min-max]:`,
    ...peers.map(peerLine),
    ...ratios.map(({ to, cpu, p99 }) => `  against ${to}: CPU ${range(cpu, 2)}, p99 ${range(p99, 2)}`),
    ...missing.map((name) => `  ${name} is not on this machine`),
    ...peers.flatMap(warnings),
  ];
}

function peerLine({
  name,
  serverCpuMicros,
  leanCpuMicros,
  p50Ms,
  p99Ms,
  longestMs,
  spreadMs,
  residentBytesPerConnection,
}: PeerResult) {
  const memory = residentBytesPerConnection ? `  ${range(residentBytesPerConnection, 1, 1024)} KiB a connection` : '';
  const cpu = leanCpuMicros
    ? `${range(leanCpuMicros, 1)} us a delivery (${range(serverCpuMicros, 1)} beside readers that check all)`
    : `${range(serverCpuMicros, 1)} us a delivery`;
  return `  ${name.padEnd(16)} CPU ${cpu}  delay p50 ${range(p50Ms, 1)}, p99 ${range(p99Ms, 1)}, longest ${range(longestMs, 1)} ms  first to last ${range(spreadMs, 1)} ms${memory}`;
}

function missingText({ name, runs }: PeerResult): string[] {
  const missing = runs.reduce((sum, { expected, events }) => sum + expected - events, 0);
  return missing === 0 ? [] : [`  ! ${name}: ${missing} deliveries did not come`];
}

function warnings(result: PeerResult): string[] {
  const { name, runs } = result;
  const busy = Math.max(...runs.map(({ loadShare }) => loadShare));
  const isSlower = runs.some(({ loadCpuMicros, serverCpuMicros }) => loadCpuMicros > serverCpuMicros);
  return [
    ...missingText(result),
    ...(busy <= BUSY_SHARE ? [] : [`  ! ${name}: the load took ${percent(busy)} of a core: it may be what is slow`]),
    ...(isSlower
      ? [`  ! ${name}: a delivery costs the load more than the server: delays may be those of the load`]
      : []),
  ];
}

function workersText({ eventBytes, peers }: WorkersResult, plan: FanoutPlan['workers']): string[] {
  return [
    '',
    `One event of ${eventBytes} bytes to ${plan.clients} clients in ${plan.workers} processes, which share the cores with the load, every ${plan.intervalMs} ms, ${plan.updates} times; rounds: ${plan.repeats} [min-max]:`,
    ...peers.map(peerLine),
    ...peers.flatMap(missingText),
  ];
}

function gzipText({ encodings, bytesRatio, cpuRatio }: GzipResult, plan: FanoutPlan['gzip']): string[] {
  return [
    '',
    `The demonstration's vehicles, ${plan.commits} commits to ${plan.clients} clients; one run:`,
    ...encodings.map(
      ({ encoding, bytesPerDelivery, serverCpuMicros, read, expectedRead }) =>
        `  ${encoding.padEnd(9)} ${bytesPerDelivery.toFixed(0)} bytes and ${serverCpuMicros.toFixed(1)} us a delivery, ${read} of ${expectedRead} events read`,
    ),
    `  gzip: ${bytesRatio.toFixed(1)} x fewer bytes, ${cpuRatio.toFixed(2)} x the CPU time`,
  ];
}

function slowText(result: SlowResult, plan: FanoutPlan['slow']): string[] {
  const { residentBytesBefore, residentBytesStopped } = result;
  const change = (after: number, before: number) => `${before.toFixed(1)} -> ${after.toFixed(1)} ms`;
  const back = ({ clients, atHead, ended, sequence }: Back) =>
    `${atHead} of ${clients} have the newest, ${ended} connections had been ended, ${sequenceText(sequence)}`;
  return [
    '',
    `${plan.stopped} of ${plan.clients} clients stop reading events of ${result.eventBytes} bytes every ${plan.intervalMs} ms; one run:`,
    `  delay of the others: p50 ${change(result.p50StoppedMs, result.p50BeforeMs)}, p99 ${change(result.p99StoppedMs, result.p99BeforeMs)}`,
    ...(residentBytesBefore === undefined || residentBytesStopped === undefined
      ? []
      : [`  memory ${mib(residentBytesBefore)} -> ${mib(residentBytesStopped)} at most`]),
    ...result.back.map((one, index) => `  going on ${index === 0 ? 'soon' : 'late'}: ${back(one)}`),
  ];
}

function stormText(result: StormResult, plan: FanoutPlan['storm']): string[] {
  const { residentBytesBefore: before, residentBytesAfter: after } = result;
  const polls = ({ p50Ms, p99Ms, longestMs, polls: count, failed }: StormResult['pollsBefore']) =>
    `p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)}, longest ${longestMs.toFixed(1)} ms of ${count}, ${failed} failed`;
  return [
    '',
    `${plan.clients} clients cut at once, an event of ${plan.eventBytes} bytes every ${plan.intervalMs} ms; one run:`,
    `  all back after ${Math.round(result.backMs)} ms, ${result.atHead} have the newest, ${result.refused} refused, ${sequenceText(result.sequence)}`,
    `  polls of the latest state before: ${polls(result.pollsBefore)}`,
    `  polls from the cut on:            ${polls(result.pollsAfter)}`,
    ...(before === undefined || after === undefined ? [] : [`  memory ${mib(before)} before, ${mib(after)} after`]),
  ];
}

function entitiesText(results: readonly FollowersResult[], plan: FanoutPlan['entities']): string[] {
  return [
    '',
    `Clients that follow one entity each of as many, ${plan.updatesPerSecond} updates a second of one at random; one run:`,
    ...results.map(
      ({ clients, updates, delivered, serverCpuMicros, p50Ms, p99Ms, longestMs }) =>
        `  ${String(clients).padStart(6)} clients: CPU ${serverCpuMicros.toFixed(0)} us an update, delay p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)}, longest ${longestMs.toFixed(1)} ms, ${delivered} of ${updates} delivered`,
    ),
  ];
}

function stopText(result: StopResult, plan: FanoutPlan['stop']): string[] {
  return [
    '',
    `A server with ${plan.clients} clients stops within ${plan.graceMs} ms, and the next one goes on; one run:`,
    `  ${result.ended} streams ended, the last after ${Math.round(result.lastEndMs)} ms; by tenths of the period: ${result.endsByTenth.slice(0, 10).join(' ')}, later ${result.endsByTenth[10]}`,
    `  closed after ${Math.round(result.closedMs)} ms; ${result.atHead} have the newest of the next, ${sequenceText(result.sequence)}`,
  ];
}

function sequenceText({ lost, duplicates, gaps, conflations, wrongStates }: SequenceTally): string {
  return `${lost} lost, ${duplicates} twice, ${gaps} gaps, ${conflations} conflations, ${wrongStates} wrong states`;
}

function range({ median, min, max }: Spread, digits: number, unit = 1): string {
  const text = (value: number) => (value / unit).toFixed(digits);
  return `${text(median)} [${text(min)}-${text(max)}]`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}
