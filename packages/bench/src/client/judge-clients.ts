import { LatencyHistogram } from '../load/latency-histogram.ts';
import type { ClientReport } from './client-messages.ts';
import type { PublishedCommit } from './publisher-messages.ts';

/** How clients of one stream fared by one way. */
export interface GroupResult {
  readonly group: string;
  readonly clients: number;
  /** Clients that asked for documents only, and for no event, all the time. */
  readonly polling: number;
  readonly updates: number;
  /** Members that were delivered. */
  readonly delivered: number;
  /** Members that came later than the MAL, or did not come until it had passed. */
  readonly misses: number;
  /** Of these, those that the clients do not tell of. */
  readonly untold: number;
  readonly missShare: number;
  /** Requests of polling clients whose MAL is no longer than the interval, for each update between the first and the last. */
  readonly requestsPerUpdate?: number;
  /** The same of all polling clients. */
  readonly allRequestsPerUpdate?: number;
  /** Documents that polling clients asked for before the update that their last document predicted. */
  readonly early: number;
  readonly earliestMs: number;
  readonly lost: number;
  readonly doubled: number;
  readonly gaps: number;
  /** The greatest difference between the lags that changes told and the measured ones, milliseconds. */
  readonly toldApartMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly problems: readonly string[];
  /** The clients that missed something. */
  readonly late: readonly LateClient[];
}

/** A client that had something later than its MAL, or has not got it. */
interface LateClient {
  readonly malSeconds: number;
  readonly mode: 'pull' | 'push';
  /** Members that came late, and that are overdue. */
  readonly misses: number;
  readonly overdue: number;
  /** The longest lag of what came, milliseconds. */
  readonly longestMs: number;
}

/** What was published of a stream, and until when it was looked at. */
export interface Published {
  readonly commits: readonly PublishedCommit[];
  readonly intervalMs: number;
  /** Since when clients counted, and when they reported, epoch milliseconds. */
  readonly beganMs: number;
  readonly endedMs: number;
}

/** Judges the clients of one stream and way by what was published. */
export function judgeClients(group: string, clients: readonly ClientReport[], published: Published): GroupResult {
  const lags = new LatencyHistogram();
  for (const client of clients) lags.add(client.lags);
  const polling = clients.filter(({ mode, events }) => mode === 'pull' && events === 0);
  const prompt = polling.filter(({ malSeconds }) => malSeconds * 1000 <= published.intervalMs);
  const judged = clients.map((client) => missesOf(client, published));
  const [delivered, misses] = [sum(clients, ({ delivered: one }) => one), sum(judged, (one) => one.misses)];
  const expected = delivered + sum(judged, ({ overdue }) => overdue);
  const [promptRequests, allRequests] = [prompt, polling].map((some) => requestsPerUpdate(some, published.commits));
  return {
    group,
    clients: clients.length,
    polling: polling.length,
    updates: published.commits.length,
    delivered,
    misses,
    untold: sum(judged, ({ untold }) => untold),
    missShare: expected === 0 ? 0 : misses / expected,
    ...(promptRequests !== undefined && { requestsPerUpdate: promptRequests }),
    ...(allRequests !== undefined && { allRequestsPerUpdate: allRequests }),
    early: sum(polling, ({ early }) => early),
    earliestMs: Math.max(0, ...polling.map(({ earliestMs }) => earliestMs)),
    lost: sum(clients, ({ lost }) => lost),
    doubled: sum(clients, ({ doubled }) => doubled),
    gaps: sum(clients, ({ gaps }) => gaps),
    toldApartMs: Math.max(0, ...clients.map(({ toldApartMs }) => toldApartMs)),
    p50Ms: lags.percentile(0.5) / 1000,
    p99Ms: lags.percentile(0.99) / 1000,
    problems: clients.flatMap(({ problem }) => problem ?? []),
    late: clients.flatMap((client, index) => lateClient(client, judged[index]?.overdue ?? 0)),
  };
}

function lateClient({ malSeconds, mode, misses, lags }: ClientReport, overdue: number): LateClient[] {
  if (misses + overdue === 0) return [];
  return [{ malSeconds, mode, misses, overdue, longestMs: lags.max / 1000 }];
}

/** Misses of one client: late members, and those that should have come by the end and did not. */
function missesOf(client: ClientReport, { commits, beganMs, endedMs }: Published) {
  const malMs = client.malSeconds * 1000;
  let before = 0;
  let overdue = 0;
  for (const { timeMs, last } of commits) {
    const first = Math.max(before, client.lastSequence);
    // How many members the first commit has is not known.
    if (before > 0 && timeMs > beganMs && timeMs + malMs < endedMs) overdue += Math.max(0, last - first);
    before = last;
  }
  const lateUntold = Math.max(0, client.misses - client.told);
  // What is not there yet cannot have been counted: the bound has to tell.
  const overdueUntold = client.lagBoundMs > malMs ? 0 : overdue;
  return { misses: client.misses + overdue, overdue, untold: lateUntold + overdueUntold };
}

/** Requests after the first of each client, for each update published from then to its last one. */
function requestsPerUpdate(clients: readonly ClientReport[], commits: readonly PublishedCommit[]): number | undefined {
  let requests = 0;
  let updates = 0;
  for (const { documents, firstMs = 0, lastMs = 0 } of clients) {
    requests += Math.max(0, documents - 1);
    updates += commits.filter(({ timeMs }) => timeMs > firstMs && timeMs <= lastMs).length;
  }
  return updates === 0 ? undefined : requests / updates;
}

function sum<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((total, item) => total + figure(item), 0);
}
