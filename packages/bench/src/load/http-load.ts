import { connect } from 'node:net';
import { startAsking } from '../subjects/c-loops.ts';
import { AnswerReader } from './answers.ts';

/** What a load asks for, and how hard. */
export interface Load {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Kept-alive connections, each of which asks again as soon as it is answered. */
  readonly connections: number;
  readonly durationMs: number;
  /** Where the clients in C are compiled to; absent, or without a compiler: they are in this process. */
  readonly folder?: string;
}

/** What a load met. */
export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Status codes that came, each with how often; `other` stands for all but 200 and 304. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Bytes of the last answer, header included. */
  readonly responseBytes: number;
  /** Whether the clients were in C, on the core of loads. */
  readonly isInC: boolean;
}

/**
 * Asks for one URL over and over for a while, at less cost than what is measured.
 *
 * @throws Error - a connection failed
 */
export async function httpLoad(load: Load): Promise<LoadResult> {
  const { port, path, headers, connections: clients, durationMs, folder } = load;
  const asking = folder && (await startAsking({ ports: [port], path, headers, clients, folder }));
  if (!asking) return loadOfThis(load);
  const { served, unmodified, failed, answerBytes, effort } = await asking.closed(durationMs, 0);
  await asking.stop();
  const statuses = { 200: served - unmodified - failed, 304: unmodified, other: failed };
  const known = Object.entries(statuses).filter(([, count]) => count > 0);
  return {
    requests: served,
    requestsPerSecond: (served * 1e6) / effort.wallMicros,
    statuses: Object.fromEntries(known),
    responseBytes: answerBytes,
    isInC: true,
  };
}

async function loadOfThis({ port, path, headers, connections, durationMs }: Load): Promise<LoadResult> {
  const fields = Object.entries({ host: `127.0.0.1:${port}`, ...headers });
  const request = `GET ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  const statuses: Record<string, number> = {};
  let [requests, responseBytes] = [0, 0];
  const startMs = performance.now();
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      const answers = new AnswerReader();
      socket.on('connect', () => socket.write(request));
      socket.on('error', reject);
      socket.on('close', () => resolve());
      socket.on('data', (bytes) => {
        const answer = answers.feed(bytes);
        if (answer === undefined) return;
        requests += 1;
        responseBytes = answer.wholeBytes;
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        if (performance.now() - startMs < durationMs) socket.write(request);
        else socket.destroy();
      });
    });
  await Promise.all(Array.from({ length: connections }, ask));
  const requestsPerSecond = (requests * 1000) / (performance.now() - startMs);
  return { requests, requestsPerSecond, statuses, responseBytes, isInC: false };
}
