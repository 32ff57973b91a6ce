import type { Found } from '../report/make-report.ts';
import type { Cell, Section } from '../report/report.ts';
import { type Spread, spread } from '../spread.ts';
import type { ReaderResult, ReplayCase, ReplayResult } from './measure-replay.ts';
import type { ReadingReport } from './reading-messages.ts';
import type { ReplayPlan, ReplaySize } from './replay-plan.ts';

interface ReplayResults {
  readonly replay?: ReplayResult;
}

const NAMES = { ours: 'ldes-live', 'ldes-client': 'ldes-client' } as const;
const [KIB, MIB] = [1024, 1024 ** 2];

/** What of the report is this experiment's own. */
export function replayFound({ replay }: ReplayResults, plan: ReplayPlan): Omit<Found, 'workload' | 'data'> {
  const cases = replay?.cases ?? [];
  return {
    repeats: plan.replay.repeats,
    warnings: cases.flatMap(troubles),
    sections: [readingSection(cases, plan.replay), memorySection(cases)],
    ratios: Object.fromEntries(
      cases.flatMap(({ name, ratio }) => (ratio ? [[`members/s of ldes-live / ldes-client, ${name}`, ratio]] : [])),
    ),
    histograms: {},
  };
}

function readingSection(cases: readonly ReplayCase[], { pageMembers, entities, repeats }: ReplaySize): Section {
  return {
    title: 'Members a second',
    text: [
      'Files on immutable pages, of eight quads a member, with a root that leads to all of them; where order is asked for, relations bound the times of each page. A reader that does not end within its time is reported with what it has read. The ratio is that of two readings of one round. To be shown: at least 3 times as many members a second as ldes-client.',
    ],
    tables: [
      {
        caption: `Histories on pages of ${pageMembers} members, of ${entities} entities, read from their beginning; median of ${repeats} rounds in turns (least to greatest)`,
        columns: ['History', 'Members', 'ldes-live, members/s', 'ldes-client, members/s', 'Ratio'],
        rows: cases.map(({ name, members, readers, ratio }) => [
          name,
          String(members),
          rateOf(readers, 'ours'),
          rateOf(readers, 'ldes-client'),
          ratio,
        ]),
      },
    ],
  };
}

function memorySection(cases: readonly ReplayCase[]): Section {
  return {
    title: 'Memory while reading',
    text: [
      'Resident memory of the whole process, what waits to be collected included; the peak is that of samples 20 ms apart. The state is what a client saves to go on later, its longest text while reading.',
    ],
    tables: [
      {
        caption: 'Resident memory, MiB, and the state to save, KiB; median (least to greatest)',
        columns: ['History, client', 'Half way', 'At the end', 'At most', 'State, KiB'],
        rows: cases.flatMap(({ name, readers }) => readers.map((reader) => memoryRow(name, reader))),
      },
    ],
  };
}

function memoryRow(name: string, { reader, runs }: ReaderResult): Cell[] {
  const of = (figure: (run: ReadingReport) => number): Spread => spread(runs.map(figure));
  const states = runs.flatMap(({ stateBytes }) => (stateBytes === undefined ? [] : [stateBytes / KIB]));
  return [
    `${name}, ${NAMES[reader]}`,
    of(({ middleBytes }) => middleBytes / MIB),
    of(({ endBytes }) => endBytes / MIB),
    of(({ peakBytes }) => peakBytes / MIB),
    states.length > 0 ? Math.max(...states) : undefined,
  ];
}

function rateOf(readers: readonly ReaderResult[], name: ReaderResult['reader']): Spread | undefined {
  return readers.find(({ reader }) => reader === name)?.membersPerSecond;
}

function troubles({ name, members, readers }: ReplayCase): string[] {
  return readers.flatMap(({ reader, runs }) =>
    runs.flatMap((run) => troubleOf(`${name}: ${NAMES[reader]}`, run, members)),
  );
}

function troubleOf(who: string, run: ReadingReport, members: number): string[] {
  const doubled = run.doubled > 0 ? [`${who} had ${run.doubled} members twice.`] : [];
  if (run.isWhole && run.isEnded) return doubled;
  const end = run.isEnded ? ', and ended' : '';
  return [
    ...doubled,
    `${who} had ${run.members} of ${members} members in ${Math.round(run.elapsedMs / 1000)} s${end}.`,
  ];
}
