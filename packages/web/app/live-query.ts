/*
 * The answer to a query as it changes: Server-Sent Events of the stream's SPARQL endpoint.
 *
 *   snapshot { head: { vars: ['tram'] }, results: { bindings: [...] } } -> rows
 *   update   { added: {...}, removed: {...} } -> rows that came are new for a moment, rows that went are shown leaving
 *
 * A refusal is read from a request of its own: an EventSource says nothing of why it failed.
 */
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
    .map((name) => `${name} ${bindings[name]?.type} ${bindings[name]?.value}`)
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
 * Asks a stream, and tells each answer.
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
  url.searchParams.set('mal', String(Math.max(0.5, malSeconds)));
  let answer = WAITING;
  const stop = new AbortController();
  const events = new EventSource(url);
  const fail = (problem: string) => {
    answer = { ...WAITING, kind: 'failed', problem };
    events.close();
    tell(answer);
  };
  const take = (isSnapshot: boolean) => (event: MessageEvent<string>) => {
    answer = answerAfter(answer, JSON.parse(event.data), isSnapshot);
    tell(answer);
  };
  events.addEventListener('snapshot', take(true));
  events.addEventListener('update', take(false));
  events.addEventListener('error', (event) => {
    const { data } = event as MessageEvent<string | undefined>;
    if (data) fail(problemText(data));
    // What was refused is not tried again by the browser; what was cut is.
    else if (events.readyState === EventSource.CLOSED) void whyRefused(url, stop.signal).then(fail, () => {});
  });
  tell(answer);
  return () => {
    stop.abort();
    events.close();
  };
}

async function whyRefused(url: URL, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal });
  return response.ok ? 'The server ended the live answer.' : problemText(await response.text());
}

function problemText(text: string): string {
  try {
    const { detail, title } = JSON.parse(text);
    return detail ?? title ?? text;
  } catch {
    return text;
  }
}
