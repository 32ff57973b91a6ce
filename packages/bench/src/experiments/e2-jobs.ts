/*
 * The two processes of `e2`: a server of jobs that take some seconds, and users who have one job after the other made and wait
 * until they learn that it is complete. Each loads what it measures, and nothing else.
 *
 *   { "way": { "kind": "polling", "seconds": 0.5 } }                   order { durationsMs: [[4100, 900], ...] }
 *   { "way": ..., "users": 20, "maxWaitMs": 11500, "seed": 1 }         order { url, jobs: 5 }
 *   POST /job?user=7 -> { "id": "4b1c...", "complete": false } -> { "id": "4b1c...", "noticesMicros": [987654321] }
 */
import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Effort, EffortWatch } from '../load/effort.ts';
import { EventBlocks } from '../load/event-stream.ts';
import { answerOrders, listen, planOf } from '../processes.ts';
import { monotonicMicros, seededRandom, until } from '../timing.ts';

/** How a user learns that a job is complete. */
export type Way = {
  /**
   * - `polling`: asks for the job, at instants so far apart from when it was made.
   * - `WebSocket`: makes jobs and is told of them on one connection.
   * - `push`, `pull`: our client follows the stream of all jobs, of a publisher who would rather push or be polled.
   * - `entity`: events of the job alone, a connection for each job.
   */
  readonly kind: 'polling' | 'WebSocket' | 'push' | 'pull' | 'entity';
  /** From one poll to the next, or the MAL. */
  readonly seconds: number;
};

/** What the users are started with; the server with the way alone. */
export interface UsersPlan {
  readonly way: Way;
  readonly users: number;
  readonly maxWaitMs: number;
  readonly seed: number;
}

/** What the server did so far. */
export interface ServerReport {
  readonly cpuMicros: number;
  /** When each job was complete, by the clock that processes share. */
  readonly completions: readonly (readonly [id: string, micros: number])[];
}

export interface UsersReport {
  /** When its user was told that a job is complete, as often as that was. */
  readonly jobs: readonly { readonly id: string; readonly noticesMicros: readonly number[] }[];
  /** Requests, and bytes of all connections with header fields and framing: since the process began. */
  readonly costs: Readonly<Record<'requests' | 'receivedBytes' | 'sentBytes', number>>;
  readonly effort: Effort;
}

interface Job {
  readonly id: string;
  complete: boolean;
}

const jobs = new Map<string, Job>();
const completions: [id: string, micros: number][] = [];
/** How long the next jobs of each user take. */
let durationsMs: number[][] = [];

/** Makes a job, whose id may be an IRI; how users learn that it is complete is up to who makes it. */
function makeJob(user: unknown, onComplete: (job: Job) => unknown = () => undefined, idPrefix = ''): Job {
  const job: Job = { id: idPrefix + randomUUID(), complete: false };
  const durationMs = durationsMs[Number(user)]?.shift() ?? 0;
  const dueMicros = monotonicMicros() + durationMs * 1000;
  jobs.set(job.id, job);
  setTimeout(() => {
    job.complete = true;
    // A server that is late is late for its users too; a timer may be early by a part of a millisecond.
    completions.push([job.id, Math.min(monotonicMicros(), dueMicros)]);
    onComplete(job);
  }, durationMs);
  return job;
}

/** The published service: `POST /job` and `GET /job/ID`, and a WebSocket on which any message makes a job. */
async function servePlain(): Promise<string> {
  const [{ default: express }, { WebSocketServer }] = [await import('express'), await import('ws')];
  const app = express();
  app.post('/job', (request, response) => response.json(makeJob(request.query.user)));
  app.get('/job/:id', (request, response) => response.json(jobs.get(request.params.id as string)));
  const server = createServer(app);
  new WebSocketServer({ server }).on('connection', (socket, { url = '' }) => {
    const send = (job: Job) => socket.send(JSON.stringify(job));
    socket.on('message', () => send(makeJob(url.split('=')[1], send)));
  });
  return `http://127.0.0.1:${await listen(server)}/`;
}

/** The property that says whether a job is complete. */
const COMPLETE = 'http://example.org/jobs#complete';
/** A publisher with this break-even has nobody pushed to whose MAL is longer. */
const PULL_BREAK_EVEN_SECONDS = 0.1;

/** A service whose jobs are entities of a stream: whoever follows the stream learns of them. */
async function serveLive(isPulled: boolean): Promise<string> {
  const { literal, namedNode, quad, rdf, xsd } = await import('@ldes-live/rdf-stream');
  const { serveStream } = await import('../subjects/ldes-live.ts');
  const { log, publicUrl, url } = await serveStream('jobs', {
    ...(isPulled && { breakEvenSeconds: PULL_BREAK_EVEN_SECONDS }),
    extend: async (app) => {
      app.post<{ readonly Querystring: { readonly user: string } }>('/job', async ({ query }) => {
        const job = makeJob(query.user, append, `${url}/entities/`);
        await append(job);
        return job;
      });
    },
  });
  const append = ({ id, complete }: Job) => {
    const [subject, fingerprint] = [namedNode(id), String(complete)];
    const quads = [
      quad(subject, namedNode(rdf.type), namedNode('http://example.org/jobs#Job')),
      quad(subject, namedNode(COMPLETE), literal(fingerprint, xsd.boolean)),
    ];
    return log.append([{ kind: 'upsert', entity: id, origin: 'jobs', fingerprint, quads }]);
  };
  return publicUrl;
}

interface User {
  readonly number: number;
  /** Of the server: it has `job`, and the stream `jobs` where there is one. */
  readonly url: string;
  /** Is told of each job that is said to be complete, also of others' jobs, as often as it is said. */
  readonly onComplete: (id: string) => void;
}

/** How one user makes jobs and learns that they are complete. */
interface Link {
  /** Makes a job, and leaves the one before; resolves to its id. That it is complete may be told before. */
  make(): Promise<string>;
  close(): void;
}

async function postJob({ url, number }: User): Promise<string> {
  const response = await fetch(`${url}job?user=${number}`, { method: 'POST' });
  return ((await response.json()) as Job).id;
}

function watchEach(user: User, watch: (id: string, signal: AbortSignal) => Promise<void>): Link {
  let watching = new AbortController();
  return {
    make: async () => {
      watching.abort();
      watching = new AbortController();
      const id = await postJob(user);
      // What fails shows as a job that is lost.
      watch(id, watching.signal).catch(() => undefined);
      return id;
    },
    close: () => watching.abort(),
  };
}

async function poll({ url, onComplete }: User, everyMs: number, id: string, signal: AbortSignal): Promise<void> {
  const startMicros = monotonicMicros();
  for (let isComplete = false; !isComplete; ) {
    const passed = Math.floor((monotonicMicros() - startMicros) / 1000 / everyMs);
    await until(startMicros + (passed + 1) * everyMs * 1000);
    const response = await fetch(`${url}job/${id}`, { signal });
    isComplete = ((await response.json()) as Job).complete;
  }
  onComplete(id);
}

/** Reads the stream of one job: the newest state of its entity, and then what comes of it. */
async function readEvents({ url, onComplete }: User, id: string, signal: AbortSignal): Promise<void> {
  const events = `${url}jobs/events?from=latest&entity=${encodeURIComponent(id)}`;
  const { body } = await fetch(events, { headers: { accept: 'text/event-stream' }, signal });
  const blocks = new EventBlocks();
  for await (const bytes of body as ReadableStream<Uint8Array>) {
    blocks.feed(Buffer.from(bytes), (block, start, end) => {
      const data = /^event: update\n(?:.+\n)*data: (.*)$/m.exec(block.toString('utf8', start, end))?.[1] ?? '{}';
      const { 'tree:member': members = [] } = JSON.parse(data) as { 'tree:member'?: Record<string, unknown>[] };
      if (members.some(({ [COMPLETE]: complete }) => complete === true)) onComplete(id);
    });
  }
}

async function openWebSocket({ url, number, onComplete }: User): Promise<Link> {
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(`${url.replace('http', 'ws')}job?user=${number}`);
  await once(socket, 'open');
  let onMade: (id: string) => void = () => undefined;
  socket.on('message', (data) => {
    const { id, complete } = JSON.parse(String(data)) as Job;
    if (complete) onComplete(id);
    else onMade(id);
  });
  return {
    make: () =>
      new Promise((resolve) => {
        onMade = resolve;
        socket.send('make');
      }),
    close: () => socket.close(),
  };
}

/** Follows the stream of all jobs by our client, which cannot ask for some entities only: others' jobs pass by. */
async function followAll(user: User, { kind, seconds: mal }: Way, seed: number): Promise<Link> {
  const { createLiveClient } = await import('@ldes-live/client');
  const ending = new AbortController();
  const client = createLiveClient({ mal, random: seededRandom(seed + user.number) });
  const follower = client.follow(`${user.url}jobs`, { from: 'now', signal: ending.signal });
  // Before that it may miss a job.
  const caughtUp = new Promise<void>((resolve) => follower.on('caught-up', () => resolve()));
  const reading = (async () => {
    for await (const change of follower) {
      if (change.kind !== 'upsert') continue;
      const { entity, quads } = change.member;
      const isComplete = quads.some(({ predicate, object }) => predicate.value === COMPLETE && object.value === 'true');
      if (isComplete) user.onComplete(entity);
    }
  })();
  await Promise.race([caughtUp, reading]);
  // What fails later shows as jobs that are lost.
  reading.catch(() => undefined);
  const close = () => {
    const { mode, reason } = follower.status;
    ending.abort();
    if (kind === 'pull' && mode !== kind) throw new Error(`a client with MAL ${mal} s does not poll: ${reason}`);
  };
  return { make: () => postJob(user), close };
}

async function openLink(user: User, { kind, seconds }: Way, seed: number): Promise<Link> {
  if (kind === 'polling') return watchEach(user, (id, signal) => poll(user, seconds * 1000, id, signal));
  if (kind === 'entity') return watchEach(user, (id, signal) => readEvents(user, id, signal));
  return kind === 'WebSocket' ? openWebSocket(user) : followAll(user, { kind, seconds }, seed);
}

/** What comes twice may come a little later. */
const LINGER_MS = 100;

/** Has jobs made by one user, one after the other. */
async function runUser(number: number, plan: UsersPlan, url: string, jobs: number): Promise<UsersReport['jobs']> {
  const [told, telling] = [new Map<string, number[]>(), new EventEmitter()];
  const onComplete = (id: string) => {
    told.set(id, [...(told.get(id) ?? []), monotonicMicros()]);
    telling.emit(id);
  };
  const link = await openLink({ number, url, onComplete }, plan.way, plan.seed);
  const knownMicros = new Map<string, number>();
  while (knownMicros.size < jobs) {
    const id = await link.make();
    knownMicros.set(id, monotonicMicros());
    const signal = AbortSignal.timeout(plan.maxWaitMs);
    if (!told.has(id)) await once(telling, id, { signal }).catch(() => undefined);
  }
  await sleep(LINGER_MS);
  link.close();
  // Nobody notices a job before it is known to be theirs.
  return [...knownMicros].map(([id, known]) => {
    return { id, noticesMicros: (told.get(id) ?? []).map((micros) => Math.max(micros, known)) };
  });
}

async function serve({ kind }: Way): Promise<void> {
  const isPlain = kind === 'polling' || kind === 'WebSocket';
  const url = isPlain ? await servePlain() : await serveLive(kind === 'pull');
  answerOrders<{ readonly durationsMs?: number[][] }>({ url }, (order): ServerReport => {
    durationsMs = order.durationsMs ?? [];
    const { user, system } = process.cpuUsage();
    return { cpuMicros: user + system, completions };
  });
}

function use(plan: UsersPlan): void {
  const [sockets, watch] = [new Set<Socket>(), new EffortWatch()];
  let requests = 0;
  subscribe('net.client.socket', (message) => void sockets.add((message as { readonly socket: Socket }).socket));
  subscribe('undici:request:create', () => {
    requests += 1;
  });
  answerOrders<{ readonly url: string; readonly jobs: number }>({}, async (order): Promise<UsersReport> => {
    watch.take();
    const users = Array.from({ length: plan.users }, (_, number) => runUser(number, plan, order.url, order.jobs));
    const jobs = (await Promise.all(users)).flat();
    const sum = (key: 'bytesRead' | 'bytesWritten') => [...sockets].reduce((all, socket) => all + socket[key], 0);
    const costs = { requests, receivedBytes: sum('bytesRead'), sentBytes: sum('bytesWritten') };
    return { jobs, costs, effort: watch.take() };
  });
}

const plan = planOf<{ readonly way: Way } | UsersPlan>();
if ('users' in plan) use(plan);
else await serve(plan.way);
