/*
 * `replay`: histories on immutable pages are read to their end by our client and by the public ldes-client, in turns, each in
 * a new process; then the log of a server of ours.
 *
 *   { "measurement": "replay", "subject": "ldes-live", "at": { "history": "Turtle, in order", "members": 25000 },
 *     "values": { "membersPerSecond": 8200, "lost": 0, "doubled": 0, "peakBytes": 210000000, "stateBytes": 5120 } }
 *
 * A reader that does not end within its time is reported with what it has read: the others are lost.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Experiment, Lab, Measured, Missing } from '../experiment.ts';
import { type Versions, versionOf } from '../machine.ts';
import { LOAD_CORE, SERVER_CORE, startChild } from '../processes.ts';
import type { CellPlan } from '../result.ts';
import type { HistoryShape, ReaderRole, ReadingReport, ReplayRole } from './replay-process.ts';

interface ReplayPlan {
  /** Members that are read in any order, in order, and of the log of our server. */
  readonly unordered: number;
  readonly ordered: number;
  readonly own: number;
  readonly pageMembers: number;
  readonly entities: number;
  readonly repeats: number;
  /** The longest time for one reading. */
  readonly limitMs: number;
}

const FULL: ReplayPlan = {
  unordered: 100_000,
  ordered: 25_000,
  own: 100_000,
  pageMembers: 250,
  entities: 1000,
  repeats: 3,
  limitMs: 120_000,
};
const QUICK: ReplayPlan = {
  ...FULL,
  unordered: 1000,
  ordered: 500,
  own: 1000,
  entities: 50,
  repeats: 1,
  limitMs: 20_000,
};

const OURS = 'ldes-live';
const THEIRS = 'ldes-client';
const LIVE = 'log of our server';
const FORMATS = { nq: 'N-Quads', ttl: 'Turtle' } as const;
/** Members that the slower client reads a second: in any order, and in order, where it slows down with their number. */
const [UNORDERED_PER_SECOND, ORDERED_PER_SECOND] = [2000, 250];
const START_SECONDS = 0.5;

const MODULE = new URL('./replay-process.js', import.meta.url);

/** How fast a history is read from its beginning, and what memory that takes, beside another client. */
export const REPLAY: Experiment<ReplayPlan> = {
  name: 'replay',
  title: 'Reading a history from its beginning',
  about: 'members a second and memory of a client, beside ldes-client',
  measurements: [],
  options: ['repeat'],
  plan: ({ quick, repeats }) => {
    const plan = quick ? QUICK : FULL;
    return { ...plan, repeats: repeats ?? plan.repeats };
  },
  cells: (plan) => {
    const { repeats, limitMs } = plan;
    const cell = (subject: string, history: string, members: number, isOrdered: boolean) => {
      const readSeconds = members / (isOrdered ? ORDERED_PER_SECOND : UNORDERED_PER_SECOND);
      const seconds = START_SECONDS + Math.min(readSeconds, limitMs / 1000);
      return { measurement: 'replay', subject, at: { history, members }, repeats, seconds };
    };
    const histories = Object.entries(shapesOf(plan)).flatMap(([history, { members, isOrdered }]) =>
      [OURS, THEIRS].map((subject) => cell(subject, history, members, isOrdered && subject === THEIRS)),
    );
    return [...histories, cell(OURS, LIVE, plan.own, false)];
  },
  measure,
  versions: ldesClientVersions,
  ratios: [{ of: { subject: OURS }, value: 'membersPerSecond', over: { subject: THEIRS } }],
  views: [
    {
      kind: 'bars',
      title: 'Members a second',
      of: {},
      x: { key: 'history', title: 'History' },
      y: { value: 'membersPerSecond', title: 'Members/s' },
      series: { subject: '' },
    },
    {
      kind: 'bars',
      title: 'Memory at most while reading',
      of: {},
      x: { key: 'history', title: 'History' },
      y: { value: 'peakBytes', per: 1024 ** 2, title: 'MiB' },
      series: { subject: '' },
    },
    {
      kind: 'table',
      title: 'Members a second, what came wrongly in all rounds, and memory of the whole process',
      of: {},
      rows: { history: 'History', members: 'Members', subject: 'Client' },
      columns: [
        { value: 'membersPerSecond', title: 'Members/s' },
        { value: 'membersPerSecond', over: { subject: THEIRS }, title: 'Members/s ÷ ldes-client' },
        { value: 'lost', title: 'Not in time', isTotal: true },
        { value: 'doubled', title: 'Twice', isTotal: true },
        { value: 'disordered', title: 'After a newer one', isTotal: true },
        { value: 'peakBytes', per: 1024 ** 2, title: 'Resident memory at most, MiB' },
        { value: 'stateBytes', per: 1024, title: 'Saved state, KiB' },
      ],
    },
  ],
};

/** Finished histories by their titles. */
function shapesOf({ unordered, ordered, pageMembers, entities }: ReplayPlan): Readonly<Record<string, HistoryShape>> {
  const shapes = [false, true].flatMap((isOrdered) =>
    (['nq', 'ttl'] as const).map((format) => {
      const name = `${isOrdered ? 'ordered' : 'unordered'}-${format}`;
      const members = isOrdered ? ordered : unordered;
      const title = `${FORMATS[format]}, ${isOrdered ? 'in order' : 'in any order'}`;
      return [title, { name, members, pageMembers, entities, format, isOrdered }] as const;
    }),
  );
  return Object.fromEntries(shapes);
}

async function measure(
  { subject, at: { history, members } }: CellPlan,
  plan: ReplayPlan,
  lab: Lab,
): Promise<Measured | Missing> {
  const ldesClient = subject === THEIRS ? ldesClientModule() : undefined;
  if (subject === THEIRS && ldesClient === undefined) return { missing: 'ldes-client (npm install ldes-client@0.3.0)' };
  const shapes = shapesOf(plan);
  const shape = shapes[history as string];
  const serving: ReplayRole =
    shape === undefined
      ? { role: 'live', members: plan.own, entities: plan.entities }
      : { role: 'histories', shapes: Object.values(shapes) };
  const server = await lab.shared(serving.role, () => startChild<{ url: string }>(MODULE, serving, SERVER_CORE));
  const { url } = server.started;
  const role: ReaderRole = {
    role: 'reader',
    ...(ldesClient !== undefined && { ldesClient }),
    url: shape === undefined ? url : `${url}${shape.name}/root.${shape.format}`,
    isOrdered: shape?.isOrdered ?? false,
    isLive: shape === undefined,
    members: Number(members),
    limitMs: plan.limitMs,
  };
  const reader = await startChild<object>(MODULE, role, LOAD_CORE);
  try {
    const { elapsedMs, members: read, disordered, ...values } = await reader.ask<ReadingReport>({});
    const membersPerSecond = (read * 1000) / elapsedMs;
    const lost = role.members - read;
    return { values: { membersPerSecond, lost, ...(role.isOrdered && { disordered }), ...values } };
  } finally {
    await reader.close();
  }
}

/** Where ldes-client, an optional peer of this package, is looked for: in a clone it is installed for an example alone. */
const PLACES = [import.meta.url, new URL('../../../../examples/hand-over/', import.meta.url)];

function ldesClientPath(): string | undefined {
  for (const place of PLACES) {
    try {
      return createRequire(place).resolve('ldes-client');
    } catch {
      // It is looked for at the next place.
    }
  }
  return undefined;
}

function ldesClientModule(): string | undefined {
  const path = ldesClientPath();
  return path === undefined ? undefined : join(dirname(path), 'client.js');
}

function ldesClientVersions(): Versions {
  const path = ldesClientPath();
  const version = path === undefined ? undefined : versionOf(path);
  return version === undefined ? {} : { [THEIRS]: version };
}
