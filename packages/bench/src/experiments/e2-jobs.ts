/*
 * The two processes of `e2`: a server of jobs that take some seconds, and users who have one job after the other made and wait
 * until they learn that it is complete. Each loads what it measures, and nothing else.
 *
 *   { "role": "server", "way": { "by": "polling", "everyMs": 500 } }        order { durationsMs: [[4100, 900], ...] }
 *   { "role": "users", "way": ..., "users": 20, ... }                       order { target, jobs: 10 }
 *   POST /job?user=7 -> { "id": "4b1c...", "complete": false } -> { "id": "4b1c...", "noticesMicros": [987654321] }
 */
import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Effort, EffortWatch } from '../load/effort.ts';
import { answerOrders, freePort, planOf } from '../processes.ts';
import { monotonicMicros, seededRandom, until } from '../timing.ts';

/** How a user learns that a job is complete. */
export type Way =
  /** Asks for the job, at instants so far apart from when it was made. */
  | { readonly by: 'polling'; readonly everyMs: number }
  /** Makes jobs and is told of them on one connection. */
  | { readonly by: 'websocket' }
  /** Our client follows the stream of all jobs. */
  | { readonly by: 'client'; readonly malSeconds: number; readonly breakEvenSeconds?: number }
  /** Events of the job alone, a connection for each job. */
  | { readonly by: 'entity' };

/** What a process is started with. */
export type JobsRole =
  | { readonly role: 'server'; readonly way: Way }
  | {
      readonly role: 'users';
      readonly way: Way;
      readonly users: number;
      readonly maxWaitMs: number;
      readonly seed: number;
    };

/** Where users find the server: where jobs are made, and the stream of all jobs where there is one. */
export interface JobTarget {
  readonly jobUrl: string;
  readonly streamUrl?: string;
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
  readonly requests: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly effort: Effort;
}

interface Job {
  readonly id: string;
  complete: boolean;
}

/** The jobs of a server, however users learn of them. */
class Jobs {
  readonly byId = new Map<string, Job>();
  readonly completions: [id: string, micros: number][] = [];
  /** How long the next jobs of each user take. */
  durationsMs: number[][] = [];
  onComplete: (job: Job) => unknown = () => undefined;

  make(user: number): Job {
    const job: Job = { id: randomUUID(), complete: false };
    const durationMs = this.durationsMs[user]?.shift() ?? 0;
    const dueMicros = monotonicMicros() + durationMs * 1000;
    this.byId.set(job.id, job);
    setTimeout(() => {
      job.complete = true;
      // A server that is late is late for its users too; a timer may be early by a part of a millisecond.
      this.completions.push([job.id, Math.min(monotonicMicros(), dueMicros)]);
      this.onComplete(job);
    }, durationMs);
    return job;
  }
}

const HOST = '127.0.0.1';

/** The published service: `POST /job` and `GET /job/ID`, and a WebSocket on which any message makes a job. */
async function servePlain(jobs: Jobs): Promise<JobTarget> {
  const [{ default: express }, { WebSocketServer }] = [await import('express'), await import('ws')];
  const app = express();
  app.post('/job', (request, response) => response.json(jobs.make(Number(request.query.user))));
  app.get('/job/:id', (request, response) => response.json(jobs.byId.get(request.params.id as string)));
  const server = createServer(app);
  const makers = new Map<string, { send(text: string): void }>();
  new WebSocketServer({ server }).on('connection', (socket, { url = '' }) => {
    socket.on('message', () => {
      const job = jobs.make(Number(url.split('=')[1]));
      makers.set(job.id, socket);
      socket.send(JSON.stringify(job));
    });
  });
  jobs.onComplete = (job) => makers.get(job.id)?.send(JSON.stringify(job));
  server.listen(0, HOST);
  await once(server, 'listening');
  return { jobUrl: `http://${HOST}:${(server.address() as AddressInfo).port}/job` };
}

/** The property that says whether a job is complete. */
const COMPLETE = 'http://example.org/jobs#complete';

/** A service whose jobs are entities of a stream: whoever follows the stream learns of them. */
async function serveLive(jobs: Jobs, breakEvenSeconds: number | undefined): Promise<JobTarget> {
  const { createMemoryStore } = await import('@ldes-live/log');
  const { describeStream, literal, namedNode, quad, rdf, xsd } = await import('@ldes-live/rdf-stream');
  const { createLiveServer } = await import('@ldes-live/server');
  const port = await freePort();
  const publicUrl = `http://${HOST}:${port}/`;
  const description = describeStream({ publicUrl, name: 'jobs' });
  const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(description);
  const append = async ({ id, complete }: Job) => {
    const [entity, fingerprint] = [`${description.url}/entities/${id}`, String(complete)];
    const quads = [
      quad(namedNode(entity), namedNode(rdf.type), namedNode('http://example.org/jobs#Job')),
      quad(namedNode(entity), namedNode(COMPLETE), literal(fingerprint, xsd.boolean)),
    ];
    await log.append([{ kind: 'upsert', entity, origin: 'jobs', fingerprint, quads }]);
    return entity;
  };
  jobs.onComplete = append;
  const server = await createLiveServer({
    publicUrl,
    // Nobody can tell when a job will be complete.
    streams: [{ description, log, schedule: () => ({ kind: 'unknown' }) }],
    ...(breakEvenSeconds !== undefined && { breakEvenSeconds }),
    extend: async (app) => {
      app.post<{ readonly Querystring: { readonly user: string } }>('/job', async ({ query }) => {
        return { id: await append(jobs.make(Number(query.user))), complete: false };
      });
    },
  });
  await server.listen({ host: HOST, port });
  return { jobUrl: `${publicUrl}job`, streamUrl: description.url };
}

interface User {
  readonly number: number;
  readonly target: JobTarget;
  /** Is told of each job that is said to be complete, also of others' jobs, as often as it is said. */
  readonly onComplete: (id: string) => void;
}

/** How one user makes jobs and learns that they are complete. */
interface Link {
  /** Makes a job, and leaves the one before; resolves to its id. That it is complete may be told before. */
  make(): Promise<string>;
  close(): void;
}

/** Makes a job by a request; resolves to how the answer names it: in a stream by the IRI of its entity. */
async function postJob({ target, number }: User): Promise<string> {
  const response = await fetch(`${target.jobUrl}?user=${number}`, { method: 'POST' });
  return ((await response.json()) as Job).id;
}

function jobIdOf(entity: string): string {
  return entity.slice(entity.lastIndexOf('/') + 1);
}

async function watchEach(user: User, watch: (name: string, signal: AbortSignal) => Promise<void>): Promise<Link> {
  let watching = new AbortController();
  return {
    make: async () => {
      watching.abort();
      watching = new AbortController();
      const name = await postJob(user);
      // What fails shows as a job that is lost.
      watch(name, watching.signal).catch(() => undefined);
      return jobIdOf(name);
    },
    close: () => watching.abort(),
  };
}

async function poll({ target, onComplete }: User, everyMs: number, id: string, signal: AbortSignal): Promise<void> {
  const startMicros = monotonicMicros();
  for (let isComplete = false; !isComplete; ) {
    const passed = Math.floor((monotonicMicros() - startMicros) / 1000 / everyMs);
    await until(startMicros + (passed + 1) * everyMs * 1000);
    const response = await fetch(`${target.jobUrl}/${id}`, { signal });
    isComplete = ((await response.json()) as Job).complete;
  }
  onComplete(id);
}

/** Reads the stream of one job: the newest state of its entity, and then what comes of it. */
async function readEvents({ target, onComplete }: User, entity: string, signal: AbortSignal): Promise<void> {
  const url = `${target.streamUrl}/events?from=latest&entity=${encodeURIComponent(entity)}`;
  const { body } = await fetch(url, { headers: { accept: 'text/event-stream' }, signal });
  let rest = '';
  for await (const text of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const blocks = `${rest}${text}`.split('\n\n');
    rest = blocks.pop() as string;
    for (const block of blocks) {
      const data = /^event: update\n(?:.+\n)*data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      const { 'tree:member': members } = JSON.parse(data) as { 'tree:member': readonly Record<string, unknown>[] };
      if (members.some(({ [COMPLETE]: complete }) => complete === true)) onComplete(jobIdOf(entity));
    }
  }
}

async function openWebSocket({ target, number, onComplete }: User): Promise<Link> {
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(`${target.jobUrl.replace('http:', 'ws:')}?user=${number}`);
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
async function followAll(user: User, mal: number, seed: number): Promise<Link> {
  const { createLiveClient } = await import('@ldes-live/client');
  const ending = new AbortController();
  const client = createLiveClient({ mal, random: seededRandom(seed + user.number) });
  const follower = client.follow(user.target.streamUrl as string, { from: 'now', signal: ending.signal });
  // Before that it may miss a job.
  const caughtUp = new Promise<void>((resolve) => follower.on('caught-up', () => resolve()));
  const reading = (async () => {
    for await (const change of follower) {
      if (change.kind !== 'upsert') continue;
      const { entity, quads } = change.member;
      const isComplete = quads.some(({ predicate, object }) => predicate.value === COMPLETE && object.value === 'true');
      if (isComplete) user.onComplete(jobIdOf(entity));
    }
  })();
  await Promise.race([caughtUp, reading]);
  // What fails later shows as jobs that are lost.
  reading.catch(() => undefined);
  return { make: async () => jobIdOf(await postJob(user)), close: () => ending.abort() };
}

type UsersRole = Extract<JobsRole, { readonly role: 'users' }>;

function openLink(user: User, { way, seed }: UsersRole): Promise<Link> {
  switch (way.by) {
    case 'polling':
      return watchEach(user, (id, signal) => poll(user, way.everyMs, id, signal));
    case 'websocket':
      return openWebSocket(user);
    case 'client':
      return followAll(user, way.malSeconds, seed);
    case 'entity':
      return watchEach(user, (entity, signal) => readEvents(user, entity, signal));
  }
}

/** What comes twice may come a little later. */
const LINGER_MS = 100;

/** Has jobs made by one user, one after the other. */
async function runUser(number: number, role: UsersRole, target: JobTarget, jobs: number): Promise<UsersReport['jobs']> {
  const [told, telling] = [new Map<string, number[]>(), new EventEmitter()];
  const onComplete = (id: string) => {
    told.set(id, [...(told.get(id) ?? []), monotonicMicros()]);
    telling.emit(id);
  };
  const link = await openLink({ number, target, onComplete }, role);
  const knownMicros = new Map<string, number>();
  while (knownMicros.size < jobs) {
    const id = await link.make();
    knownMicros.set(id, monotonicMicros());
    const signal = AbortSignal.timeout(role.maxWaitMs);
    if (!told.has(id)) await once(telling, id, { signal }).catch(() => undefined);
  }
  await sleep(LINGER_MS);
  link.close();
  // Nobody notices a job before it is known to be theirs.
  return [...knownMicros].map(([id, known]) => {
    return { id, noticesMicros: (told.get(id) ?? []).map((micros) => Math.max(micros, known)) };
  });
}

async function serve(way: Way): Promise<void> {
  const jobs = new Jobs();
  const isPlain = way.by === 'polling' || way.by === 'websocket';
  const breakEvenSeconds = way.by === 'client' ? way.breakEvenSeconds : undefined;
  const target = isPlain ? await servePlain(jobs) : await serveLive(jobs, breakEvenSeconds);
  answerOrders<{ readonly durationsMs?: number[][] }>(target, ({ durationsMs = [] }): ServerReport => {
    jobs.durationsMs = durationsMs;
    const { user, system } = process.cpuUsage();
    return { cpuMicros: user + system, completions: jobs.completions };
  });
}

function use(role: UsersRole): void {
  const [sockets, watch] = [new Set<Socket>(), new EffortWatch()];
  let requests = 0;
  subscribe('net.client.socket', (message) => void sockets.add((message as { readonly socket: Socket }).socket));
  subscribe('undici:request:create', () => {
    requests += 1;
  });
  answerOrders<{ readonly target: JobTarget; readonly jobs: number }>({}, async (order): Promise<UsersReport> => {
    watch.take();
    const users = Array.from({ length: role.users }, (_, number) => runUser(number, role, order.target, order.jobs));
    const jobs = (await Promise.all(users)).flat();
    const sum = (bytes: (socket: Socket) => number) => [...sockets].reduce((all, socket) => all + bytes(socket), 0);
    const [receivedBytes, sentBytes] = [sum(({ bytesRead }) => bytesRead), sum(({ bytesWritten }) => bytesWritten)];
    return { jobs, requests, receivedBytes, sentBytes, effort: watch.take() };
  });
}

const role = planOf<JobsRole>();
if (role.role === 'server') await serve(role.way);
else use(role);
