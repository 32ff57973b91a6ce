/*
 * A server under measurement, as whoever measures sees it: where it is, what it costs, and how it is told to publish.
 *
 *   startSubject('Express', { event, processes: 2 }, SERVER_CORE)
 *     -> processes of subject-process.ts, each loads one kind of server and nothing else; nginx and C are their own processes
 *   { "ports": [40123, 40125], "path": "/sse", "latestPath": "/polling", "pids": [811, 812] }
 */

import { cpuMicrosOf, residentBytesOf } from '../machine.ts';
import { allOrNone, startChild } from '../processes.ts';
import type { PublishSchedule } from '../timing.ts';
import { startCServer } from './c-loops.ts';
import { startNchan } from './nchan.ts';
import type { NodeKinds } from './subject-process.ts';
import type { CommitSize } from './workloads.ts';

/** A server under measurement. */
export interface Subject {
  /** Where it is reached, in turns: one, unless it consists of servers that have a port each. */
  readonly ports: readonly number[];
  /** Path of its event stream. */
  readonly path: string;
  /** Path of the document with the latest state, where it has one; it holds the stamp of its update. */
  readonly latestPath?: string;
  /** An update as one event, as text; of the one whose updates the others publish too. */
  readonly sample?: string;
  /** How large each commit is, where all are alike. */
  readonly commits?: CommitSize;
  /** CPU time of all its processes so far, microseconds. */
  cpuMicros(): Promise<number>;
  /** Resident memory of all its processes; `undefined` where the system does not tell. */
  residentBytes(): number | undefined;
  /** Resolves when the last update has been published, to its id where it has one. */
  publish(schedule: PublishSchedule): Promise<string | undefined>;
  close(): Promise<void>;
}

/** A server within the process that is measured: what a module of this folder starts. */
export interface Server extends Pick<Subject, 'path' | 'latestPath' | 'sample' | 'commits'> {
  readonly port: number;
  /** Further processes that it consists of. */
  readonly pids?: readonly number[];
  /** The id of the last update, where it has one. */
  head?(): string;
  /** Learns when the next update is due, before it is published. */
  expect?(dueMicros: number): void;
  /** Sends an update to all readers, which has the instant in it that it was due. */
  publish(stampMicros: number, index: number): Promise<unknown> | undefined;
  close(): Promise<unknown>;
}

/** What a server is started with that publishes the event of another. */
export interface EventOptions {
  /** The text of an event, with a stamp. */
  readonly event: string;
  /** From one update to the next, by which documents say when the next one comes; absent: they do not. */
  readonly intervalMs?: number;
  /** Of the loop in C: where it is compiled to. */
  readonly folder?: string;
}

/** The kinds of servers, as tables name them. */
export type SubjectKind = keyof NodeKinds | 'C loop' | 'Nchan';

/** How many servers share the readers, in a process each: one process may have some 18,000 connections. @defaultValue 1 */
interface GroupOptions {
  readonly processes?: number;
}

/**
 * Starts a server on a core, `undefined` for any.
 *
 * @returns `undefined` where this machine does not have what it takes
 */
export async function startSubject<Kind extends keyof NodeKinds>(
  kind: Kind,
  options: NodeKinds[Kind] & GroupOptions,
  core: number | undefined,
): Promise<Subject>;
export async function startSubject(
  kind: SubjectKind,
  options: EventOptions & GroupOptions,
  core: number | undefined,
): Promise<Subject | undefined>;
export async function startSubject(
  kind: SubjectKind,
  { processes = 1, ...options }: object & GroupOptions,
  core: number | undefined,
): Promise<Subject | undefined> {
  // Its workers share one port.
  if (kind === 'Nchan') return startNchan(options as EventOptions, core, processes);
  const start = (more: object = {}) =>
    kind === 'C loop'
      ? startCServer(options as EventOptions, core)
      : startProcess({ kind, options: { ...options, ...more } }, core);
  const first = await start();
  if (first === undefined) return undefined;
  // The others publish what the first has found to be of the size.
  const sized = first.commits && { commits: first.commits };
  const starting = [first, ...Array.from({ length: processes - 1 }, () => start(sized) as Promise<Subject>)];
  const all = await allOrNone(starting.map((one) => Promise.resolve(one)));
  return processes === 1 ? first : groupSubjects(all);
}

/** What the process of a subject is started with. */
export interface SubjectPlan {
  readonly kind: keyof NodeKinds;
  readonly options: object;
}

export type SubjectOrder =
  | { readonly order: 'usage' | 'close' }
  | { readonly order: 'publish'; readonly schedule: PublishSchedule };

async function startProcess(plan: SubjectPlan, core: number | undefined): Promise<Subject> {
  const { ask, close, pid, started } = await startChild<Server>(
    new URL('./subject-process.js', import.meta.url),
    plan,
    core,
  );
  const { port, pids: more = [], ...known } = started;
  const pids = [pid, ...more];
  const order = <Answer>(one: SubjectOrder) => ask<Answer>(one);
  return {
    ...known,
    ports: [port],
    cpuMicros: async () => {
      // Where the system tells, the process is not asked: one that has much to do would answer late, by a time that nobody knows.
      const micros = cpuMicrosOf(pids);
      if (micros === 0 && more.length > 0) throw new Error('the CPU time of workers is known on Linux only');
      return micros || order<number>({ order: 'usage' });
    },
    residentBytes: () => residentBytesOf(pids),
    publish: async (schedule) => (await order<{ head?: string }>({ order: 'publish', schedule })).head,
    close: async () => {
      await order({ order: 'close' });
      await close();
    },
  };
}

/** Servers that share the readers, each with a port of its own, as one: each publishes every update. At least one. */
function groupSubjects(subjects: readonly Subject[]): Subject {
  const [first] = subjects as readonly [Subject, ...Subject[]];
  return {
    ...first,
    ports: subjects.flatMap(({ ports }) => ports),
    cpuMicros: async () => (await Promise.all(subjects.map((one) => one.cpuMicros()))).reduce((sum, one) => sum + one),
    residentBytes: () => {
      const known = subjects.flatMap((one) => one.residentBytes() ?? []);
      return known.length < subjects.length ? undefined : known.reduce((sum, one) => sum + one);
    },
    publish: async (schedule) => (await Promise.all(subjects.map((one) => one.publish(schedule))))[0],
    close: async () => {
      await Promise.all(subjects.map((one) => one.close()));
    },
  };
}
