import { rowNameText } from '../report/number-text.ts';
import { spread } from '../spread.ts';
import { comparedText } from './compared-text.ts';
import type { E3Results } from './e3-found.ts';
import { mostRatio } from './e3-ratios.ts';
import { limitOf } from './limit-of.ts';
import type { FixedRun } from './measure-fixed.ts';
import type { MostRun } from './measure-most.ts';
import { percentText } from './percent-text.ts';

/** What the server makes a second, however many read it. */
interface Making {
  readonly commits: number;
  /** Of a commit. */
  readonly members: number;
}

/** Test III with the most connections that it has. */
interface Shared {
  readonly making: Making;
  readonly connections: number;
  readonly offeredPerSecond: number;
  /** Share of its core that the server took, the median. */
  readonly serverShare: number;
  /** Repeats that were kept up with, and all. */
  readonly kept: number;
  readonly repeats: number;
}

/**
 * What it costs that ldes-live makes members of rows, by tests I to III: a sentence each. That the limit is what is
 * made, and not the connections, is said only where test III had more of them and no consumer was full at the end of
 * test II.
 */
export function makingText({ batch = [], connections = [], fixed = [] }: Partial<E3Results>): readonly string[] {
  const live = connections.filter(({ transport }) => transport === 'ldes-live');
  const making = makingOf(live.flatMap(({ best, steps }) => best ?? steps[0] ?? []));
  const shared = sharedOf(fixed.filter(({ transport }) => transport === 'ldes-live'));
  const ratios = [...ratioText('test I', batch), ...ratioText('test II', connections)];
  return [
    ...(ratios.length > 0
      ? ['ldes-live stores each row as a member, and writes it as JSON-LD once for all who read it.', ...ratios]
      : []),
    ...weightText(batch, connections),
    ...(making ? [reachedText(live, making)] : []),
    ...(shared ? [sharedText(shared)] : []),
    ...(making ? endText(live, making, shared) : []),
  ];
}

function ratioText(test: string, runs: readonly MostRun[]): string[] {
  const ratio = mostRatio(runs, 'ldes-live', 'sse');
  return ratio ? [`In ${test}, ${comparedText('ldes-live', 'sse', ratio)}.`] : [];
}

/** Whether members are further from rows than one transport is from the other, in all tests that tell. */
function weightText(...tests: readonly (readonly MostRun[])[]): string[] {
  const areHeavier = tests.flatMap((runs) => {
    const [ours, transport] = [mostRatio(runs, 'ldes-live', 'sse'), mostRatio(runs, 'sse', 'websocket')];
    return ours && transport ? [ours.max < Math.min(transport.min, 1 / transport.max)] : [];
  });
  return areHeavier.length > 0 && !areHeavier.includes(false)
    ? ['What is made of a row weighs more than the transport that it goes by.']
    : [];
}

function reachedText(live: readonly MostRun[], making: Making): string {
  const { commits, members } = making;
  const made = `${rowNameText(perSecond(making))} members a second, in ${rowNameText(commits)} commits of ${rowNameText(members)}`;
  return `In test II, ldes-live had to make ${made}, however many connections read them; it kept up with ${keptText(live)}.`;
}

/** The least and the most connections that repeats kept up with: there are no parts of one. */
function keptText(live: readonly MostRun[]): string {
  const kept = keptOf(live);
  if (kept.length === 0) return 'no number of connections';
  const [least, most] = [Math.min(...kept), Math.max(...kept)];
  const range = least === most ? rowNameText(most) : `${rowNameText(least)} to ${rowNameText(most)}`;
  const none = live.length - kept.length;
  const others = none > 0 ? `, and in ${none} of ${live.length} repeats with none` : '';
  return `${range} ${most === 1 ? 'connection' : 'connections'}${others}`;
}

function sharedText({ making, connections, offeredPerSecond, serverShare, kept, repeats }: Shared): string {
  const rows = `${rowNameText(offeredPerSecond)} rows a second of ldes-live over ${rowNameText(connections)} connections`;
  const made = `${rowNameText(perSecond(making))} members a second to be made`;
  return `In test III, ${rows} took ${percentText(serverShare)} of the core of the server, with ${made} (${kept} of ${repeats} repeats were kept up with).`;
}

/** What ended test II, where that follows. */
function endText(live: readonly MostRun[], making: Making, shared: Shared | undefined): string[] {
  const limits = live.map(limitOf);
  const full = limits.filter((limit) => limit === 'client' || limit === 'both sides').length;
  if (full > 0) {
    return [
      `The consumer was full where test II ended, in ${full} of ${limits.length} repeats: that is no limit of the server alone.`,
    ];
  }
  const isReached = limits.every((limit) => limit === 'server' || limit === 'neither was full');
  if (!isReached || !shared || !isEasier(shared, live, making)) return [];
  const { commits, members } = making;
  return [
    `So it is not the number of connections that ended test II, but the ${rowNameText(commits)} commits a second of ${rowNameText(members)} members.`,
  ];
}

/** Whether more connections than in test II were kept up with, by most repeats, where less was to be made. */
function isEasier(shared: Shared, live: readonly MostRun[], making: Making): boolean {
  const isMore = shared.connections > Math.max(0, ...keptOf(live));
  return isMore && perSecond(shared.making) < perSecond(making) && shared.kept * 2 > shared.repeats;
}

/** Connections that were kept up with, of the repeats that kept up with any. */
function keptOf(live: readonly MostRun[]): readonly number[] {
  return live.flatMap(({ best }) => best?.level ?? []);
}

function makingOf([step]: readonly Pick<FixedRun, 'batch' | 'intervalMs'>[]): Making | undefined {
  return step && { commits: 1000 / step.intervalMs, members: step.batch };
}

/** Members a second. */
function perSecond({ commits, members }: Making): number {
  return commits * members;
}

function sharedOf(fixed: readonly FixedRun[]): Shared | undefined {
  const connections = Math.max(...fixed.map((run) => run.connections));
  const widest = fixed.filter((run) => run.connections === connections);
  const [first, making] = [widest[0], makingOf(widest)];
  if (!first || !making) return undefined;
  return {
    making,
    connections,
    offeredPerSecond: first.offeredPerSecond,
    serverShare: spread(widest.map(({ serverShare }) => serverShare)).median,
    kept: widest.filter(({ isKeptUp }) => isKeptUp).length,
    repeats: widest.length,
  };
}
