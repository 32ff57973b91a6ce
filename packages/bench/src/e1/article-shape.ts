import type { LatencyCounts } from '../load/latency-histogram.ts';
import { numberText } from '../report/number-text.ts';
import { MOST_MISSING } from './cell-run.ts';
import { duePercentileMs } from './latency-share.ts';
import { type CellSummary, cellOf } from './summarize-cells.ts';

/** Something that the article saw, and whether the same set-up shows it here. */
export interface ShapeCheck {
  readonly statement: string;
  /** `undefined` where the run has nothing that could tell. */
  readonly isSeen: boolean | undefined;
  readonly numbers: string;
}

const STRAIGHT = 'polling-express';
const NGINX = 'polling-express-nginx';
const PUSH = 'sse-express';
/** Share of the updates that is `mostly`. */
const MOSTLY = 0.5;
const NEARLY_ALL = 0.99;
/** With as many or fewer clients, hardly anything is measured but the server's own work. */
const FEW_CLIENTS = 1000;
const MIB = 1024 ** 2;
/** Values are spread evenly where no tenth of them takes more or less than the mean tenth by this factor. */
const EVEN_FACTOR = 2;
const TENTHS = 10;

/** Whether the rebuilt servers of the article behave as the article says, each point with the numbers that tell. */
export function checkArticleShape(cells: readonly CellSummary[]): readonly ShapeCheck[] {
  const of = (id: string) =>
    cells.filter(({ way }) => way.id === id).sort((left, right) => left.clients - right.clients);
  const [straight, nginx, push] = [of(STRAIGHT), of(NGINX), of(PUSH)];
  return [
    every('Polling straight: up to 2,000 clients, updates mostly take less than 1 s', upTo(straight, 2000), (cell) =>
      underOneSecond(cell, (share) => share >= MOSTLY),
    ),
    some(
      'Polling straight: unstable above 5,000 clients, updates are skipped or take 1 s and more',
      above(straight, 5000),
    ),
    every(
      'Polling through nginx: from 2,000 clients on, updates mostly take 1 s and more',
      above(nginx, 1999),
      (cell) => underOneSecond(cell, (share) => share < MOSTLY),
    ),
    every('SSE: up to 5,000 clients, updates take less than 1 s', upTo(push, 5000), (cell) =>
      underOneSecond(cell, (share) => share >= NEARLY_ALL),
    ),
    even(push.at(-1)),
    every('SSE takes less CPU time than polling through nginx', above(push, FEW_CLIENTS - 1), (cell) =>
      cheaper(cell, cellOf(cells, NGINX, cell.clients)),
    ),
    every('Polling through nginx takes less CPU time than straight', above(nginx, FEW_CLIENTS - 1), (cell) =>
      cheaper(cell, cellOf(cells, STRAIGHT, cell.clients)),
    ),
    halves(cellOf(cells, NGINX, 5000), cellOf(cells, STRAIGHT, 5000)),
    memory('SSE: memory grows with every connection', push, (growth) => growth > 1),
    memory('Polling straight: memory stays the same', straight, (growth) => growth <= 1),
  ];
}

type Seen = Pick<ShapeCheck, 'isSeen' | 'numbers'>;

function every(statement: string, cells: readonly CellSummary[], look: (cell: CellSummary) => Seen): ShapeCheck {
  const seen = cells.map(look).filter(({ isSeen }) => isSeen !== undefined);
  if (seen.length === 0) return untold(statement);
  return {
    statement,
    isSeen: seen.every(({ isSeen }) => isSeen),
    numbers: seen.map(({ numbers }) => numbers).join('; '),
  };
}

/** Whether some of the cells is no longer served as fewer clients are: by what is skipped, lost or late. */
function some(statement: string, cells: readonly CellSummary[]): ShapeCheck {
  // What could not be run says nothing of the server.
  const told = cells.filter(({ latency }) => latency);
  if (told.length === 0) return untold(statement);
  const isUnstable = ({ latency, missingShare }: CellSummary) =>
    (missingShare?.median ?? 0) > MOST_MISSING || (latency?.underOneSecond.median ?? 1) < NEARLY_ALL;
  const numbers = told.map((cell) => {
    const { underOneSecond: under, longestMs } = cell.latency ?? {};
    const missing = percent(cell.missingShare?.median ?? 0);
    const longest = longestMs ? `, longest ${numberText(longestMs.median)} ms` : '';
    return `${size(cell)}: ${percent(under?.median ?? 0)} under 1 s${longest}, ${missing} skipped or lost`;
  });
  return { statement, isSeen: told.some(isUnstable), numbers: numbers.join('; ') };
}

function underOneSecond(cell: CellSummary, isSeen: (share: number) => boolean): Seen {
  const share = cell.latency?.underOneSecond.median;
  if (share === undefined) return { isSeen: undefined, numbers: '' };
  return { isSeen: isSeen(share), numbers: `${size(cell)}: ${percent(share)} under 1 s` };
}

function even(cell: CellSummary | undefined): ShapeCheck {
  const statement = 'SSE: with 25,000 clients, updates are spread evenly over seconds (0 to 4 s there)';
  if (!cell?.latency || cell.clients < 25_000) return untold(statement);
  const { histogram } = cell.latency;
  const missing = cell.missingShare?.median ?? 0;
  const widthsMs = tenthsMs(histogram);
  const longestMs = histogram.max / 1000;
  const mean = longestMs / TENTHS;
  const isEven = widthsMs.every((width) => width >= mean / EVEN_FACTOR && width <= mean * EVEN_FACTOR);
  const [least, most] = [Math.min(...widthsMs), Math.max(...widthsMs)].map(numberText);
  return {
    statement,
    isSeen: isEven && longestMs > 1000 && missing <= MOST_MISSING,
    numbers: `longest ${numberText(longestMs)} ms, a tenth of the updates within ${least} to ${most} ms: ${isEven ? 'evenly' : 'not evenly'}, within ${longestMs > 1000 ? 'seconds' : 'less than a second'}; ${percent(missing)} lost`,
  };
}

/** How long each tenth of the values takes, from 0 to the longest, milliseconds. */
function tenthsMs(latency: LatencyCounts): readonly number[] {
  const came = { latency, lost: 0, skipped: 0 };
  const edges = Array.from({ length: TENTHS + 1 }, (_, index) =>
    index === 0 ? 0 : (duePercentileMs(index / TENTHS, came) ?? 0),
  );
  return edges.slice(1).map((edge, index) => edge - (edges[index] as number));
}

/** The CPU time of a server that serves its clients; of one that leaves them without, it says nothing of what they cost. */
function servingShare(cell: CellSummary | undefined): number | undefined {
  return (cell?.missingShare?.median ?? 0) > MOST_MISSING ? undefined : cell?.cpuShare?.median;
}

function cheaper(cell: CellSummary, other: CellSummary | undefined): Seen {
  const [own, others] = [servingShare(cell), servingShare(other)];
  if (own === undefined || others === undefined) return { isSeen: undefined, numbers: '' };
  return { isSeen: own < others, numbers: `${size(cell)}: ${percent(own)} of a core against ${percent(others)}` };
}

function halves(nginx: CellSummary | undefined, straight: CellSummary | undefined): ShapeCheck {
  const statement = 'nginx about halves the CPU time of polling at 5,000 clients';
  const [own, others] = [servingShare(nginx), servingShare(straight)];
  if (own === undefined || others === undefined) return untold(statement);
  const part = own / others;
  return { statement, isSeen: part >= 0.35 && part <= 0.65, numbers: `${numberText(part)} of what it is straight` };
}

/** @param isSeen - told how much memory each client takes, KiB */
function memory(statement: string, cells: readonly CellSummary[], isSeen: (growth: number) => boolean): ShapeCheck {
  const known = cells.filter(({ residentBytes }) => residentBytes);
  const [first, last] = [known[0], known.at(-1)];
  if (!first?.residentBytes || !last?.residentBytes || first === last) return untold(statement);
  const [from, to] = [first.residentBytes.median, last.residentBytes.median];
  const kib = (to - from) / 1024 / (last.clients - first.clients);
  const mib = (bytes: number) => `${numberText(bytes / MIB)} MiB`;
  return {
    statement,
    isSeen: isSeen(kib),
    numbers: `${mib(from)} with ${size(first)}, ${mib(to)} with ${size(last)}: ${numberText(kib)} KiB for each more`,
  };
}

function untold(statement: string): ShapeCheck {
  return { statement, isSeen: undefined, numbers: 'not in this run, or not served' };
}

/** The cells of so many clients at most; none unless there are some of at least half as many, that tell of so many. */
function upTo(cells: readonly CellSummary[], clients: number): readonly CellSummary[] {
  const within = cells.filter((cell) => cell.clients <= clients);
  return within.some((cell) => cell.clients >= clients / 2 && cell.latency) ? within : [];
}

function above(cells: readonly CellSummary[], clients: number): readonly CellSummary[] {
  return cells.filter((cell) => cell.clients > clients);
}

function size({ clients }: CellSummary): string {
  return `${clients.toLocaleString('en-GB')} clients`;
}

function percent(share: number): string {
  return `${numberText(share * 100)} %`;
}
