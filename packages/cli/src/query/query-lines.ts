import type { LiveQueryStatus, LiveResult } from '@ldes-live/query';
import type { QueryCommand } from '../command-line/query-command.ts';
import { counted } from '../counted.ts';
import { clockTime, failingText, formatSpan } from '../follow/summary.ts';
import { plainText } from '../terminal/plain-text.ts';
import type { StyledLine } from '../terminal/styled-line.ts';
import type { ScreenSize } from '../terminal/terminal-screen.ts';
import { queryText } from './query-text.ts';
import { type AnswerTable, tableLines } from './table-lines.ts';

/** All that the view of a query shows. */
export interface QueryViewState {
  readonly command: Pick<QueryCommand, 'sparql' | 'urls' | 'mal' | 'windowMs'>;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  readonly status: LiveQueryStatus;
  /** How it is answered; empty while that is not known. */
  readonly explanation: string;
  /** Absent before the first answer. */
  readonly answer?: { readonly table: AnswerTable; readonly window?: LiveResult['window'] };
  readonly isKept: boolean;
}

/** Lines of a table that say something: its head, a row, and how many more there are. */
const LEAST_TABLE_LINES = 3;

/** Lines of a table from which on there is room for what is only nice to know. */
const ROOMY_TABLE_LINES = 6;

/** Sources whose trouble is told in lines of their own. */
const MOST_SOURCE_LINES = 3;

/**
 * The lines of the view, as many as there is room for: how the query fares goes before the answer, and that before what it
 * was and how it is answered. Lines may be wider than the room is.
 *
 * @see specs/query.md QUERY-95
 */
export function queryLines(state: QueryViewState, size: ScreenSize): readonly StyledLine[] {
  const { command, answer, explanation } = state;
  const news = [statusLine(state), ...windowLines(state), ...sourceLines(state)];
  const left = size.rows - news.length;
  const title: StyledLine[] = left > LEAST_TABLE_LINES ? [[{ text: queryText(command.sparql), tone: 'strong' }]] : [];
  const isRoomy = left - title.length >= ROOMY_TABLE_LINES + 2;
  const foot: StyledLine[] = isRoomy && explanation !== '' ? [[{ text: explanation, tone: 'faint' }]] : [];
  const space: StyledLine[] = isRoomy ? [[]] : [];
  const rows = left - title.length - space.length - foot.length;
  const table = answer && rows > 0 ? tableLines(answer.table, { ...size, rows }) : [];
  return [...title, ...news, ...space, ...table, ...foot].slice(0, Math.max(size.rows, 1));
}

function statusLine({ command, nowMs, status, answer, isKept }: QueryViewState): StyledLine {
  const { dataAsOf, evaluations, lastEvaluationMs = 0 } = status;
  if (!dataAsOf || !answer) return [`reading ${plainText(command.urls.join(', '))}`];
  const asOfMs = dataAsOf.getTime();
  const rows = counted(answer.table.rows.length, 'row');
  // What a source is not heard of for goes back to no instant.
  const age = asOfMs > 0 ? ` as of ${clockTime(asOfMs)}, ${formatSpan(Math.max(0, nowMs - asOfMs))} old` : '';
  const cost = `asked ${counted(evaluations, 'time')}, last in ${Math.round(lastEvaluationMs)} ms`;
  const answered = isKept
    ? ({ text: `${rows}${age}`, tone: 'accent' } as const)
    : ({ text: `not kept: ${rows}${age}`, tone: 'bad' } as const);
  return [answered, `  MAL ${command.mal} s, ${cost}`];
}

function windowLines({ command, answer }: QueryViewState): StyledLine[] {
  const { mal, windowMs } = command;
  const step = windowMs === undefined ? '' : `, one closes every ${formatSpan(Math.min(mal * 1000, windowMs))}`;
  if (answer?.window) {
    const [open, close] = [answer.window.open, answer.window.close].map((instant) => clockTime(instant.getTime()));
    return [[`window [${open}, ${close})${step}`]];
  }
  return windowMs === undefined ? [] : [[`windows of ${formatSpan(windowMs)}${step}`]];
}

function sourceLines({ command, nowMs, status, answer }: QueryViewState): StyledLine[] {
  const told = status.sources.flatMap(({ cursor, trouble, source, dataAgeMs }, index) => {
    const failing = source?.state === 'failing' ? failingText(source, dataAgeMs, nowMs) : undefined;
    const text = trouble ?? failing ?? (answer && cursor === undefined ? 'has brought nothing yet' : undefined);
    if (text === undefined) return [];
    const url = command.urls[index] ?? '';
    // What says of which it is need not be told of which it is.
    return [status.sources.length > 1 && !text.includes(url) ? `${url}: ${text}` : text];
  });
  const shown = told.slice(0, told.length > MOST_SOURCE_LINES ? MOST_SOURCE_LINES - 1 : MOST_SOURCE_LINES);
  const rest = told.length - shown.length;
  const more = rest > 0 ? [`and ${rest} more in trouble`] : [];
  return [...shown, ...more].map((text): StyledLine => [{ text: plainText(text), tone: 'bad' }]);
}
