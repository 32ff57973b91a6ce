import { SseParser } from '@ldes-live/codec';
import { expect, vi } from 'vitest';

/** What a reader of a push endpoint has received so far. */
export interface EventReader {
  readonly response: Response;
  readonly events: { event: string; id: string; data: string }[];
  readonly comments: string[];
  readonly retries: number[];
  readonly state: { ended: boolean; bytes: number };
  /** Waits for so many events. */
  count(events: number): Promise<void>;
  close(): void;
}

/** Reads a push endpoint until it is closed. */
export async function readEvents(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const reader: Omit<EventReader, 'count' | 'close'> = {
    response,
    events: [],
    comments: [],
    retries: [],
    state: { ended: false, bytes: 0 },
  };
  const parser = new SseParser({
    onEvent: (event) => reader.events.push(event),
    onComment: (text) => reader.comments.push(text),
    onRetry: (retryMs) => reader.retries.push(retryMs),
  });
  const read = async () => {
    for await (const chunk of response.body ?? []) {
      reader.state.bytes += chunk.length;
      parser.push(chunk);
    }
  };
  read()
    .catch(() => {})
    .finally(() => {
      reader.state.ended = true;
    });
  return {
    ...reader,
    count: (events) =>
      vi.waitFor(() => expect(reader.events.length).toBeGreaterThanOrEqual(events), { timeout: 10_000 }),
    close: () => abort.abort(),
  };
}
