import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startChild } from '../child.ts';
import type { Setting } from '../setting.ts';
import type { IngestServerMessage, IngestServerPlan, IngestServerReport } from './ingest-messages.ts';
import type { IngestSize } from './ingest-size.ts';
import { observationLines } from './observation-lines.ts';

/** What came of one request of very many members. */
export interface IngestResult extends IngestServerReport {
  readonly status: number;
  /** What the answer says was stored. */
  readonly stored: number;
  readonly bodyBytes: number;
  readonly durationMs: number;
}

const TOKEN = 'token-of-one-measurement';
/** Members in a piece of the body. */
const PIECE = 200;

/** Posts very many members in one request to a publisher with a log on disk. */
export async function measureIngest({ members, entities }: IngestSize, setting: Setting): Promise<IngestResult> {
  const plan: IngestServerPlan = { folder: await mkdtemp(join(setting.folder, 'log-')), token: TOKEN };
  const child = startChild<IngestServerMessage>(new URL('./ingest-server-process.js', import.meta.url), [
    JSON.stringify(plan),
  ]);
  try {
    const { port } = (await child.next()) as { readonly port: number };
    const startMs = performance.now();
    const post = request({
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: '/water',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/n-quads' },
    });
    const answered = once(post, 'response');
    let bodyBytes = 0;
    for (let first = 0; first < members; first += PIECE) {
      const piece = Array.from({ length: Math.min(PIECE, members - first) }, (_, index) =>
        observationLines(first + index, entities),
      ).join('');
      bodyBytes += Buffer.byteLength(piece);
      // Who is refused is answered before the body has ended.
      if (!post.write(piece)) await Promise.race([once(post, 'drain'), answered]);
    }
    post.end();
    const [response] = await answered;
    const { stored = 0 } = JSON.parse(await text(response)) as { readonly stored?: number };
    const durationMs = performance.now() - startMs;
    setting.onProgress(`ingest: ${stored} of ${members} members stored in ${Math.round(durationMs / 1000)} s`, 1);
    child.send({});
    const report = (await child.next()) as IngestServerReport;
    return { ...report, status: response.statusCode, stored, bodyBytes, durationMs };
  } finally {
    // It ends when there is nobody to tell any more.
    child.disconnect();
    await child.ended;
  }
}
