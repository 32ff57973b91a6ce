import { medianText, numberText } from '../report/number-text.ts';
import type { Spread } from '../spread.ts';
import { isPullWay, POLLING, WEBSOCKET } from './job-way.ts';
import type { WayRun } from './judge-run.ts';
import { PUBLISHED_POLL_BYTES, publishedBytesRatio, publishedCpuRatioText } from './published-jobs.ts';
import { bytesOf, cpuOf, ratioOf, type WaySummary } from './way-summary.ts';

/** What the bytes mean. */
export function bytesText(summaries: readonly WaySummary[]): readonly string[] {
  const { polling, websocket } = named(summaries);
  const ratio = ratioOf(polling, websocket, bytesOf);
  const claim =
    ratio &&
    `Polling every 500 ms costs ${times(ratio)} the bytes of WebSocket; published were ${numberText(publishedBytesRatio(POLLING) ?? 0)} times.`;
  const faster = summaries.find(({ way }) => way.name === 'polling-250');
  const perPoll = polling && faster && bytesOfPoll(polling, faster);
  return [claim, perPoll === undefined ? undefined : pollText(perPoll), liveBytesText(summaries)].filter(isText);
}

/** What the CPU time means. */
export function cpuText(summaries: readonly WaySummary[]): readonly string[] {
  const { polling, websocket } = named(summaries);
  const ratio = ratioOf(polling, websocket, cpuOf);
  const claim =
    ratio &&
    `Published: polling every 500 ms costs five times the CPU time of WebSocket (${publishedCpuRatioText(POLLING)} by the table). Here it costs ${times(ratio)}.`;
  return [
    claim,
    'The published server was held to an eighth of a CPU in a container; here it has a core of its own, and its CPU time is told: user and system time of the whole process, from the first job to the last notice, so that what it takes while nothing happens is in it. Of the two published readings for 250 ms, 1.38 s is less than for half as many polls, and 13.8 s more than four times as much: neither fits polls that all cost the same.',
  ].filter(isText);
}

/**
 * What the delays mean.
 *
 * @param longestMs - that a job may take: what is published of half an interval is answered by jobs of two intervals and more
 */
export function delayText(summaries: readonly WaySummary[], longestMs: number): readonly string[] {
  const polling = summaries.flatMap(({ way, delays }) =>
    way.kind === 'polling' && delays && longestMs >= 2 * way.everyMs
      ? [
          `with an interval of ${way.everyMs} ms ${medianText(delays.meanMs)} ms, ${numberText((delays.meanMs.median * 100) / way.everyMs)} % of it`,
        ]
      : [],
  );
  const told = summaries.flatMap(({ way, delays }) =>
    way.kind !== 'polling' && delays ? [`${way.label}: ${medianText(delays.p50Ms)} ms`] : [],
  );
  return [
    polling.length > 0
      ? `Published: a user who polls waits for half an interval on average. Here he waits, on average, ${polling.join('; ')}.`
      : undefined,
    told.length > 0 ? `Who is told, or follows, notices after (median) ${told.join('; ')}.` : undefined,
    'A delay counts from the instant at which the job was to be complete, by the clock of the server that all processes share, until the user has been told: a server whose timer is late is late for its users.',
  ].filter(isText);
}

/** What following a stream means for the ways of ours. */
export function malText(summaries: readonly WaySummary[]): readonly string[] {
  const live = summaries.filter(({ way }) => way.kind === 'live' && !isPullWay(way));
  const pull = summaries.filter(({ way }) => isPullWay(way));
  const isAllPush = live.length > 0 && live.every(({ runs }) => runs.every(({ clients }) => clients?.pull === 0));
  const runs = summaries.flatMap((summary) => (summary.way.kind === 'live' ? summary.runs : []));
  const [jobs, beyond] = [sum(runs, (run) => run.jobs), sum(runs, (run) => run.beyondMal ?? 0)];
  return [
    isAllPush
      ? 'All of these MALs are below the break-even of 10 s that the server states by default, so that the clients are pushed to, and the MAL makes no difference to how they are served.'
      : undefined,
    jobs > 0
      ? `${beyond === 0 ? `None of the ${numberText(jobs)} jobs was` : `${numberText(beyond)} of the ${numberText(jobs)} jobs were`} noticed beyond the MAL. A client follows the whole stream: the misses that it tells of are of everybody’s updates, whichever job it waits for.`
      : undefined,
    pull.length > 0
      ? 'A publisher who would rather be polled states a smaller break-even. When a job is complete cannot be predicted, so that documents may be kept for 1 s, and only MALs above some 2 s can be kept by polling; the shorter ones are pushed to all the same. Polls can be answered by a cache for all users; there was none here.'
      : undefined,
  ].filter(isText);
}

function sum(runs: readonly WayRun[], figure: (run: WayRun) => number): number {
  return runs.reduce((total, run) => total + figure(run), 0);
}

function liveBytesText(summaries: readonly WaySummary[]): string | undefined {
  const live = summaries.find(({ way }) => way.kind === 'live' && !isPullWay(way));
  if (!live) return undefined;
  const entity = summaries.find(({ way }) => way.kind === 'entity');
  const { polling, websocket } = named(summaries);
  const beside = (of: WaySummary) =>
    [
      [polling, 'polling every 500 ms'],
      [websocket, 'WebSocket'],
    ]
      .flatMap(([other, name]) => {
        const ratio = ratioOf(of, other as WaySummary | undefined, bytesOf);
        return ratio ? [`${times(ratio)} the bytes of ${name}`] : [];
      })
      .join(' and ');
  const whole = `A client of ldes-live follows a whole stream: it has no way to ask for one entity, so that each user gets both updates of everybody's jobs, and what a job costs grows with the users. Its updates are also complete: each is a version with its time, place in the log and vocabulary. It comes to ${beside(live)}.`;
  if (!entity) return whole;
  return `${whole} The events of one job alone (\`?entity=\`), read without the client by a connection for each job, come to ${beside(entity)}.`;
}

function pollText(bytes: number): string {
  const published = PUBLISHED_POLL_BYTES;
  const counted =
    'Counted is what went through the sockets of the users, with all header fields that Node.js sends; a browser sends more.';
  const told = `By the difference to polling every 250 ms, a poll has ${numberText(bytes)} bytes, both directions; the published figures come to ${published}, by ten more polls of a job of 5 s`;
  return `${told}${bytes > published ? ', which is less than the header fields of HTTP/1.1 take here' : ''}. ${counted}`;
}

/** Bytes of a poll, by how many more bytes so many more requests come to. */
function bytesOfPoll(slow: WaySummary, fast: WaySummary): number | undefined {
  const total = ({ receivedBytes, sentBytes }: WaySummary) => receivedBytes.median + sentBytes.median;
  const more = fast.sent.median - slow.sent.median;
  return more > 0 ? (total(fast) - total(slow)) / more : undefined;
}

function named(summaries: readonly WaySummary[]): Record<'polling' | 'websocket', WaySummary | undefined> {
  const find = (name: string) => summaries.find(({ way }) => way.name === name);
  return { polling: find(POLLING), websocket: find(WEBSOCKET) };
}

function times(ratio: Spread): string {
  return `${medianText(ratio)} times`;
}

function isText(text: string | undefined): text is string {
  return text !== undefined;
}
