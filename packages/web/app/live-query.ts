/*
 * The answer to a query as it changes: Server-Sent Events of the stream's SPARQL endpoint.
 *
 *   snapshot { head: { vars: ['tram'] }, results: { bindings: [...] } } -> rows
 *   update   { added: {...}, removed: {...} } -> rows that came are new for a moment, rows that went are shown leaving
 *
 * A refusal is read from a request of its own: an EventSource says nothing of why it failed.
 */
import { hostEnvironment } from '@ldes-live/client';

const LEAST_MAL_SECONDS = 0.5;
const LEAST_POLL_MS = 5000;
const RETRY_MS = 10_000;

const { pushSlot } = hostEnvironment();

export interface Binding {
  readonly type: string;
  readonly value: string;
  readonly datatype?: string;
}

interface Row {
  /** Equal for equal solutions. */
  readonly key: string;
  readonly bindings: Readonly<Record<string, Binding | undefined>>;
  readonly state: 'there' | 'added' | 'removed';
}

export interface Answer {
  readonly kind: 'waiting' | 'rows' | 'boolean' | 'quads' | 'failed';
  readonly variables: readonly string[];
  readonly rows: readonly Row[];
  readonly boolean?: boolean;
  readonly quads?: readonly string[];
  readonly problem?: string;
  readonly evaluatedAtMs?: number;
  readonly evaluationMs?: number;
}

export const WAITING: Answer = { kind: 'waiting', variables: [], rows: [] };

interface Results {
  readonly head?: { readonly vars?: readonly string[] };
  readonly results?: { readonly bindings: readonly Row['bindings'][] };
  readonly boolean?: boolean;
}

type AnswerEvent = Results & {
  readonly added?: Results | string;
  readonly removed?: Results | string;
  readonly quads?: string;
  readonly evaluatedAt: string;
  readonly evaluationMs: number;
};

/** Applies an event to an answer. Rows that went before are gone for good; those that go now are shown once more. */
export function answerAfter(before: Answer, event: AnswerEvent, isSnapshot: boolean): Answer {
  const told = { evaluatedAtMs: Date.parse(event.evaluatedAt), evaluationMs: event.evaluationMs };
  if (event.boolean !== undefined) return { ...WAITING, kind: 'boolean', boolean: event.boolean, ...told };
  if (event.quads !== undefined) return { ...WAITING, kind: 'quads', quads: lines(event.quads), ...told };
  if (typeof event.added === 'string') {
    const removed = new Set(lines(event.removed as string));
    const kept = (before.quads ?? []).filter((line) => !removed.has(line));
    return { ...WAITING, kind: 'quads', quads: [...kept, ...lines(event.added)], ...told };
  }
  if (isSnapshot) {
    const known = counted(before.rows.filter(({ state }) => state !== 'removed'));
    const rows = rowsOf(event).map((row) =>
      before.kind === 'rows' && !take(known, row.key) ? { ...row, state: 'added' as const } : row,
    );
    return { kind: 'rows', variables: event.head?.vars ?? [], rows, ...told };
  }
  const removed = counted(rowsOf(event.removed as Results));
  const rows = before.rows
    .filter(({ state }) => state !== 'removed')
    .map((row) => ({ ...row, state: take(removed, row.key) ? ('removed' as const) : ('there' as const) }));
  const added = rowsOf(event.added as Results).map((row) => ({ ...row, state: 'added' as const }));
  return { ...before, kind: 'rows', rows: [...added, ...rows], ...told };
}

const lines = (text = '') => text.split('\n').filter(Boolean);

function rowsOf(results: Results | undefined): Row[] {
  return (results?.results?.bindings ?? []).map((bindings) => ({ key: keyOf(bindings), bindings, state: 'there' }));
}

function keyOf(bindings: Row['bindings']): string {
  return Object.keys(bindings)
    .sort()
    .map((name) => [name, ...Object.entries(bindings[name] ?? {}).sort()].join(' '))
    .join('\n');
}

function counted(rows: readonly Row[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of rows) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function take(counts: Map<string, number>, key: string): boolean {
  const count = counts.get(key) ?? 0;
  counts.set(key, count - 1);
  return count > 0;
}

/**
 * Asks a stream, and tells each answer. It takes one of the few connections that a browser lets push have to a server, which
 * all tabs share; where none is free, it asks again and again instead.
 *
 * @returns ends it
 */
export function askLive(
  streamUrl: string,
  query: string,
  malSeconds: number,
  tell: (answer: Answer) => void,
): () => void {
  const url = new URL(`${streamUrl}/sparql`);
  url.searchParams.set('query', query);
  const liveUrl = new URL(url);
  liveUrl.searchParams.set('mal', String(Math.max(LEAST_MAL_SECONDS, malSeconds)));
  const stop = new AbortController();
  const { signal } = stop;
  tell(WAITING);
  const run = async () => {
    const release = await pushSlot(liveUrl.href);
    try {
      if (signal.aborted) return;
      if (release) await listen(liveUrl, signal, tell);
      else await poll(url, Math.max(LEAST_POLL_MS, malSeconds * 1000), signal, tell);
    } finally {
      release?.();
    }
  };
  run().catch((error: Error) => signal.aborted || tell({ ...WAITING, kind: 'failed', problem: error.message }));
  return () => stop.abort();
}

/** Listens until it is ended or refused. A server that has no room says when to come back. */
async function listen(url: URL, signal: AbortSignal, tell: (answer: Answer) => void): Promise<void> {
  for (;;) {
    const refusal = await listenOnce(url, signal, tell);
    if (signal.aborted) return;
    tell({ ...WAITING, kind: 'failed', problem: refusal.problem });
    if (refusal.retryMs === undefined) return;
    await wait(refusal.retryMs, signal);
  }
}

function listenOnce(url: URL, signal: AbortSignal, tell: (answer: Answer) => void): Promise<Refusal> {
  return new Promise((resolve) => {
    let answer = WAITING;
    const events = new EventSource(url);
    const end = (refusal: Refusal) => {
      events.close();
      resolve(refusal);
    };
    const take = (isSnapshot: boolean) => (event: MessageEvent<string>) => {
      answer = answerAfter(answer, JSON.parse(event.data), isSnapshot);
      tell(answer);
    };
    signal.addEventListener('abort', () => end({ problem: '' }));
    events.addEventListener('snapshot', take(true));
    events.addEventListener('update', take(false));
    events.addEventListener('error', (event) => {
      const { data } = event as MessageEvent<string | undefined>;
      if (data) end({ problem: problemText(data) });
      // What was refused is not tried again by the browser; what was cut is.
      else if (events.readyState === EventSource.CLOSED)
        void whyRefused(url, signal).then(end, ({ message }) => end({ problem: message }));
    });
  });
}

/** Asks until it is ended or refused; what fails for want of a server or of room is asked again. */
async function poll(url: URL, everyMs: number, signal: AbortSignal, tell: (answer: Answer) => void): Promise<void> {
  for (let answer = WAITING; !signal.aborted; await wait(everyMs, signal)) {
    const startedMs = Date.now();
    const { problem, isFinal, event } = await askOnce(url, signal);
    if (signal.aborted) return;
    if (event) {
      const told = { evaluatedAt: new Date().toISOString(), evaluationMs: Date.now() - startedMs };
      answer = answerAfter(answer, { ...event, ...told }, true);
      tell(answer);
    } else tell({ ...WAITING, kind: 'failed', problem });
    if (isFinal) return;
  }
}

async function askOnce(url: URL, signal: AbortSignal) {
  try {
    const accept = 'application/sparql-results+json, application/n-triples;q=0.5';
    const response = await fetch(url, { headers: { accept }, signal });
    const text = await response.text();
    if (!response.ok) return { problem: problemText(text), isFinal: response.status < 500 };
    const isJson = response.headers.get('content-type')?.includes('json');
    return { problem: '', isFinal: false, event: (isJson ? JSON.parse(text) : { quads: text }) as Results };
  } catch (error) {
    return { problem: (error as Error).message, isFinal: false };
  }
}

interface Refusal {
  readonly problem: string;
  /** When to come back; absent where that is of no use. */
  readonly retryMs?: number;
}

async function whyRefused(url: URL, signal: AbortSignal): Promise<Refusal> {
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  const response = await fetch(url, { headers: { accept: 'text/event-stream' }, signal: either });
  // There is room again.
  if (response.ok) {
    ending.abort();
    return { problem: 'The server ended the live answer.', retryMs: RETRY_MS };
  }
  const problem = problemText(await response.text());
  if (response.status !== 503) return { problem };
  return { problem, retryMs: Number(response.headers.get('retry-after')) * 1000 || RETRY_MS };
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function problemText(text: string): string {
  try {
    const { detail, title } = JSON.parse(text);
    return detail ?? title ?? text;
  } catch {
    return text;
  }
}
