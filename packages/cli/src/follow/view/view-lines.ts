import type { LiveStatus } from '@ldes-live/client';
import { plainText } from '../../terminal/plain-text.ts';
import { lineText, type Span, type StyledLine } from '../../terminal/styled-line.ts';
import type { ScreenSize } from '../../terminal/terminal-screen.ts';
import { filled, textWidth } from '../../terminal/text-width.ts';
import { wrapText } from '../../terminal/wrap-text.ts';
import { formatLag, formatSpan, isExpectation, LOST, localTimes } from '../summary.ts';
import type { ChangeRecord, EntityRow } from './change-record.ts';
import { formatBytes, formatCount } from './format-amount.ts';
import { MISS_MARK, sparkline } from './sparkline.ts';

/** All that the view shows. */
export interface ViewState {
  readonly url: string;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** The maximum acceptable latency, milliseconds. */
  readonly malMs: number;
  readonly status: LiveStatus;
  readonly record: Pick<ChangeRecord, 'lagsMs' | 'changes' | 'gap' | 'rows'>;
  /** The time of day when the sources of the stream worked again; absent where they have not failed. */
  readonly recoveredAt?: string | undefined;
}

const LABEL_COLUMNS = 6;
/** Lines of a reason: an error with a URL on a line of its own, and its cause, fit into them. */
const MOST_REASON_LINES = 4;
const LEAST_GRAPH_COLUMNS = 10;
const MOST_NAME_COLUMNS = 28;
const LEAST_NAME_COLUMNS = 12;
// Of a row, without name and values.
const OTHER_COLUMNS = 42;
const VERSIONS_COLUMNS = 12;

/**
 * The lines of the view, as many as there is room for: what says how the reading fares goes before the last changes,
 * and those before empty lines. Lines may be wider than the room is.
 */
export function viewLines(state: ViewState, size: ScreenSize): readonly StyledLine[] {
  const head = headLines(state, size.columns);
  const counters = counterLines(state, size.columns);
  const isRoomy = head.length + counters.length + 4 <= size.rows;
  const space: readonly StyledLine[] = isRoomy ? [[]] : [];
  const top = [...head, ...space, ...counters, ...space];
  const rows = state.record.rows(size.rows - top.length).map((row) => rowLine(row, size.columns));
  return [...top, ...rows].slice(0, Math.max(size.rows, 1));
}

function headLines({ url, nowMs, malMs, status, record, recoveredAt }: ViewState, columns: number): StyledLine[] {
  const mal = `MAL ${formatMal(malMs)}`;
  const { mode } = status;
  const reason = wrapText(localTimes(plainText(status.reason), nowMs), columns - LABEL_COLUMNS, '');
  const name = filled(plainText(url), Math.max(columns - textWidth(mal) - 2, 1));
  return [
    [{ text: name, tone: 'strong' }, '  ', { text: mal, tone: 'strong' }],
    [{ text: mode.padEnd(LABEL_COLUMNS), tone: 'accent' }, reason[0] ?? ''],
    ...reason.slice(1, MOST_REASON_LINES).map((line) => [''.padEnd(LABEL_COLUMNS), line]),
    ['data'.padEnd(LABEL_COLUMNS), ...dataSpans(status, nowMs, recoveredAt)],
    ['next'.padEnd(LABEL_COLUMNS), ...nextSpans(status, malMs)],
    ['lag'.padEnd(LABEL_COLUMNS), ...lagSpans(record.lagsMs, status.maxLagMs, malMs, columns - LABEL_COLUMNS)],
    ...(record.gap === undefined ? [] : [[{ text: 'gap'.padEnd(LABEL_COLUMNS), tone: 'bad' as const }, record.gap]]),
  ];
}

function dataSpans(status: LiveStatus, nowMs: number, recoveredAt: string | undefined): Span[] {
  const { source, dataAgeMs, isInTrouble } = status;
  const age = dataAgeMs === undefined ? 'none yet' : `${formatSpan(dataAgeMs)} old`;
  if (source?.state === 'failing') {
    const since = localTimes(`since ${source.completeTo ?? source.since}`, nowMs);
    const isLost = source.completeTo !== undefined;
    const heard = isInTrouble
      ? `when last heard, the source was failing ${since}`
      : `the source has been failing ${since}`;
    return [{ text: `${age}: ${isLost ? `${LOST} ${since}` : heard}`, tone: 'bad' }];
  }
  // Of a server that does not answer nobody knows how its sources are now.
  if (isInTrouble)
    return [age, ...(source ? [{ text: ', the source worked when last heard', tone: 'faint' as const }] : [])];
  if (recoveredAt !== undefined) return [age, { text: `, the source works again since ${recoveredAt}`, tone: 'good' }];
  return [age, ...(source ? [{ text: ', the source works', tone: 'faint' as const }] : [])];
}

// What is expected; what was measured stands in the line below it.
function nextSpans({ lagBoundMs, isCaughtUp }: LiveStatus, malMs: number): Span[] {
  const bound: Span = isExpectation(lagBoundMs)
    ? { text: `expected within ${formatLag(lagBoundMs, malMs)}`, tone: lagBoundMs <= malMs ? 'good' : 'bad' }
    : { text: 'not known yet', tone: 'faint' };
  return [bound, { text: isCaughtUp ? ', all there was is read' : ', reading what there is', tone: 'faint' }];
}

function lagSpans(lagsMs: readonly number[], maxLagMs: number, malMs: number, columns: number): Span[] {
  if (lagsMs.length === 0) return [{ text: 'no update yet', tone: 'faint' }];
  const legend = `  last ${formatLag(lagsMs.at(-1) as number, malMs)}, worst ${formatLag(maxLagMs, malMs)}`;
  const scale = `  (height: the MAL, ${MISS_MARK}: over it)`;
  // The graph is what the line is for: explanations go where there is room for both.
  const room = columns - textWidth(legend) - textWidth(scale);
  const width = room >= LEAST_GRAPH_COLUMNS ? room : columns - textWidth(legend);
  return [
    ...sparkline(lagsMs, malMs, Math.max(width, LEAST_GRAPH_COLUMNS)),
    legend,
    ...(room >= LEAST_GRAPH_COLUMNS ? [{ text: scale, tone: 'faint' as const }] : []),
  ];
}

function counterLines({ status, record }: ViewState, columns: number): StyledLine[] {
  const { requests, bytes, malMisses, gaps, conflated } = status;
  const counters: StyledLine[] = [
    counter('updates', formatCount(status.updates)),
    counter('changes', formatCount(record.changes)),
    counter('requests', formatCount(requests)),
    counter('received', formatBytes(bytes)),
    counter('misses', formatCount(malMisses), malMisses > 0),
    counter('gaps', formatCount(gaps), gaps > 0),
    counter('left out', formatCount(conflated), conflated > 0),
  ];
  const lines: Span[][] = [];
  for (const spans of counters) {
    const line = lines.at(-1);
    if (line && textWidth(lineText(line)) + 3 + textWidth(lineText(spans)) <= columns) line.push('   ', ...spans);
    else lines.push([...spans]);
  }
  return lines;
}

function counter(name: string, value: string, isBad = false): StyledLine {
  return [{ text: `${name} `, tone: 'faint' }, isBad ? { text: value, tone: 'bad' } : value];
}

function rowLine({ name, news, at, versions, lagMs, values }: EntityRow, columns: number): StyledLine {
  const nameColumns = Math.min(MOST_NAME_COLUMNS, Math.max(columns - OTHER_COLUMNS, LEAST_NAME_COLUMNS));
  const lag = lagMs === undefined ? '' : formatSpan(lagMs);
  const count = versions > 1 ? `${formatCount(versions)} versions` : '';
  const rest = values === '' ? count : `${count.padEnd(VERSIONS_COLUMNS)}  ${values}`;
  const told: Span =
    news === 'changed' ? news.padEnd(8) : { text: news.padEnd(8), tone: news === 'new' ? 'good' : 'bad' };
  return [{ text: at, tone: 'faint' }, `  ${filled(name, nameColumns)}  `, told, `${lag.padStart(8)}  `, rest];
}

function formatMal(malMs: number): string {
  return `${malMs / 1000} s`;
}
