/* A proxy on loopback that lets happen to exchanges what does happen on the way, by a plan for each stream.
 *
 *   client -> proxy: shifts the next entry of the plan -> waits, cuts, answers itself, or asks the server
 *   server -> proxy -> client: documents with altered headers; events late, twice, in part or many together
 *
 * Its waits pass by the time that is passed in. While an exchange is between the sockets, virtual time stands.
 */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { type Fault, type FaultPlan, faultOf } from './schedules.ts';

/** Stands before a server on loopback, and lets happen to its exchanges what does happen on the way. */
export interface FaultyProxy {
  /** Ends in `/`: the public URL of the server behind. */
  readonly url: string;
  /** Port of the server behind it; requests before it is set fail. */
  port: number;
  /** Sets what befalls the exchanges of a stream from now on. */
  plan(stream: string, plan: FaultPlan): FaultChannel;
  /** Breaks all connections that are open. */
  sever(): void;
  /** Listens no more, so that connections are refused. */
  leave(): Promise<void>;
  /** Listens again, where it did. */
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export async function faultyProxy(time: VirtualTime): Promise<FaultyProxy> {
  const channels = new Map<string, FaultChannel>();
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const [, stream = '', rest] = (incoming.url ?? '').split(/[/?]/);
    const channel = channels.get(stream);
    if (!channel) return void outgoing.writeHead(404).end();
    const isEvents = rest === 'events';
    const exchange = channel.begin(incoming.url ?? '', isEvents);
    // Where it is dropped there is to be none.
    outgoing.sendDate = false;
    const { port } = proxy;
    void answer({ incoming, outgoing, channel, exchange, isEvents, port, agent, time });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    port: 0,
    plan: (stream, plan) => {
      const channel = new FaultChannel(plan, time);
      channels.set(stream, channel);
      return channel;
    },
    sever: () => server.closeAllConnections(),
    leave: async () => {
      const left = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await left;
    },
    comeBack: async () => {
      server.listen(Number(new URL(proxy.url).port), '127.0.0.1');
      await once(server, 'listening');
    },
    close: async () => {
      if (server.listening) await proxy.leave();
      agent.destroy();
    },
  };
  return proxy;
}

/** One exchange on its way. */
interface Passage {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly channel: FaultChannel;
  readonly exchange: FaultyExchange;
  readonly isEvents: boolean;
  readonly port: number;
  readonly agent: Agent;
  readonly time: VirtualTime;
}

async function answer(passage: Passage): Promise<void> {
  const { incoming, outgoing, channel, exchange } = passage;
  const { faults } = exchange;
  if (faultOf(faults, 'reset')) return void incoming.socket.resetAndDestroy();
  const delay = faultOf(faults, 'delay-head');
  if (delay) await channel.wait(delay.ms);
  if (outgoing.destroyed) return;
  if (faultOf(faults, 'cut-head')) {
    incoming.socket.write('HTTP/1.1 200 OK\r\nContent-Ty', () => incoming.socket.destroy());
    return;
  }
  const other = faultOf(faults, 'status');
  if (other) {
    const { status, retryAfterSeconds } = other;
    exchange.status = status;
    outgoing.writeHead(status, retryAfterSeconds === undefined ? [] : ['retry-after', `${retryAfterSeconds}`]).end();
  } else if (faultOf(faults, 'html')) {
    exchange.status = 200;
    outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Log in</title>');
  } else if (!(await answerStale(passage))) await forward(passage);
}

// As a cache that does not know, or mind, that there is something newer.
async function answerStale({ incoming, outgoing, channel, exchange }: Passage): Promise<boolean> {
  const stale = faultOf(exchange.faults, 'stale');
  if (!stale || (!stale.isStubborn && /no-cache/.test(incoming.headers['cache-control'] ?? ''))) return false;
  const kept = channel.kept(exchange.path, stale.back);
  if (!kept) return false;
  const isSame = kept.etag !== undefined && incoming.headers['if-none-match'] === kept.etag;
  exchange.status = isSame ? 304 : 200;
  outgoing.writeHead(exchange.status, alteredHeaders(kept.headers, exchange.faults));
  outgoing.end(isSame ? undefined : kept.body);
  return true;
}

async function forward(passage: Passage): Promise<void> {
  const { incoming, outgoing, channel, exchange, isEvents, port, agent, time } = passage;
  const { method, url: path, headers } = incoming;
  const plain = { ...headers, 'accept-encoding': 'identity' };
  const onward = request({ host: '127.0.0.1', port, method, path, headers: plain, agent });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  onward.end();
  const [response] = (await time.during(once(onward, 'response').catch(() => []))) as IncomingMessage[];
  if (!response) return;
  response.on('error', () => outgoing.destroy());
  const { faults } = exchange;
  exchange.status = response.statusCode ?? 0;
  exchange.cursor = response.headers['ldes-cursor'] as string | undefined;
  // Other answers bear the date of the machine, not that of the time that is passed in.
  const isDocument = !isEvents && [200, 304].includes(exchange.status);
  const dateMs = isDocument ? Date.parse(response.headers.date ?? '') : time.clock();
  const rawHeaders = withDate(response.rawHeaders, dateMs);
  if (isEvents && exchange.status === 200) {
    outgoing.writeHead(200, alteredHeaders(rawHeaders, faults));
    outgoing.flushHeaders();
    const events = new FaultyEvents(outgoing, faults, channel, time);
    response.on('data', (chunk: Buffer) => events.take(chunk));
    response.on('end', () => events.end());
    return;
  }
  const body = await time.during(buffer(response));
  if (exchange.status === 200) {
    channel.keep(exchange.path, { headers: rawHeaders, etag: response.headers.etag, body });
  }
  await send({ outgoing, channel, exchange }, rawHeaders, body);
}

async function send(
  { outgoing, channel, exchange }: Pick<Passage, 'outgoing' | 'channel' | 'exchange'>,
  headers: readonly string[],
  body: Buffer,
): Promise<void> {
  const { faults } = exchange;
  outgoing.writeHead(exchange.status as number, alteredHeaders(headers, faults));
  const delay = faultOf(faults, 'delay-body');
  if (delay) {
    outgoing.flushHeaders();
    outgoing.write(body.subarray(0, body.length / 2));
    await channel.wait(delay.ms);
    if (!outgoing.destroyed) outgoing.end(body.subarray(body.length / 2));
    return;
  }
  const cut = faultOf(faults, 'cut-body');
  if (!cut || body.length === 0) return void outgoing.end(body);
  // What passes has to arrive before the end does.
  outgoing.write(body.subarray(0, body.length * cut.share), () => outgoing.destroy());
}

function withDate(headers: readonly string[], dateMs: number): string[] {
  return headers.map((value, index) =>
    headers[index - 1]?.toLowerCase() === 'date' && index % 2 === 1 ? new Date(dateMs).toUTCString() : value,
  );
}

function alteredHeaders(headers: readonly string[], faults: readonly Fault[]): string[] {
  const dropped = new Set(faults.flatMap((fault) => (fault.fault === 'drop' ? [fault.field as string] : [])));
  const shiftMs = (faultOf(faults, 'date')?.seconds ?? 0) * 1000;
  const age = faultOf(faults, 'age')?.seconds;
  const altered: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index] as string, headers[index + 1] as string];
    const lowerCase = name.toLowerCase();
    // Of a connection, not of the answer.
    if (['connection', 'keep-alive', 'transfer-encoding'].includes(lowerCase)) continue;
    if (dropped.has(lowerCase) || (lowerCase === 'age' && age !== undefined)) continue;
    const isShifted = lowerCase === 'date' && shiftMs !== 0;
    altered.push(name, isShifted ? new Date(Date.parse(value) + shiftMs).toUTCString() : value);
  }
  return age === undefined ? altered : [...altered, 'age', String(age)];
}

/** An exchange that went through a proxy. */
export interface FaultyExchange {
  readonly path: string;
  /** When the request came, epoch milliseconds. */
  readonly atMs: number;
  /** What was planned to befall it. */
  readonly faults: readonly Fault[];
  /** What was answered; `undefined` while, or where, nothing was. */
  status?: number;
  /** Up to where the server answered, with all that was published by then. */
  cursor?: string | undefined;
}

/** An answer that a cache has kept. */
export interface KeptAnswer {
  readonly headers: readonly string[];
  readonly etag: string | undefined;
  readonly body: Buffer;
}

// Older ones are let go.
const KEPT_ANSWERS = 6;

/** The way of one stream through a proxy: what befalls its exchanges until it is mended, and what they were. */
export class FaultChannel {
  readonly exchanges: FaultyExchange[] = [];
  /** Whether all events are held back, on connections that are open as well, until it is mended. */
  isHolding = false;
  readonly #time: VirtualTime;
  readonly #mended = new AbortController();
  readonly #kept = new Map<string, KeptAnswer[]>();
  #plan: { readonly documents: (readonly Fault[])[]; readonly events: (readonly Fault[])[] };

  constructor(plan: FaultPlan, time: VirtualTime) {
    this.#plan = { documents: [...plan.documents], events: [...plan.events] };
    this.#time = time;
    this.#mended.signal.addEventListener('abort', () => {
      this.#plan = { documents: [], events: [] };
      this.isHolding = false;
    });
  }

  /** Aborted when nothing befalls anything any more. */
  get mended(): AbortSignal {
    return this.#mended.signal;
  }

  /** Ends all faults: what is held back passes. */
  mend(): void {
    this.#mended.abort();
  }

  /** Begins an exchange. */
  begin(path: string, isEvents: boolean): FaultyExchange {
    const faults = (isEvents ? this.#plan.events : this.#plan.documents).shift() ?? [];
    const exchange = { path, atMs: this.#time.clock(), faults };
    this.exchanges.push(exchange);
    return exchange;
  }

  /** Waits, but no longer than there are faults. */
  async wait(ms: number): Promise<void> {
    await this.#time.sleep(ms, this.mended).catch(() => {});
  }

  /** Keeps an answer, as a cache does. */
  keep(path: string, answer: KeptAnswer): void {
    this.#kept.set(path, [...(this.#kept.get(path) ?? []), answer].slice(-KEPT_ANSWERS));
  }

  /** An earlier answer, the oldest but so many. */
  kept(path: string, back: number): KeptAnswer | undefined {
    const answers = this.#kept.get(path) ?? [];
    return answers[Math.min(back, answers.length - 1)];
  }
}

const EVENT_END = '\n\n';
// As servers send them. The real server's own come by the clock of the machine, and so hardly ever.
const HEARTBEAT = ':\n\n';
const HEARTBEAT_MS = 15_000;

async function beat(time: VirtualTime, outgoing: ServerResponse, write: () => void): Promise<void> {
  const closed = new AbortController();
  outgoing.on('close', () => closed.abort());
  while (!closed.signal.aborted) {
    await time.sleep(HEARTBEAT_MS, closed.signal).then(write, () => {});
  }
}

/** Passes the events of a push connection on as its faults say: late, twice, in part, or many together. */
class FaultyEvents {
  readonly #outgoing: ServerResponse;
  readonly #faults: readonly Fault[];
  readonly #channel: FaultChannel;
  #unfinished = '';
  #held = '';
  #events = 0;
  #isCut = false;
  #passing: Promise<void> = Promise.resolve();

  constructor(outgoing: ServerResponse, faults: readonly Fault[], channel: FaultChannel, time: VirtualTime) {
    void beat(time, outgoing, () => {
      this.#passing = this.#passing.then(() => this.#pass(HEARTBEAT));
    });
    this.#outgoing = outgoing;
    this.#faults = faults;
    this.#channel = channel;
    channel.mended.addEventListener('abort', () => this.#release());
  }

  /** Takes what came. */
  take(chunk: Buffer): void {
    // Latin-1 keeps the bytes as they are.
    const text = this.#unfinished + chunk.toString('latin1');
    const end = text.lastIndexOf(EVENT_END) + EVENT_END.length;
    if (end < EVENT_END.length) {
      this.#unfinished = text;
      return;
    }
    this.#unfinished = text.slice(end);
    for (const event of text.slice(0, end).split(/(?<=\n\n)/)) {
      this.#passing = this.#passing.then(() => this.#pass(event));
    }
  }

  /** Ends the connection after what came. */
  end(): void {
    this.#passing = this.#passing.then(() => {
      this.#release();
      this.#outgoing.end(Buffer.from(this.#unfinished, 'latin1'));
    });
  }

  async #pass(event: string): Promise<void> {
    if (this.#isCut) return;
    // Comments and the wait before a reconnect are no events.
    if (!/^data:/m.test(event)) return this.#write(event);
    const faults = this.#channel.mended.aborted ? [] : this.#faults;
    const index = this.#events++;
    const here = faults.filter((fault) => 'event' in fault && fault.event === index);
    const delay = faultOf(here, 'delay-event');
    if (delay) await this.#channel.wait(delay.ms);
    const cut = faultOf(here, 'cut-event');
    if (cut) {
      this.#release();
      // Nothing overtakes the end: an id that followed would say that the event had been left out.
      this.#isCut = true;
      const part = Buffer.from(event.slice(0, event.length * cut.share), 'latin1');
      // What passes has to arrive before the end does.
      this.#outgoing.write(part, () => this.#outgoing.destroy());
      return;
    }
    this.#write(faultOf(here, 'double-event') ? event + event : event);
  }

  #write(event: string): void {
    const faults = this.#channel.mended.aborted ? [] : this.#faults;
    const bytes = faultOf(faults, 'hold-bytes')?.bytes ?? 0;
    const forMs = faultOf(faults, 'hold-time')?.ms;
    const isFirst = this.#held === '';
    this.#held += event;
    if (this.#channel.isHolding) return;
    if (forMs === undefined) {
      if (this.#held.length >= bytes) this.#release();
    } else if (isFirst) void this.#channel.wait(forMs).then(() => this.#release());
  }

  #release(): void {
    const held = Buffer.from(this.#held, 'latin1');
    this.#held = '';
    if (held.length > 0 && !this.#outgoing.destroyed) this.#outgoing.write(held);
  }
}
