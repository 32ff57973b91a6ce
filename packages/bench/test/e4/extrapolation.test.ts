import { expect, test } from 'vitest';
import { extrapolate } from '../../src/e4/extrapolation.ts';

const COSTS = { roundTripCpuMicros: 100, updateCpuMicros: 20, baseBytes: 100e6, clientBytes: 10_000, eventBytes: 500 };
const TARGET = {
  clients: 1e6,
  requestsPerSecond: 240_000,
  heartbeatSeconds: 15,
  cpuShare: 0.5,
  machineCores: 16,
  machineBytes: 32e9,
};

// A client that is silent for 15 s is one of e^3.6 gaps.
const HEARTBEATS = 240_000 / (Math.exp(3.6) - 1);
// 24 s of CPU time a second for round trips.
const CORES = (24 + (HEARTBEATS * 20) / 1e6) / 0.5;

test('known costs come to known needs', () => {
  const needs = extrapolate(COSTS, TARGET);
  expect(needs).toMatchObject({ messagesPerSecond: 960_000, machines: 4, byCores: 4, byMemory: 1 });
  expect(needs.heartbeatsPerSecond).toBeCloseTo(HEARTBEATS, 6);
  expect(needs.cores).toBeCloseTo(CORES, 9);
  expect(needs.bitsPerSecond).toBe(960e6);
});

test('each core has a process, whose memory counts beside that of the clients', () => {
  const { processes, memoryBytes } = extrapolate(COSTS, TARGET);
  expect(processes).toBe(Math.ceil(CORES));
  expect(memoryBytes).toBe(processes * 100e6 + 1e10);
});

test('clients who hear nothing get nearly one comment for each interval', () => {
  const { heartbeatsPerSecond } = extrapolate(COSTS, { ...TARGET, requestsPerSecond: 1 });
  expect(heartbeatsPerSecond).toBeCloseTo(1e6 / 15, 0);
});

test('where memory asks for more machines than cores do, so many are needed', () => {
  expect(extrapolate({ ...COSTS, clientBytes: 200_000 }, TARGET)).toMatchObject({
    machines: 7,
    byCores: 4,
    byMemory: 7,
  });
});
