import { setTimeout as delay } from 'node:timers/promises';
import { measureDeliveries } from '../load/deliveries.ts';
import { httpLoad } from '../load/http-load.ts';
import { LoadGroup } from '../load/load-group.ts';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { LOAD, SERVER_CORE } from '../setting.ts';
import { type NodeSubject, startNodeSubject } from '../subjects/node-subject.ts';
import type { CapacityPlan } from './capacity-plan.ts';
import type { CapacityRound, PolledRate, PushedRate } from './capacity-round.ts';
import { openPollers } from './kept-alive-pollers.ts';

const LATEST = '/vehicles/latest';
const SETTLE_MS = 300;
const WARM_UP_MS = 200;

/** Measures once what polls and deliveries cost our server, in processes of its own so that neither leaves memory to the other. */
export async function measureCapacityRound(plan: CapacityPlan): Promise<CapacityRound> {
  const polled = await withSubject(plan, (subject) => measurePolls(subject, plan));
  const pushed = await withSubject(plan, (subject) => measurePush(subject, plan));
  return { ...polled, ...pushed };
}

async function withSubject<Result>(
  { eventBytes }: CapacityPlan,
  measure: (subject: NodeSubject) => Promise<Result>,
): Promise<Result> {
  const subject = await startNodeSubject('live', { live: { workload: 'sized', eventBytes } }, SERVER_CORE);
  try {
    await subject.publish({ startMicros: monotonicMicros(), intervalMicros: 10_000, count: 10 });
    return await measure(subject);
  } finally {
    await subject.close();
  }
}

async function measurePolls(
  subject: NodeSubject,
  plan: CapacityPlan,
): Promise<Pick<CapacityRound, 'plain' | 'zipped' | 'documentBytes' | 'processBytes' | 'pollerBytes'>> {
  const { port } = subject;
  const response = await fetch(`http://127.0.0.1:${port}${LATEST}`, { headers: { 'accept-encoding': 'identity' } });
  const documentBytes = (await response.arrayBuffer()).byteLength;
  await poll(subject, plan, 'identity', WARM_UP_MS);
  const processBytes = subject.residentBytes();
  const pollers = await openPollers(port, LATEST, plan.pollers);
  await delay(SETTLE_MS);
  const pollerBytes = grownBy(processBytes, subject.residentBytes(), plan.pollers);
  pollers.close();
  await delay(SETTLE_MS);
  const plain = await poll(subject, plan, 'identity');
  const zipped = await poll(subject, plan, 'gzip');
  return {
    plain,
    zipped,
    documentBytes,
    ...(processBytes !== undefined && { processBytes }),
    ...(pollerBytes !== undefined && { pollerBytes }),
  };
}

async function poll(
  subject: NodeSubject,
  { pollConnections, pollMs }: CapacityPlan,
  encoding: string,
  durationMs = pollMs,
): Promise<PolledRate> {
  const headers = { 'accept-encoding': encoding };
  const before = await subject.cpuMicros();
  const load = { port: subject.port, path: LATEST, headers, connections: pollConnections, durationMs };
  const { requests, requestsPerSecond, responseBytes, statuses } = await httpLoad(load);
  if (statuses['200'] !== requests) throw new Error(`the server answered ${JSON.stringify(statuses)}`);
  const cpuMicros = ((await subject.cpuMicros()) - before) / requests;
  return { cpuMicros, perSecond: requestsPerSecond, answers: requests, answerBytes: responseBytes };
}

async function measurePush(
  subject: NodeSubject,
  { streams, warmUps, updates, intervalMs }: CapacityPlan,
): Promise<Pick<CapacityRound, 'push' | 'streamBytes'>> {
  const before = subject.residentBytes();
  const load = await LoadGroup.start({ ...LOAD, readers: streams, port: subject.port, path: subject.path });
  try {
    await measureDeliveries(subject, load, { count: warmUps, intervalMs, readers: streams });
    const found = await measureDeliveries(subject, load, { count: updates, intervalMs, readers: streams });
    const streamBytes = grownBy(before, subject.residentBytes(), streams);
    const push: PushedRate = {
      cpuMicros: found.serverCpuMicros,
      expected: found.expected,
      lost: found.lost,
      doubled: found.doubled,
      deliveryBytes: found.bytesPerDelivery,
      p50Ms: found.p50Ms,
      p99Ms: found.p99Ms,
      loadShare: found.loadShare,
      histogram: found.histogram,
    };
    return { push, ...(streamBytes !== undefined && { streamBytes }) };
  } finally {
    await load.stop();
  }
}

function grownBy(before: number | undefined, after: number | undefined, connections: number): number | undefined {
  return before === undefined || after === undefined ? undefined : Math.max(0, after - before) / connections;
}
