import { numberText } from '../report/number-text.ts';
import type { Spread } from '../spread.ts';
import { MOST_MISSING } from './cell-run.ts';
import { type Comparison, compareDelays, compareSpreads, slopeRange } from './compare-spreads.ts';
import { type CellSummary, cellOf } from './summarize-cells.ts';
import type { Way } from './ways.ts';

/** A hypothesis of the article, and what this run says of it. */
export interface Hypothesis {
  readonly id: 'H1' | 'H2' | 'H3';
  readonly statement: string;
  /** What the article came to. */
  readonly article: 'accepted' | 'rejected';
  /** For each way to poll, beside the same server's push. */
  readonly answers: readonly Answer[];
}

/** What two ways beside each other say of a hypothesis, and the numbers that decided. */
interface Answer {
  readonly pull: Way;
  readonly push: Way;
  readonly verdict: 'accepted' | 'rejected' | 'undecided';
  /** The greatest number of clients of which something can be said. */
  readonly upTo?: number;
  readonly numbers: string;
}

type Judged = Pick<Answer, 'verdict' | 'upTo' | 'numbers'>;
type Judge = (pairs: readonly CellPair[]) => Judged;

/** Both ways with the same number of clients. */
interface CellPair {
  readonly clients: number;
  readonly pull: CellSummary;
  readonly push: CellSummary;
}

/** The hypotheses of the article, each answered for every way to poll that the same server's push was measured beside. */
export function answerHypotheses(cells: readonly CellSummary[]): readonly Hypothesis[] {
  return [
    {
      id: 'H1',
      statement: 'Pushing has the lower latency on the client.',
      article: 'accepted',
      // Our client waits as long as its MAL lets it.
      answers: answers(
        cells.filter(({ way }) => way.kind !== 'mal'),
        pushIsSooner,
      ),
    },
    {
      id: 'H2',
      statement: 'Polling takes more CPU time with few clients, and grows less steeply with more of them.',
      article: 'rejected',
      answers: answers(cells, pollingGrowsLess),
    },
    {
      id: 'H3',
      statement: 'From some number of clients on, pushing takes more CPU time than polling.',
      article: 'rejected',
      answers: answers(cells, pushCostsMore),
    },
  ];
}

function answers(cells: readonly CellSummary[], judge: Judge): readonly Answer[] {
  const ways = [...new Map(cells.map(({ way }) => [way.id, way])).values()];
  return ways.flatMap((pull) => {
    const push = ways.find(({ kind, server }) => kind === 'sse' && server === pull.server);
    return pull.kind === 'sse' || !push ? [] : [{ pull, push, ...judge(pairsOf(cells, pull, push)) }];
  });
}

function pairsOf(cells: readonly CellSummary[], pull: Way, push: Way): readonly CellPair[] {
  return cells
    .filter(({ way }) => way.id === pull.id)
    .flatMap((cell) => {
      const other = cellOf(cells, push.id, cell.clients);
      return other ? [{ clients: cell.clients, pull: cell, push: other }] : [];
    })
    .sort((left, right) => left.clients - right.clients);
}

const NOTHING_TO_COMPARE = { verdict: 'undecided', numbers: 'nothing to compare' } as const;
/** Of a core: a server that takes more does not keep up, and takes less than what is asked of it would. */
const FULL_SHARE = 0.9;

/** H1: push has the lower median and the lower 99th percentile at every number of clients; what never came is later than all. */
function pushIsSooner(pairs: readonly CellPair[]): Judged {
  const compared = pairs.flatMap(({ clients, pull, push }) => {
    if (!pull.latency || !push.latency) return [];
    const compare = (figure: 'p50Ms' | 'p99Ms') => compareDelays(push.latency?.[figure], pull.latency?.[figure]);
    const both = (figure: 'p50Ms' | 'p99Ms') =>
      `${delayText(push.latency?.[figure])} against ${delayText(pull.latency?.[figure])}`;
    const comparison = jointly([compare('p50Ms'), compare('p99Ms')]);
    const text = `${sizeText(clients)}: p50 ${both('p50Ms')}, p99 ${both('p99Ms')}${undecidedText(comparison)}`;
    return [{ clients, comparison, text }];
  });
  if (compared.length === 0) return NOTHING_TO_COMPARE;
  const decided = compared.filter(({ comparison }) => comparison !== 'undecided');
  const numbers = compared.map(({ text }) => text).join('; ');
  const last = decided.at(-1);
  if (!last) return { verdict: 'undecided', numbers };
  const isSooner = decided.every(({ comparison }) => comparison === 'less');
  return { verdict: isSooner ? 'accepted' : 'rejected', upTo: last.clients, numbers };
}

/** Less than another where both figures are, and more where one is. */
function jointly(comparisons: readonly Comparison[]): Comparison {
  if (comparisons.includes('more')) return 'more';
  return comparisons.every((one) => one === 'less') ? 'less' : 'undecided';
}

/** H2: polling takes more at the least number of clients, and the line through its figures is less steep. */
function pollingGrowsLess(pairs: readonly CellPair[]): Judged {
  const points = sharesOf(pairs.filter(({ pull, push }) => !isFull(pull) && !isMissing(pull) && !isMissing(push)));
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < 2) return NOTHING_TO_COMPARE;
  const line = (figure: 'pull' | 'push') => slopeRange(points.map((point) => ({ x: point.clients, y: point[figure] })));
  const [pull, push] = [line('pull'), line('push')];
  const numbers = [
    `at ${sizeText(first.clients)} polling takes ${percent(first.pull.median)} of a core, pushing ${percent(first.push.median)}`,
    `up to ${sizeText(last.clients)}, every 1,000 more take ${percent(pull.median * 1000)} and ${percent(push.median * 1000)}`,
    ...(last.clients < (pairs.at(-1)?.clients ?? 0) ? ['with more, a server was full or updates did not come'] : []),
  ].join('; ');
  const [atFirst, growth] = [compareSpreads(first.pull, first.push), compareSpreads(pull, push)];
  if (atFirst === 'less' || growth === 'more') return { verdict: 'rejected', upTo: last.clients, numbers };
  if (atFirst === 'more' && growth === 'less') return { verdict: 'accepted', upTo: last.clients, numbers };
  return { verdict: 'undecided', numbers: `${numbers} (ranges overlap)` };
}

/** H3: push takes more at some number of clients and at all greater ones. */
function pushCostsMore(pairs: readonly CellPair[]): Judged {
  const compared = sharesOf(pairs.filter(({ push }) => !isMissing(push))).map((point) => {
    const comparison = compareSpreads(point.push, point.pull);
    // Polling would take more than it did, had it served all.
    const isKnown = comparison === 'less' || (!isFull(point.cells.pull) && !isMissing(point.cells.pull));
    return { ...point, comparison: isKnown ? comparison : ('undecided' as const) };
  });
  if (compared.length === 0) return NOTHING_TO_COMPARE;
  const decided = compared.filter(({ comparison }) => comparison !== 'undecided');
  const numbers = compared
    .map(({ clients, pull, push, comparison }) => {
      return `${sizeText(clients)}: ${percent(push.median)} against ${percent(pull.median)}${undecidedText(comparison)}`;
    })
    .join('; ');
  const last = decided.at(-1);
  if (!last) return { verdict: 'undecided', numbers };
  const from = decided[decided.findLastIndex(({ comparison }) => comparison === 'less') + 1];
  if (!from) return { verdict: 'rejected', upTo: last.clients, numbers };
  return { verdict: 'accepted', upTo: last.clients, numbers: `from ${sizeText(from.clients)} on; ${numbers}` };
}

interface Shares {
  readonly clients: number;
  readonly pull: Spread;
  readonly push: Spread;
  readonly cells: CellPair;
}

function sharesOf(pairs: readonly CellPair[]): readonly Shares[] {
  return pairs.flatMap((cells) => {
    const [pull, push] = [cells.pull.cpuShare, cells.push.cpuShare];
    return pull && push ? [{ clients: cells.clients, pull, push, cells }] : [];
  });
}

function isFull({ cpuShare }: CellSummary): boolean {
  return (cpuShare?.median ?? 0) >= FULL_SHARE;
}

/** Whether so much did not come that CPU time is that of fewer updates. */
function isMissing({ missingShare }: CellSummary): boolean {
  return (missingShare?.median ?? 0) > MOST_MISSING;
}

function undecidedText(comparison: Comparison): string {
  return comparison === 'undecided' ? ' (undecided)' : '';
}

function delayText(delay: Spread | undefined): string {
  return delay ? `${numberText(delay.median)} ms` : 'never';
}

function sizeText(clients: number): string {
  return `${numberText(clients)} clients`;
}

function percent(share: number): string {
  return `${numberText(share * 100)} %`;
}
