import { request } from 'node:http';
import { startChild } from '../child.ts';
import { httpLoad, type LoadResult } from '../load/http-load.ts';
import type { Setting } from '../setting.ts';
import { type Spread, spread } from '../spread.ts';
import type { ServingSize } from './documents-plan.ts';

/** One document against the bare route. */
export interface ServingResult {
  readonly name: string;
  readonly responseBytes: number;
  /** Requests per second of the framework's server. */
  readonly live: Spread;
  /** Requests per second of the bare route. */
  readonly bare: Spread;
  /** Of each round: the framework's requests per second in parts of the bare route's. */
  readonly ratio: Spread;
  /** Of each round: CPU time for a request of the bare route in parts of the framework's; independent of the load generator. */
  readonly cpuRatio: Spread;
}

interface Case {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Told = { readonly cpuMicros: number };

/** Requests per second for documents that are ready, beside a bare Fastify route of the same process. */
export async function measureServing(plan: ServingSize, { onProgress }: Setting): Promise<ServingResult[]> {
  const child = startChild<Told | { livePort: number; barePort: number; sealedPage: string }>(
    new URL('./serving-process.js', import.meta.url),
    [String(plan.vehicles)],
  );
  const { livePort, barePort, sealedPage } = (await child.next()) as {
    livePort: number;
    barePort: number;
    sealedPage: string;
  };
  const tell = async (message: object) => {
    child.send(message);
    return ((await child.next()) as Told).cpuMicros;
  };
  const load = async (port: number, path: string, headers: Readonly<Record<string, string>>) => {
    const before = await tell({});
    const result = await httpLoad({ port, path, headers, connections: plan.connections, durationMs: plan.roundMs });
    return { ...result, cpuMicrosPerRequest: ((await tell({})) - before) / result.requests };
  };
  const results: ServingResult[] = [];
  const cases = await casesOf(livePort, sealedPage);
  for (const { name, path, headers } of cases) {
    const bytes = await bodyOf(livePort, path, headers);
    await tell({ fixed: bytes.toString('base64') });
    const barePath = headers['if-none-match'] ? '/unmodified' : '/fixed';
    const rounds: { live: Measured; bare: Measured }[] = [];
    for (let round = 0; round <= plan.rounds; round += 1) {
      // In turns, so that what else the machine does falls on both.
      const bare = await load(barePort, barePath, headers);
      const live = await load(livePort, path, headers);
      checkStatus(name, live, headers['if-none-match'] ? '304' : '200');
      // The first round warms both up.
      if (round > 0) rounds.push({ live, bare });
    }
    const result = {
      name,
      responseBytes: (rounds[0] as { live: Measured }).live.responseBytes,
      live: spread(rounds.map(({ live }) => live.requestsPerSecond)),
      bare: spread(rounds.map(({ bare }) => bare.requestsPerSecond)),
      ratio: spread(rounds.map(({ live, bare }) => live.requestsPerSecond / bare.requestsPerSecond)),
      cpuRatio: spread(rounds.map(({ live, bare }) => bare.cpuMicrosPerRequest / live.cpuMicrosPerRequest)),
    };
    results.push(result);
    onProgress(`${name}: ${result.ratio.median.toFixed(2)} of the bare route`, results.length / cases.length);
  }
  child.send({ stop: true });
  await child.ended;
  return results;
}

type Measured = LoadResult & { readonly cpuMicrosPerRequest: number };

async function casesOf(port: number, sealedPage: string): Promise<Case[]> {
  const latest = '/vehicles/latest';
  const gzip = { 'accept-encoding': 'gzip' };
  const tagOf = async (headers: Record<string, string>) => {
    const response = await fetch(`http://127.0.0.1:${port}${latest}`, { headers });
    await response.arrayBuffer();
    return response.headers.get('etag') as string;
  };
  const plain = { 'accept-encoding': 'identity' };
  return [
    { name: 'latest', path: latest, headers: plain },
    { name: 'latest, gzip', path: latest, headers: gzip },
    { name: 'latest, 304', path: latest, headers: { ...plain, 'if-none-match': await tagOf(plain) } },
    { name: 'latest, gzip, 304', path: latest, headers: { ...gzip, 'if-none-match': await tagOf(gzip) } },
    { name: 'sealed page', path: sealedPage, headers: plain },
    { name: 'sealed page, gzip', path: sealedPage, headers: gzip },
  ];
}

/** The content as it goes over the wire, not decoded. */
async function bodyOf(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<Buffer> {
  const { 'if-none-match': _, ...unconditional } = headers;
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, headers: unconditional }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve(Buffer.concat(chunks));
    });
    asked.on('error', reject);
    asked.end();
  });
}

function checkStatus(name: string, { statuses }: LoadResult, expected: string): void {
  const others = Object.keys(statuses).filter((status) => status !== expected);
  if (others.length > 0) throw new Error(`${name}: the server answered ${others.join(', ')}`);
}
