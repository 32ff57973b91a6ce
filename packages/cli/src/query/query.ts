/*
 * Asks a live query over streams and prints what its answer is and becomes: a table in place for people, else an object of
 * JSON a line, with what came and went as in SPARQL Results JSON.
 *
 *   {"sequence":3,"added":[{"n":{"type":"literal","value":"4"}}],"removed":[],"dataAsOf":"...","evaluatedAt":"...","evaluationMs":4,"overrun":false}
 *
 * All else is on standard error: how the query is answered, what trouble its sources are in, and how it went at the end.
 */
import {
  comunica,
  type Explanation,
  jsonBinding,
  type LiveQueryStatus,
  type LiveResult,
  oxigraph,
  type SourceStatus,
  withQueries,
  writeQuad,
} from '@ldes-live/query';
import type { EngineName } from '@ldes-live/query/http';
import { evaluateInWorker } from '@ldes-live/query/worker';
import type { Environment } from '../environment.ts';
import { ErrorStateNews, FeedNews } from '../follow/summary.ts';
import { type ContactHosts, clientFor } from '../hosts.ts';
import { canShowView, clockTime, formatSpan, plainText, plural, TextOutput } from '../terminal.ts';
import { tokenFields } from '../token.ts';

export interface QueryOptions {
  readonly urls: readonly string[];
  readonly sparql: string;
  /** The maximum acceptable latency, in seconds. */
  readonly mal: number;
  /** The length of the time window to ask over, in milliseconds; the latest state when absent. */
  readonly windowMs?: number;
  /** What answers; Comunica when absent. */
  readonly engine?: EngineName;
  readonly count?: number;
  /** Which hosts may be contacted; absent: for each URL `public` where it is one of a public host, else `any`. */
  readonly hosts?: ContactHosts;
  /** The environment variable with the token to read by. */
  readonly tokenEnv?: string;
}

export interface QueryState {
  readonly status: LiveQueryStatus;
  readonly nowMs: number;
  readonly isMalMet: boolean;
}

export interface QueryPresentation {
  explain(text: string): void;
  print(result: LiveResult, state: QueryState): Promise<void>;
  refresh(state: QueryState): Promise<void>;
}

const REFRESH_MS = 250;

/**
 * Asks a query over streams and prints what its answer is and becomes, until the count is reached, it is interrupted, or
 * nobody reads.
 */
export async function query(options: QueryOptions, environment: Environment): Promise<number> {
  const { urls, sparql, mal, windowMs, engine, tokenEnv, count = Number.POSITIVE_INFINITY } = options;
  const { stdout, stderr, clock, interrupted } = environment;
  const output = new TextOutput(stdout);
  const signal = AbortSignal.any([interrupted, output.ended]);
  const presentation = await presentationFor(options, environment, output);
  // A query that takes its time must not hold up what is read.
  const evaluators = evaluateInWorker();
  const { client, close } = await clientFor(urls, options.hosts, { mal, headers: tokenFields(tokenEnv, environment) });
  const live = withQueries(client).query(urls, sparql, {
    signal,
    evaluators: async (task) => {
      const evaluator = await evaluators(task);
      // As soon as it is known: the first answer may be long in coming.
      presentation.explain(explanationText(evaluator.explanation));
      return evaluator;
    },
    engine: engine === 'oxigraph' ? oxigraph() : comunica(),
    ...(windowMs !== undefined && { window: { type: 'time', range: windowMs / 1000 } }),
  });
  const tracker = new MalTracker(mal * 1000);
  const stateNow = () => {
    const [status, nowMs] = [live.status, clock()];
    return { status, nowMs, isMalMet: tracker.isMalMet(status, nowMs) };
  };
  const refreshing = setInterval(() => presentation.refresh(stateNow()), REFRESH_MS);
  let results = 0;
  try {
    for await (const result of live) {
      await presentation.print(result, stateNow());
      results += 1;
      if (results >= count) break;
    }
    await presentation.refresh(stateNow());
  } catch (error) {
    // The end that was asked for is not a failure, however it comes back.
    if (!signal.aborted || error !== signal.reason) throw error;
  } finally {
    clearInterval(refreshing);
    close();
    output.close();
  }
  if (!output.ended.aborted) stderr.write(`${lastLine(live.status, { results, mal, notMetMs: tracker.notMetMs })}\n`);
  return 0;
}

/** How it went. Silence of a source proves nothing: an answer may be within the MAL, and that not be known. */
export function lastLine(
  { evaluations, overruns, skipped }: Pick<LiveQueryStatus, 'evaluations' | 'overruns' | 'skipped'>,
  { results, mal, notMetMs }: { readonly results: number; readonly mal: number; readonly notMetMs: number },
): string {
  const found = plural(results, 'result');
  if (evaluations === 0) return `${found}: no evaluation, because nothing was read`;
  const asked = `evaluated ${plural(evaluations, 'time')}, ${plural(skipped, 'commit')} without effect`;
  const within =
    notMetMs === 0
      ? ', and the answer was always within it'
      : `; for ${formatSpan(notMetMs)} in total the answer may have been older`;
  return `${found}; ${asked}; ${plural(overruns, 'evaluation')} missed the MAL of ${mal} s${within}`;
}

function explanationText({ strategy, reason, engine }: Explanation): string {
  const way = strategy === 'local' ? 'computed from the changed entities only' : 'evaluated again at each change';
  return `${way} by ${engine}: ${reason}`;
}

async function presentationFor(
  options: QueryOptions,
  environment: Environment,
  output: TextOutput,
): Promise<QueryPresentation> {
  if (canShowView(environment)) {
    const { QueryView } = await import('./query-view.ts');
    return new QueryView(options, environment, output);
  }
  const { stderr } = environment;
  const notices = new SourceNotices();
  return {
    explain: (text) => void stderr.write(`${text}\n`),
    print: (result) => output.write(resultLine(result)),
    refresh: async ({ status, nowMs }) => {
      const text = notices.lines(status.sources, nowMs);
      if (text !== '') stderr.write(text);
    },
  };
}

/** A result as programs read it, JSON in a line. Solutions are as in SPARQL Results JSON, quads as in N-Quads. */
export function resultLine(result: LiveResult): string {
  const { sequence, evaluatedAt, dataAsOf, evaluationMs, overrun, window } = result;
  const facts = { dataAsOf, evaluatedAt, evaluationMs: Math.round(evaluationMs), overrun, ...(window && { window }) };
  return `{"sequence":${sequence},${answerText(result)},${JSON.stringify(facts).slice(1)}\n`;
}

function answerText(result: LiveResult): string {
  if (result.form === 'boolean') return `"boolean":${result.value}`;
  if (result.form === 'quads') {
    const [added, removed] = [result.added, result.removed].map((quads) =>
      JSON.stringify(quads.map((quad) => writeQuad(quad).trimEnd())),
    );
    return `"added":${added},"removed":${removed}`;
  }
  const solutions = (rows: typeof result.added) =>
    `[${rows.map((row) => jsonBinding(row, result.variables)).join(',')}]`;
  // Where the order counts, what came and went does not say where.
  if (result.kind === 'snapshot') return `"bindings":${solutions(result.bindings())}`;
  return `"added":${solutions(result.added)},"removed":${solutions(result.removed)}`;
}

/** How far off the age of an answer may be, as a share of the MAL: so often it is looked up how complete the data are. */
const SLACK_SHARE = 0.1;
const TIMER_SLACK_MS = 100;

/** Tracks how old an answer gets, and for how long it was older than the MAL and the time that it takes to find it. */
export class MalTracker {
  readonly #malMs: number;
  #lastMs = Number.POSITIVE_INFINITY;
  #notMetMs = 0;

  constructor(malMs: number) {
    this.#malMs = malMs;
  }

  get notMetMs(): number {
    return this.#notMetMs;
  }

  /** Whether the answer is no older than it may be at this moment; so too while there is none. */
  isMalMet(
    { dataAsOf, lastEvaluationMs = 0 }: Pick<LiveQueryStatus, 'dataAsOf' | 'lastEvaluationMs'>,
    nowMs: number,
  ): boolean {
    const maxMs = this.#malMs * (1 + SLACK_SHARE) + lastEvaluationMs + TIMER_SLACK_MS;
    const overMs = dataAsOf ? nowMs - dataAsOf.getTime() - maxMs : 0;
    // What it was like since the last look is known as far as it is too old now.
    this.#notMetMs += Math.max(0, Math.min(overMs, nowMs - this.#lastMs));
    // While there is no answer, none is too old.
    this.#lastMs = dataAsOf ? nowMs : Number.POSITIVE_INFINITY;
    return overMs <= 0;
  }
}

/** Reports the trouble of sources once when it begins and once when it is over; so of feeds that fail. */
export class SourceNotices {
  readonly #news: { readonly trouble: ErrorStateNews; readonly feed: FeedNews }[] = [];

  /** The lines for what has become different since the last look; empty where nothing has. */
  lines(sources: readonly SourceStatus[], nowMs: number): string {
    const lines = sources.flatMap((source, index) => {
      const { url = 'a source', cursor } = source;
      this.#news[index] ??= { trouble: new ErrorStateNews(), feed: new FeedNews() };
      const { trouble, feed } = this.#news[index];
      const news = feed.lines({ ...source, isCaughtUp: cursor !== undefined }, nowMs);
      const texts = [...trouble.lines(source.trouble, nowMs), ...news];
      return texts.map((text) => (text.includes(url) ? text : `${url}: ${text}`));
    });
    return lines.map((text) => `${clockTime(nowMs)}  ${plainText(text)}\n`).join('');
  }
}
