import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { type Child, startChild } from '../child.ts';
import { startPublisherProcess } from '../client/publisher.ts';
import { freePort } from '../free-port.ts';
import { LOAD, SERVER_CORE, type Setting } from '../setting.ts';
import { type Spread, spread } from '../spread.ts';
import type { HistoryFormat, HistoryShape } from './history-pages.ts';
import { requiredLdesClientVersion } from './ldes-client.ts';
import type { ReadingPlan, ReadingReport } from './reading-messages.ts';
import type { ReplaySize } from './replay-plan.ts';

/** How one client read one history, over all repeats. */
export interface ReaderResult {
  readonly reader: ReadingPlan['reader'];
  readonly runs: readonly ReadingReport[];
  readonly membersPerSecond: Spread;
}

/** How clients read the same history, in turns. */
export interface ReplayCase {
  readonly name: string;
  readonly members: number;
  readonly isOrdered: boolean;
  readonly readers: readonly ReaderResult[];
  /** Members per second of this framework's client in parts of the other's, the pairs of each repeat. */
  readonly ratio?: Spread;
}

export interface ReplayResult {
  readonly cases: readonly ReplayCase[];
}

interface Reading extends Omit<ReadingPlan, 'reader' | 'limitMs'> {
  readonly name: string;
  readonly readers: readonly ReadingPlan['reader'][];
}

const FORMATS: Readonly<Record<HistoryFormat, string>> = { nq: 'N-Quads', ttl: 'Turtle' };
const BOTH = ['ours', 'ldes-client'] as const;
const STREAM = 'parking';

/** Histories that are finished, read by this framework's client and by the public one, and the log of a server of ours. */
export async function measureReplay(size: ReplaySize, { folder, onProgress }: Setting): Promise<ReplayResult> {
  requiredLdesClientVersion();
  const files = await serveHistories(size, await mkdtemp(join(folder, 'history-')));
  const count = files.readings.length;
  const cases = await measureAll(files, size, (line, done) => onProgress(line, done / (count + 1)));
  const own = await servePublished(size);
  return { cases: [...cases, ...(await measureAll(own, size, (line) => onProgress(line, 1)))] };
}

async function measureAll(
  { readings, close }: Served,
  size: ReplaySize,
  onProgress: (line: string, done: number) => void,
): Promise<readonly ReplayCase[]> {
  const cases: ReplayCase[] = [];
  try {
    for (const reading of readings) {
      const result = await measureReading(reading, size);
      cases.push(result);
      onProgress(`${result.name}: ${result.readers.map(rateText).join(', ')}`, cases.length);
    }
  } finally {
    await close();
  }
  return cases;
}

function rateText({ reader, membersPerSecond }: ReaderResult): string {
  return `${reader} ${Math.round(membersPerSecond.median)} members/s`;
}

async function measureReading({ name, readers, ...reading }: Reading, size: ReplaySize): Promise<ReplayCase> {
  const runs = new Map<ReadingPlan['reader'], ReadingReport[]>(readers.map((reader) => [reader, []]));
  // In turns, so that what else the machine does falls on all.
  for (let repeat = 0; repeat < size.repeats; repeat += 1) {
    for (const [reader, reports] of runs) reports.push(await readOnce({ ...reading, reader, limitMs: size.limitMs }));
  }
  const results = [...runs].map(([reader, reports]) => ({
    reader,
    runs: reports,
    membersPerSecond: spread(reports.map(rateOf)),
  }));
  const [ours = [], others = []] = results.map((result) => result.runs.map(rateOf));
  const ratio = spread(ours.map((rate, repeat) => rate / (others[repeat] as number)));
  const { members, isOrdered } = reading;
  return { name, members, isOrdered, readers: results, ...(others.length > 0 && { ratio }) };
}

function rateOf({ members, elapsedMs }: ReadingReport): number {
  return (members * 1000) / elapsedMs;
}

async function readOnce(plan: ReadingPlan): Promise<ReadingReport> {
  const module = new URL('./history-reader-process.js', import.meta.url);
  const child = startChild<ReadingReport>(module, [JSON.stringify(plan)], LOAD.core);
  const report = await child.next();
  await child.ended;
  return report;
}

interface Served {
  readonly readings: readonly Reading[];
  close(): Promise<void>;
}

async function serveHistories(size: ReplaySize, folder: string): Promise<Served> {
  const port = await freePort();
  const { pageMembers, entities } = size;
  const shapes = [false, true].flatMap((isOrdered) =>
    (['nq', 'ttl'] as const).map((format): HistoryShape => {
      const baseUrl = `http://127.0.0.1:${port}/${isOrdered ? 'ordered' : 'unordered'}-${format}/`;
      const members = isOrdered ? size.ordered : size.unordered;
      return { baseUrl, members, pageMembers, entities, format, isOrdered };
    }),
  );
  const module = new URL('./history-server-process.js', import.meta.url);
  const child: Child<object> = startChild(module, [folder, String(port), JSON.stringify(shapes)], SERVER_CORE);
  await child.next();
  return {
    readings: shapes.map(({ baseUrl, members, format, isOrdered }) => ({
      name: `${FORMATS[format]}, ${isOrdered ? 'in order' : 'in any order'}`,
      url: `${baseUrl}root.${format}`,
      isOrdered,
      isLive: false,
      members,
      readers: BOTH,
    })),
    close: async () => {
      child.send({});
      await child.ended;
    },
  };
}

async function servePublished(size: ReplaySize): Promise<Served> {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}/`;
  const { entities, own: members } = size;
  const streams = [{ name: STREAM, kind: 'irregular', intervalMs: 1000 }] as const;
  const plan = { publicUrl, port, streams, entities, membersPerUpdate: 1, seed: 1, history: members };
  const publisher = await startPublisherProcess(plan, SERVER_CORE);
  return {
    readings: [
      {
        name: 'log of a server of ours',
        url: `${publicUrl}${STREAM}`,
        isOrdered: false,
        isLive: true,
        members,
        readers: ['ours'],
      },
    ],
    close: () => publisher.close(),
  };
}
