import { openChromium } from '@ldes-live/bench/programs';
import { eventually } from '@ldes-live/test-support/eventually';
import { httpServer } from '@ldes-live/test-support/net';
import { expect } from 'vitest';
import type { EventReader, ReadEvent } from './event-clients.ts';

let shared: ReturnType<typeof openPage> | undefined;

/**
 * Reads a stream of events by `EventSource` in Chromium, in a page from an origin other than the stream's. All readers of a
 * file of tests share one page: it takes longer to start than most of them read.
 */
export async function readInChromium(url: string): Promise<EventReader> {
  shared ??= openPage();
  const { page, events } = await shared;
  const own: ReadEvent[] = [];
  const number = events.push(own) - 1;
  await page.evaluate(`readEvents(${number}, ${JSON.stringify(url)})`);
  return { events: own, close: () => page.evaluate(`sources.get(${number}).close()`) };
}

/** Ends it where it has begun. */
export async function closeChromium(): Promise<void> {
  await (await shared)?.close();
  shared = undefined;
}

async function openPage() {
  // Of each reader.
  const events: ReadEvent[][] = [];
  const server = await httpServer(async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const read = JSON.parse(Buffer.concat(chunks).toString()) as (ReadEvent & { readonly reader: number })[];
    for (const { reader, ...event } of read) events[reader]?.push(event);
    response.writeHead(204).end();
  });
  const page = await openChromium(server.url);
  await eventually(async () => expect(await page.evaluate('typeof readEvents')).toBe('function'));
  const close = async () => {
    await page.close();
    await server.close();
  };
  return { page, events, close };
}

// Batches leave one after the other, so that they arrive in the order of the events.
const PAGE = `<!doctype html>
<title>Reader</title>
<script>
  const sources = new Map();
  const waiting = [];
  let isSending = false;
  async function send() {
    if (isSending) return;
    isSending = true;
    while (waiting.length > 0) await fetch('/', { method: 'POST', body: JSON.stringify(waiting.splice(0)) });
    isSending = false;
  }
  function readEvents(reader, url) {
    const source = new EventSource(url);
    sources.set(reader, source);
    for (const type of ['update', 'conflated', 'gap', 'message']) {
      source.addEventListener(type, ({ data, lastEventId }) => {
        waiting.push({ reader, event: type, id: lastEventId, data });
        send();
      });
    }
  }
</script>
`;
