/*
 * A server under measurement, as whoever measures sees it: where it is, what it costs, and how it is told to publish.
 *
 *   startSubject('express', { event, processes: 2 }, SERVER_CORE)
 *     -> processes of subject-process.ts, each loads one kind of server and nothing else; nginx and C are their own processes
 *   { "ports": [40123, 40125], "path": "/sse", "latestPath": "/polling", "pids": [811, 812] }
 */

import { cpuMicrosOf, residentBytesOf } from '../machine.ts';
import { type Child, startChild } from '../processes.ts';
import type { PublishSchedule } from '../timing.ts';
import { startCServer } from './c-loops.ts';
import type { LiveOptions, PostsOptions } from './ldes-live.ts';
import { startNchan } from './nchan.ts';
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

/** A subject that is a module of this package. */
export interface NodeSubject extends Subject {
  /** Follows an order that its kind has of its own. */
  ask<Answer>(order: object): Promise<Answer>;
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
  /** Follows an order of its own. */
  answer?(order: object): unknown;
  close(): Promise<unknown>;
}

/** What a server is started with that publishes the event of another. */
export interface EventOptions {
  /** The text of an event, with a stamp. */
  readonly event: string;
  /** From one update to the next, by which documents say when the next one comes; absent: they do not. */
  readonly intervalMs?: number;
}

/** What the loop in C is started with. */
export interface LoopOptions extends EventOptions {
  /** For its program and its files. */
  readonly folder: string;
}

/** The kinds of subjects, with what each is started with. */
export interface SubjectOptions {
  readonly 'ldes-live': LiveOptions;
  /** ldes-live with a stream of requests and one of replies, both of which take posts. */
  readonly posts: PostsOptions;
  readonly express: EventOptions;
  readonly 'fastify-sse': EventOptions;
  readonly 'node-loop': EventOptions;
  readonly 'c-loop': LoopOptions;
  readonly nchan: EventOptions;
}

/** Kinds that are a module of this folder, in a process of this package. */
export type NodeKind = Exclude<keyof SubjectOptions, 'c-loop' | 'nchan'>;

/** How many servers share the readers, in a process each: one process may have some 18,000 connections. @defaultValue 1 */
interface GroupOptions {
  readonly processes?: number;
}

/**
 * Starts a server on a core, `undefined` for any.
 *
 * @returns `undefined` where this machine does not have what it takes
 */
export async function startSubject<Kind extends 'c-loop' | 'nchan'>(
  kind: Kind,
  options: SubjectOptions[Kind] & GroupOptions,
  core: number | undefined,
): Promise<Subject | undefined>;
export async function startSubject<Kind extends NodeKind>(
  kind: Kind,
  options: SubjectOptions[Kind] & GroupOptions,
  core: number | undefined,
): Promise<NodeSubject>;
export async function startSubject(
  kind: keyof SubjectOptions,
  { processes = 1, ...options }: object & GroupOptions,
  core: number | undefined,
): Promise<Subject | undefined> {
  // Its workers share one port.
  if (kind === 'nchan') return startNchan(options as EventOptions, core, processes);
  const start = (more: object = {}) =>
    kind === 'c-loop'
      ? startCServer(options as LoopOptions, core)
      : startProcess({ kind, options: { ...options, ...more } }, core);
  const first = await start();
  if (first === undefined) return undefined;
  // The others publish what the first has found to be of the size.
  const sized = first.commits && { commits: first.commits };
  const others = await Promise.all(Array.from({ length: processes - 1 }, () => start(sized)));
  return processes === 1 ? first : groupSubjects([first, ...(others as Subject[])]);
}

/** What the process of a subject is started with. */
export interface SubjectPlan {
  readonly kind: NodeKind;
  readonly options: object;
}

/** What it sends when it is ready. */
type SubjectStarted = Omit<Server, 'head' | 'expect' | 'publish' | 'answer' | 'close'>;

/** Orders that all kinds follow. */
export type SubjectOrder =
  | { readonly order: 'usage' | 'close' }
  | { readonly order: 'publish'; readonly schedule: PublishSchedule };

async function startProcess(plan: SubjectPlan, core: number | undefined): Promise<NodeSubject> {
  const module = new URL('./subject-process.js', import.meta.url);
  const child = await startChild<SubjectStarted>(module, plan, core);
  const { port, pids: more = [], ...started } = child.started;
  const pids = [child.pid, ...more];
  const order = <Answer>(asked: SubjectOrder) => child.ask<Answer>(asked);
  return {
    ...started,
    ports: [port],
    // Where the system tells, the process is not asked: one that has much to do would answer late, by a time that nobody knows.
    cpuMicros: async () => cpuMicrosOf(pids) || ownUsage(child, more),
    residentBytes: () => residentBytesOf(pids),
    publish: async (schedule) => (await order<{ head?: string }>({ order: 'publish', schedule })).head,
    ask: (asked) => child.ask(asked),
    close: async () => {
      await order({ order: 'close' });
      await child.close();
    },
  };
}

function ownUsage(child: Child<unknown>, workers: readonly number[]): Promise<number> {
  if (workers.length > 0) throw new Error('the CPU time of workers is known on Linux only');
  return child.ask({ order: 'usage' } satisfies SubjectOrder);
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
