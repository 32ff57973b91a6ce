/*
 * What was published of the experiments that are repeated, as data: each figure with the cells that it stands beside, in the
 * unit of its value. All are of other machines.
 */
import type { Published, PublishedFigure } from '../experiment.ts';
import type { Where } from '../figures.ts';

const published = (of: Where, value: string, figure: number, text?: string): PublishedFigure => ({
  ...{ of, value, figure },
  ...(text !== undefined && { text }),
});

/** Van de Vyvere, Colpaert, Verborgh: Comparing a polling and push-based approach for live Open Data interfaces. */
export const ARTICLE = 'https://brechtvdv.github.io/Article-Live-Open-Data-Interfaces/';

const polled = (front: string, from: number, to: number, text: string): PublishedFigure => ({
  of: { measurement: 'polling', at: { front, clients: { from, to } } },
  text,
});
const pushed = (from: number, to: number, text: string): PublishedFigure => ({
  of: { measurement: 'sse', at: { clients: { from, to } } },
  text,
});

/** Delays on the client, figures 2, 3.1 and 3.2; the article has them as pictures, of which this is what it says. */
export const ARTICLE_DELAYS: Published = [
  { ...polled('straight', 0, 2000, 'mostly under 1 s'), figure: [0, 1000] },
  { ...polled('straight', 5001, Infinity, 'unstable, 0 to 5 s'), figure: [0, 5000] },
  { ...polled('nginx', 0, 1999, 'spread over 0 to 2 s'), figure: [0, 2000] },
  { ...polled('nginx', 2000, 3999, 'mostly 1 to 2 s'), figure: [1000, 2000] },
  { ...polled('nginx', 4000, 8000, 'mostly 3 to 4 s'), figure: [3000, 4000] },
  polled('nginx', 8001, Infinity, 'not measured: too many'),
  { ...pushed(0, 5000, 'under 1 s'), figure: [0, 1000] },
  { ...pushed(25_000, Infinity, 'evenly 0 to 4 s'), figure: [0, 4000] },
];

const users = (malSeconds: number, figure: number, text?: string) =>
  published({ at: { malSeconds } }, 'clients', figure, text);

/** Requests that nginx on one core served a second; clients by formula (1) at those, by MAL, and those that were pushed to. */
export const ARTICLE_CAPACITY: Published = [
  published({ at: { front: 'nginx' } }, 'requestsPerSecond', 2520),
  users(4, 10_000),
  users(5, 12_600),
  users(10, 25_000),
  users(1, 5000, 'pushed'),
  users(4, 25_000, 'pushed'),
];

/** Phil Barber: The efficiency of polling compared with WebSockets. */
export const JOBS = 'https://phillbarber.blogspot.com/2018/05/efficiency-of-polling-vs-websockets.html';

const jobs = (subject: string, receivedBytes: number, sentBytes: number) =>
  Object.entries({ receivedBytes, sentBytes, bytes: receivedBytes + sentBytes }).map(([value, figure]) =>
    published({ subject }, value, figure),
  );
const jobsCpu = (subject: string, seconds: number, text?: string) =>
  published({ subject }, 'cpuSeconds', seconds, text);

/** A job's bytes as the user received and sent them, and the server's CPU time of all jobs. */
export const JOBS_FIGURES: Published = [
  ...jobs('polling every 500 ms', 951, 703),
  jobsCpu('polling every 500 ms', 3.29),
  ...jobs('polling every 250 ms', 1471, 1195),
  // Its table and its nanoseconds differ by a factor of ten.
  jobsCpu('polling every 250 ms', 13.8, 'as printed'),
  jobsCpu('polling every 250 ms', 1.38, 'by its nanoseconds'),
  ...jobs('WebSocket', 162, 126),
  jobsCpu('WebSocket', 0.68),
];

const rows = (measurement: string, subject: string, figure: number, text?: string) =>
  published({ measurement, subject }, 'rowsPerSecond', figure, text);
const share = (connections: number, subject: string, client: number, server: number) => {
  const [of, text] = [{ measurement: 'fixed', subject, at: { connections } }, `${connections} connections`];
  return [published(of, 'clientShare', client, text), published(of, 'serverShare', server, text)];
};

/** Websocket vs SSE, by Timeplus. */
export const ROWS = 'https://www.timeplus.com/post/websocket-vs-sse';

/** Rows a second at most, tests I and II, with eight and more cores for either side; shares of a core, test III. */
export const ROWS_FIGURES: Published = [
  rows('batch', 'WebSocket', 4e6, 'batch 800'),
  rows('batch', 'plain SSE', 3.1e6, 'batch 450'),
  rows('connections', 'WebSocket', 2.4e6),
  rows('connections', 'plain SSE', 2.7e6, '60 connections'),
  ...share(20, 'WebSocket', 0.35, 0.06),
  ...share(20, 'plain SSE', 0.23, 0.08),
  ...share(100, 'WebSocket', 0.3, 0.12),
  ...share(100, 'plain SSE', 0.3, 0.11),
];

/** MigratoryData: A scalable alternative to RESTful communication. */
export const SUBJECTS =
  'http://highscalability.com/blog/2016/12/13/a-scalable-alternative-to-restful-communication-mimicking-go.html';

/** What its server was, for the formula that carries our figures to its size. */
export const SUBJECTS_SERVER = {
  clients: 1_000_016,
  requestsPerSecond: 240_000,
  messagesPerSecond: 960_000,
  cores: 16,
  memoryBytes: 64e9,
  heapBytes: 30e9,
  cpuShare: 0.65,
  bitsPerSecond: 1.17e9,
} as const;

const { messagesPerSecond, cores, cpuShare, heapBytes, bitsPerSecond } = SUBJECTS_SERVER;
const trips = {
  messagesPerCore: Math.round(messagesPerSecond / (cores * cpuShare)),
  clientBytes: 30_000,
  meanMs: 11.82,
  deviationMs: 26.28,
  p95Ms: 20,
  p99Ms: 130,
  maxMs: 1783,
};

/** Round trips of request and reply of 1,000,016 clients, on 16 cores. */
export const SUBJECTS_FIGURES: Published = Object.entries(trips).map(([value, figure]) =>
  published({ measurement: 'round-trips' }, value, figure),
);

const needed = (need: string, amount: number) => published({ at: { need } }, 'amount', amount);

/** What serving them took. */
export const SUBJECTS_NEEDS: Published = [
  needed('messages a second', messagesPerSecond),
  needed('cores in use at 65 %', cores),
  needed('memory, GB', heapBytes / 1e9),
  needed('sent, Gbit/s', bitsPerSecond / 1e9),
  needed('machines of 16 cores and 64 GB', 1),
];
