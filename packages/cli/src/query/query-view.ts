/*
 * The answer of a live query on a terminal, in place. How the query fares goes before the answer, and that before what it
 * was and how it is answered.
 *
 *   SELECT ?line ?late { ... }
 *   2 rows as of 10:04:05, 1.2 s old  MAL 2 s, asked 3 times, last in 12 ms
 *
 *   line       late
 *   4          120
 *   12 Flagey  60
 *   answered from the changed entities alone by comunica: ...
 */
import type { LiveResult } from '@ldes-live/query';
import { prefixes } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';
import stringWidth from 'string-width';
import type { Environment } from '../environment.ts';
import { failingText } from '../follow/summary.ts';
import { clockTime, formatSpan, plainText, plural, type TextOutput } from '../terminal.ts';
import { fit, type ScreenSize, styled, TerminalScreen } from '../terminal-screen.ts';
import type { QueryOptions, QueryPresentation, QueryState } from './query.ts';

/** Lines of a table that say something: its head, a row, and how many more there are. */
const MIN_TABLE_LINES = 3;
/** Lines of a table from which on there is room for what is only nice to know. */
const ROOMY_TABLE_LINES = 6;
/** Sources whose trouble is shown in lines of their own. */
const MAX_SOURCE_LINES = 3;
const COLUMN_GAP = '  ';
const MIN_COLUMN = 6;

interface AnswerTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Rows that came with the last result, as their keys. */
  readonly added: ReadonlySet<string>;
}

/** Shows the answer of a live query on a terminal (specs/query.md). */
export class QueryView implements QueryPresentation {
  readonly #options: QueryOptions;
  readonly #screen: TerminalScreen;
  readonly #labels: TermLabels;
  #explanation = '';
  #result: LiveResult | undefined;
  #table: AnswerTable | undefined;

  constructor(options: QueryOptions, environment: Environment, output: TextOutput) {
    this.#options = options;
    this.#screen = new TerminalScreen(environment, output);
    this.#labels = new TermLabels(options.sparql, options.urls);
  }

  explain(text: string): void {
    this.#explanation = text;
  }

  async print(result: LiveResult, state: QueryState): Promise<void> {
    this.#result = result;
    this.#table = answerTable(result, this.#labels);
    await this.refresh(state);
  }

  async refresh(state: QueryState): Promise<void> {
    await this.#screen.draw(({ columns, rows }: ScreenSize) => {
      const news = [this.#statusLine(state), ...this.#windowLines(), ...this.#sourceLines(state)];
      const left = rows - news.length;
      const title = left > MIN_TABLE_LINES ? [styled('bold', queryText(this.#options.sparql))] : [];
      const isRoomy = left - title.length >= ROOMY_TABLE_LINES + 2;
      const foot = isRoomy && this.#explanation !== '' ? [styled('dim', this.#explanation)] : [];
      const space = isRoomy ? [''] : [];
      const room = left - title.length - space.length - foot.length;
      const table = this.#table && room > 0 ? tableLines(this.#table, { columns, rows: room }) : [];
      return [...title, ...news, ...space, ...table, ...foot];
    });
  }

  #statusLine({ status, nowMs, isMalMet }: QueryState): string {
    const { urls, mal } = this.#options;
    const { dataAsOf, evaluatedAt, evaluations, lastEvaluationMs = 0 } = status;
    if (!dataAsOf || !this.#table) return `reading ${plainText(urls.join(', '))}`;
    const asOfMs = dataAsOf.getTime();
    // What a source is not heard of for goes back to no instant.
    const age = asOfMs > 0 ? ` as of ${clockTime(asOfMs)}, ${formatSpan(Math.max(0, nowMs - asOfMs))} old` : '';
    const answer = `${plural(this.#table.rows.length, 'row')}${age}`;
    const cost = `  MAL ${mal} s, evaluated ${plural(evaluations, 'time')}, last in ${Math.round(lastEvaluationMs)} ms`;
    // That an answer came late is not worth showing for longer than an answer may take.
    const isLate = this.#result?.overrun && evaluatedAt && nowMs - evaluatedAt.getTime() <= mal * 1000;
    return (isMalMet && !isLate ? styled('cyan', answer) : styled('red', `MAL not met: ${answer}`)) + cost;
  }

  #windowLines(): string[] {
    const { mal, windowMs } = this.#options;
    const step = windowMs === undefined ? '' : `, one closes every ${formatSpan(Math.min(mal * 1000, windowMs))}`;
    const { open, close } = this.#result?.window ?? {};
    if (open && close) return [`window [${clockTime(open.getTime())}, ${clockTime(close.getTime())})${step}`];
    return windowMs === undefined ? [] : [`windows of ${formatSpan(windowMs)}${step}`];
  }

  #sourceLines({ status: { sources }, nowMs }: QueryState): string[] {
    const texts = sources.flatMap(({ cursor, trouble, source, dataAgeMs }, index) => {
      const failing = source?.state === 'failing' ? failingText(source, dataAgeMs, nowMs) : undefined;
      const text =
        trouble ?? failing ?? (this.#table && cursor === undefined ? 'has delivered nothing yet' : undefined);
      if (text === undefined) return [];
      const url = this.#options.urls[index] ?? '';
      return [sources.length > 1 && !text.includes(url) ? `${url}: ${text}` : text];
    });
    const shown = texts.slice(0, texts.length > MAX_SOURCE_LINES ? MAX_SOURCE_LINES - 1 : MAX_SOURCE_LINES);
    const more = texts.length > shown.length ? [`and ${texts.length - shown.length} more with errors`] : [];
    return [...shown, ...more].map((text) => styled('red', plainText(text)));
  }
}

/** What goes before a query: declarations, comments, and RSP-QL's registration. IRIs may hold any word. */
const BEFORE =
  /^(?:\s+|#[^\n]*|PREFIX\s+(?:[^\s<]+\s*)?<[^>]*>|BASE\s+<[^>]*>|REGISTER\s+\w+\s+(?:<[^>]*>|\S+)\s+AS\b)/i;

/** The text of a query for people: in one line, from what it asks for on. */
function queryText(sparql: string): string {
  let rest = sparql;
  for (let before = BEFORE.exec(rest); before; before = BEFORE.exec(rest)) rest = rest.slice(before[0].length);
  return plainText(/\b(?:SELECT|ASK|CONSTRUCT|DESCRIBE)\b/i.test(rest) ? rest : sparql);
}

/** A result as a table; rows that have no order of their own are sorted by their texts. */
function answerTable(result: LiveResult, labels: TermLabels): AnswerTable {
  if (result.form === 'boolean') {
    const row = [result.value ? 'yes' : 'no'];
    return { columns: ['answer'], rows: [row], added: new Set([rowKey(row)]) };
  }
  if (result.form === 'quads') {
    const texts = ({ subject, predicate, object }: (typeof result.added)[number]) =>
      [subject, predicate, object].map((term) => labels.label(term));
    const [rows, added] = [result.quads().map(texts), result.added.map(texts)];
    return { columns: ['subject', 'predicate', 'object'], rows: sorted(rows), added: new Set(added.map(rowKey)) };
  }
  const { variables, kind } = result;
  const texts = (row: (typeof result.added)[number]) => variables.map((name) => labels.label(row[name]));
  const [rows, added] = [result.bindings().map(texts), result.added.map(texts)];
  return { columns: variables, rows: kind === 'snapshot' ? rows : sorted(rows), added: new Set(added.map(rowKey)) };
}

function sorted(rows: string[][]): string[][] {
  const collator = new Intl.Collator('en', { numeric: true });
  // By the first column that differs.
  return rows.sort(
    (left, right) => left.map((text, index) => collator.compare(text, right[index] ?? '')).find(Boolean) ?? 0,
  );
}

function rowKey(row: readonly string[]): string {
  return row.join('\u0000');
}

/** A table no larger than there is room for; what is left out is counted in its last line. */
function tableLines({ columns, rows, added }: AnswerTable, size: ScreenSize): string[] {
  const room = Math.max(size.rows - 1, 1);
  const shown = rows.length > room ? rows.slice(0, room - 1) : rows;
  const widths = columnWidths([columns, ...shown], size.columns);
  const line = (texts: readonly string[]) => texts.map((text, index) => fit(text, widths[index] ?? 0)).join(COLUMN_GAP);
  const body = shown.map((row) => (added.has(rowKey(row)) ? styled('green', line(row)) : line(row)));
  const rest = rows.length - shown.length;
  return [styled('bold', line(columns)), ...body, ...(rest > 0 ? [styled('dim', `and ${rest} more`)] : [])];
}

/** What each column takes: as much as it needs, and where that is too much in all, the widest give way. */
function columnWidths(rows: readonly (readonly string[])[], room: number): number[] {
  const needed = (column: number) => Math.max(...rows.map((row) => stringWidth(row[column] ?? '')));
  const widths = (rows[0] ?? []).map((_, column) => Math.min(needed(column), room));
  const gaps = COLUMN_GAP.length * (widths.length - 1);
  for (let over = widths.reduce((sum, width) => sum + width, gaps) - room; over > 0; over -= 1) {
    const max = Math.max(...widths);
    if (max <= MIN_COLUMN) break;
    widths[widths.indexOf(max)] = max - 1;
  }
  return widths;
}

/** Datatypes whose values speak for themselves. */
const PLAIN =
  /^http:\/\/www\.w3\.org\/2001\/XMLSchema#(?:string|integer|decimal|double|float|boolean|dateTime|date|time)$/;

class TermLabels {
  readonly #namespaces: readonly (readonly [iri: string, label: string])[];

  constructor(sparql: string, urls: readonly string[]) {
    const own = [...sparql.matchAll(/\bPREFIX\s+([\w.-]*):\s*<([^<>\s]+)>/gi)].map(
      ([, name = '', iri = '']) => [iri, `${name}:`] as const,
    );
    const known = Object.entries(prefixes).map(([name, iri]) => [iri, `${name}:`] as const);
    const places = urls.map((url) => [`${url.replace(/\/$/, '')}/`, ''] as const);
    const origins = [...new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin))];
    // With several a path alone would not say of which.
    const hosts = origins.map(
      (origin) => [`${origin}/`, origins.length > 1 ? `${new URL(origin).host}/` : '/'] as const,
    );
    // The longest first: it says the most.
    this.#namespaces = [...own, ...known, ...places, ...hosts].sort(([left], [right]) => right.length - left.length);
  }

  label(term: Term | undefined): string {
    return term === undefined ? '' : plainText(this.#text(term));
  }

  #text(term: Term): string {
    switch (term.termType) {
      case 'NamedNode':
        return this.#iri(term.value);
      case 'BlankNode':
        return `_:${term.value}`;
      case 'Literal':
        if (term.language) return `${term.value}@${term.language}`;
        return PLAIN.test(term.datatype.value) ? term.value : `${term.value} (${this.#iri(term.datatype.value)})`;
      case 'Quad':
        return `<<( ${[term.subject, term.predicate, term.object].map((part) => this.#text(part)).join(' ')} )>>`;
      default:
        return term.value;
    }
  }

  #iri(iri: string): string {
    const found = this.#namespaces.find(([namespace]) => iri.length > namespace.length && iri.startsWith(namespace));
    return found ? `${found[1]}${iri.slice(found[0].length)}` : `<${iri}>`;
  }
}
