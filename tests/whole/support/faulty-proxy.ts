import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ScaledTime } from '../../support/scaled-time.ts';
import { type Fault, faultOf } from './fault.ts';
import { FaultChannel, type FaultPlan, type FaultyExchange } from './fault-channel.ts';
import { FaultyEvents } from './faulty-events.ts';

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

export async function faultyProxy(time: ScaledTime): Promise<FaultyProxy> {
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
    void answer({ incoming, outgoing, channel, exchange, isEvents, port, agent, clock: time.clock });
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
  readonly clock: () => number;
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
  const { incoming, outgoing, channel, exchange, isEvents, port, agent } = passage;
  const { method, url: path, headers } = incoming;
  const plain = { ...headers, 'accept-encoding': 'identity' };
  const onward = request({ host: '127.0.0.1', port, method, path, headers: plain, agent });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  onward.end();
  const [response] = (await once(onward, 'response').catch(() => [])) as IncomingMessage[];
  if (!response) return;
  response.on('error', () => outgoing.destroy());
  const { faults } = exchange;
  exchange.status = response.statusCode ?? 0;
  // Other answers bear the date of the machine, not that of the time that is passed in.
  const isDocument = !isEvents && [200, 304].includes(exchange.status);
  const dateMs = isDocument ? Date.parse(response.headers.date ?? '') : passage.clock();
  const rawHeaders = withDate(response.rawHeaders, dateMs);
  if (isEvents && exchange.status === 200) {
    outgoing.writeHead(200, alteredHeaders(rawHeaders, faults));
    outgoing.flushHeaders();
    const events = new FaultyEvents(outgoing, faults, channel);
    response.on('data', (chunk: Buffer) => events.take(chunk));
    response.on('end', () => events.end());
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const body = Buffer.concat(chunks);
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
