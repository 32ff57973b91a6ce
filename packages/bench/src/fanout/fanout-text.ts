import type { SequenceTally } from '../load/sequence-check.ts';
import type { FanoutPlan } from './fanout-plan.ts';
import type { FollowersResult } from './measure-entities.ts';
import type { GzipResult } from './measure-gzip.ts';
import type { Back, SlowResult } from './measure-slow.ts';
import type { StopResult } from './measure-stop.ts';
import type { StormResult } from './measure-storm.ts';

/** What compression saves and costs, for a terminal. */
export function gzipText({ encodings, bytesRatio, cpuRatio }: GzipResult, plan: FanoutPlan['gzip']): string[] {
  return [
    `The demonstration's vehicles, ${plan.commits} commits to ${plan.clients} clients; one run:`,
    ...encodings.map(
      ({ encoding, bytesPerDelivery, serverCpuMicros, read, expectedRead }) =>
        `  ${encoding.padEnd(9)} ${bytesPerDelivery.toFixed(0)} bytes and ${serverCpuMicros.toFixed(1)} us a delivery, ${read} of ${expectedRead} events read`,
    ),
    `  gzip: ${bytesRatio.toFixed(1)} x fewer bytes, ${cpuRatio.toFixed(2)} x the CPU time`,
  ];
}

/** What readers that stop do to the others, for a terminal. */
export function slowText(result: SlowResult, plan: FanoutPlan['slow']): string[] {
  const { residentBytesBefore, residentBytesStopped } = result;
  const change = (after: number, before: number) => `${before.toFixed(1)} -> ${after.toFixed(1)} ms`;
  const back = ({ clients, atHead, ended, sequence }: Back) =>
    `${atHead} of ${clients} have the newest, ${ended} connections had been ended, ${sequenceText(sequence)}`;
  return [
    `${plan.stopped} of ${plan.clients} clients stop reading events of ${result.eventBytes} bytes every ${plan.intervalMs} ms; one run:`,
    `  delay of the others: p50 ${change(result.p50StoppedMs, result.p50BeforeMs)}, p99 ${change(result.p99StoppedMs, result.p99BeforeMs)}`,
    ...(residentBytesBefore === undefined || residentBytesStopped === undefined
      ? []
      : [`  memory ${mib(residentBytesBefore)} -> ${mib(residentBytesStopped)} at most`]),
    ...result.back.map((one, index) => `  going on ${index === 0 ? 'soon' : 'late'}: ${back(one)}`),
  ];
}

/** How all came back that were cut, for a terminal. */
export function stormText(result: StormResult, plan: FanoutPlan['storm']): string[] {
  const { residentBytesBefore: before, residentBytesAfter: after } = result;
  const polls = ({ p50Ms, p99Ms, longestMs, polls: count, failed }: StormResult['pollsBefore']) =>
    `p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)}, longest ${longestMs.toFixed(1)} ms of ${count}, ${failed} failed`;
  return [
    `${plan.clients} clients cut at once, an event of ${plan.eventBytes} bytes every ${plan.intervalMs} ms; one run:`,
    `  all back after ${Math.round(result.backMs)} ms, ${result.atHead} have the newest, ${result.refused} refused, ${sequenceText(result.sequence)}`,
    `  polls of the latest state before: ${polls(result.pollsBefore)}`,
    `  polls from the cut on:            ${polls(result.pollsAfter)}`,
    ...(before === undefined || after === undefined ? [] : [`  memory ${mib(before)} before, ${mib(after)} after`]),
  ];
}

/** What it costs to follow one entity each, for a terminal. */
export function entitiesText(results: readonly FollowersResult[], plan: FanoutPlan['entities']): string[] {
  return [
    `Clients that follow one entity each of as many, ${plan.updatesPerSecond} updates a second of one at random; one run:`,
    ...results.map(
      ({ clients, updates, delivered, serverCpuMicros, p50Ms, p99Ms, longestMs }) =>
        `  ${String(clients).padStart(6)} clients: CPU ${serverCpuMicros.toFixed(0)} us an update, delay p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)}, longest ${longestMs.toFixed(1)} ms, ${delivered} of ${updates} delivered`,
    ),
  ];
}

/** How a server stops and the next one goes on, for a terminal. */
export function stopText(result: StopResult, plan: FanoutPlan['stop']): string[] {
  return [
    `A server with ${plan.clients} clients stops within ${plan.graceMs} ms, and the next one goes on; one run:`,
    `  ${result.ended} streams ended, the last after ${Math.round(result.lastEndMs)} ms; by tenths of the period: ${result.endsByTenth.slice(0, 10).join(' ')}, later ${result.endsByTenth[10]}`,
    `  closed after ${Math.round(result.closedMs)} ms; ${result.atHead} have the newest of the next, ${sequenceText(result.sequence)}`,
  ];
}

function sequenceText({ lost, duplicates, gaps, conflations, wrongStates }: SequenceTally): string {
  return `${lost} lost, ${duplicates} twice, ${gaps} gaps, ${conflations} conflations, ${wrongStates} wrong states`;
}

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}
