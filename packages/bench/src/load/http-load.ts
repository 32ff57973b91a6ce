import { connect, type Socket } from 'node:net';

/** What a load asks for, and how hard. */
export interface Load {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Kept-alive connections, each with one request at a time. */
  readonly connections: number;
  readonly durationMs: number;
}

/** What a load met. */
export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Status codes that came, each with how often. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Bytes of the last response, header included. */
  readonly responseBytes: number;
}

const HEADER_END = Buffer.from('\r\n\r\n');

/**
 * Asks for one URL over and over on plain sockets for a while. It reads no more of a response than its status and
 * length, so that it costs less than what it measures.
 *
 * @throws Error - a connection failed, or a response has no length
 */
export async function httpLoad(load: Load): Promise<LoadResult> {
  const lines = Object.entries({ host: `127.0.0.1:${load.port}`, ...load.headers });
  const request = Buffer.from(
    `GET ${load.path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  const tally = { requests: 0, responseBytes: 0, statuses: {} as Record<string, number> };
  const startedMs = performance.now();
  const endMs = startedMs + load.durationMs;
  await Promise.all(Array.from({ length: load.connections }, () => askUntil(endMs, load.port, request, tally)));
  const elapsedMs = performance.now() - startedMs;
  return { ...tally, requestsPerSecond: (tally.requests * 1000) / elapsedMs };
}

interface Tally {
  requests: number;
  responseBytes: number;
  statuses: Record<string, number>;
}

function askUntil(endMs: number, port: number, request: Buffer, tally: Tally): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
    // Bytes of the response under way that are still to come; `undefined` while its header is.
    let leftBytes: number | undefined;
    let header: Buffer = Buffer.alloc(0);
    const read = (chunk: Buffer) => {
      if (leftBytes !== undefined) {
        leftBytes -= chunk.length;
        return leftBytes === 0;
      }
      header = header.length === 0 ? chunk : Buffer.concat([header, chunk]);
      const end = header.indexOf(HEADER_END);
      if (end < 0) return false;
      const text = header.toString('latin1', 0, end);
      const status = text.slice(9, 12);
      const length = status === '304' ? '0' : /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
      if (length === undefined) throw new Error(`A response without a length: ${text}`);
      const totalBytes = end + HEADER_END.length + Number(length);
      leftBytes = totalBytes - header.length;
      tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
      tally.responseBytes = totalBytes;
      return leftBytes === 0;
    };
    socket.on('connect', () => socket.write(request));
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.on('data', (chunk) => {
      try {
        if (!read(chunk)) return;
      } catch (error) {
        reject(error);
        socket.destroy();
        return;
      }
      tally.requests += 1;
      leftBytes = undefined;
      header = Buffer.alloc(0);
      if (performance.now() >= endMs) socket.destroy();
      else socket.write(request);
    });
  });
}
