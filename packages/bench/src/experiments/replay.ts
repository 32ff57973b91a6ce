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
import { askOnce, LOAD_CORE, SERVER_CORE, startChild } from '../processes.ts';
import type { CellPlan } from '../result.ts';
import type { History, ReaderRole, ReadingReport, ReplayRole } from './replay-process.ts';

const FULL = {
  /** Members that are read in any order, in order, and of the log of our server. */
  unordered: 100_000,
  ordered: 25_000,
  own: 100_000,
  pageMembers: 250,
  entities: 1000,
  repeats: 3,
  /** The longest time for one reading: what counts is the rate. */
  limitMs: 60_000,
};
type Plan = typeof FULL;
const QUICK: Plan = { ...FULL, unordered: 1000, ordered: 500, own: 1000, entities: 50, repeats: 1, limitMs: 20_000 };

const OURS = 'ldes-live';
const THEIRS = 'ldes-client';
const LIVE = 'log of our server';
const FORMATS = { nquads: 'N-Quads', turtle: 'Turtle' } as const;
/** Members that a client reads a second, at least; ldes-client in order is ended by the limit. */
const [OURS_PER_SECOND, THEIRS_PER_SECOND, THEIRS_ORDERED_PER_SECOND] = [8000, 4000, 50];
const START_SECONDS = 0.5;

/** How fast a history is read from its beginning, and what memory that takes, beside another client. */
export const REPLAY: Experiment<Plan> = {
  name: 'replay',
  title: 'Reading a history from its beginning',
  about: 'members a second and memory of a client, compared with ldes-client',
  measurements: [],
  options: ['repeat'],
  plan: ({ quick, repeats }) => ({ ...(quick ? QUICK : FULL), ...(repeats !== undefined && { repeats }) }),
  cells: (plan) => {
    const { repeats, limitMs } = plan;
    const cell = (subject: string, history: string, members: number, perSecond: number) => {
      const seconds = START_SECONDS + Math.min(members / perSecond, limitMs / 1000);
      return { measurement: 'replay', subject, at: { history, members }, repeats, seconds };
    };
    const finished = Object.entries(historiesOf(plan)).flatMap(([history, { members, isOrdered }]) => [
      cell(OURS, history, members, OURS_PER_SECOND),
      cell(THEIRS, history, members, isOrdered ? THEIRS_ORDERED_PER_SECOND : THEIRS_PER_SECOND),
    ]);
    return [...finished, cell(OURS, LIVE, plan.own, OURS_PER_SECOND)];
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
function historiesOf({ unordered, ordered, pageMembers, entities }: Plan): Readonly<Record<string, History>> {
  const histories = [false, true].flatMap((isOrdered) =>
    (['nquads', 'turtle'] as const).map((format) => {
      const name = `${isOrdered ? 'ordered' : 'unordered'}-${format}`;
      const members = isOrdered ? ordered : unordered;
      const title = `${FORMATS[format]}, ${isOrdered ? 'in order' : 'in any order'}`;
      return [title, { name, members, pageMembers, entities, format, isOrdered }] as const;
    }),
  );
  return Object.fromEntries(histories);
}

async function measure({ subject, at }: CellPlan, plan: Plan, lab: Lab): Promise<Measured | Missing> {
  const ldesClient = subject === THEIRS ? ldesClientPath() : undefined;
  if (subject === THEIRS && ldesClient === undefined) return { missing: 'ldes-client (npm install ldes-client@0.3.0)' };
  const module = new URL('./replay-process.js', import.meta.url);
  const histories = historiesOf(plan);
  const history = histories[at.history as string];
  const serving: ReplayRole =
    history === undefined
      ? { role: 'live', members: plan.own, entities: plan.entities }
      : { role: 'histories', histories: Object.values(histories) };
  const server = await lab.shared(serving.role, () => startChild<{ url: string }>(module, serving, SERVER_CORE));
  const { url } = server.started;
  const role: ReaderRole = {
    role: 'reader',
    ...(ldesClient !== undefined && { ldesClient: join(dirname(ldesClient), 'client.js') }),
    url: history === undefined ? url : `${url}${history.name}`,
    isOrdered: history?.isOrdered ?? false,
    isLive: history === undefined,
    members: Number(at.members),
    limitMs: plan.limitMs,
  };
  const { elapsedMs, members, disordered, ...values } = await askOnce<ReadingReport>(module, role, LOAD_CORE);
  const membersPerSecond = (members * 1000) / elapsedMs;
  const lost = role.members - members;
  return { values: { membersPerSecond, lost, ...(role.isOrdered && { disordered }), ...values } };
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

function ldesClientVersions(): Versions {
  const path = ldesClientPath();
  const version = path === undefined ? undefined : versionOf(path);
  return version === undefined ? {} : { [THEIRS]: version };
}
