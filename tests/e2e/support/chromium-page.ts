import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openChromium } from '@ldes-live/bench/chromium';
import type { EventReader, ReadEvent } from './event-reader.ts';

/**
 * A page in Chromium that reads a stream of events by `EventSource`, from an origin other than the stream's, and tells
 * this process what it gets.
 */
export async function chromiumPage(url: string): Promise<EventReader> {
  const events: ReadEvent[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(url));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    events.push(...(JSON.parse(Buffer.concat(chunks).toString()) as ReadEvent[]));
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const chromium = await openChromium(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return {
    events,
    close: async () => {
      await chromium.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

// Batches leave one after the other, so that they arrive in the order of the events.
function page(url: string): string {
  return `<!doctype html>
<title>Reader</title>
<script>
  const waiting = [];
  let isSending = false;
  async function send() {
    if (isSending) return;
    isSending = true;
    while (waiting.length > 0) await fetch('/', { method: 'POST', body: JSON.stringify(waiting.splice(0)) });
    isSending = false;
  }
  const source = new EventSource(${JSON.stringify(url)});
  for (const type of ['update', 'conflated', 'gap', 'message']) {
    source.addEventListener(type, ({ data, lastEventId }) => {
      waiting.push({ event: type, id: lastEventId, data });
      send();
    });
  }
</script>
`;
}
