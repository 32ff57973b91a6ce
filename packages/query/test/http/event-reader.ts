import { type IncomingMessage, request } from 'node:http';
import { eventually } from '@ldes-live/test-support/eventually';
import { onTestFinished } from 'vitest';

/** An event of a live query as a reader gets it. */
interface ReadEvent {
  readonly type: string;
  readonly id: string;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what it says is what tests look into.
  readonly data: any;
}

/** A reader of a live query. */
export interface EventReader {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly events: ReadEvent[];
  /** Everything that came. */
  text(): string;
  readonly ended: Promise<void>;
  /** Waits for so many events. */
  until(count: number): Promise<readonly ReadEvent[]>;
  /** Takes nothing more until it is resumed. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Opens a live query as a reader does, and reads what comes. */
export async function readEvents(
  url: string,
  sparql: string,
  options: { readonly headers?: Record<string, string>; readonly mal?: number; readonly isPaused?: boolean } = {},
): Promise<EventReader> {
  const query = new URLSearchParams({ query: sparql, ...(options.mal !== undefined && { mal: String(options.mal) }) });
  const asking = request(`${url}?${query}`, {
    headers: { accept: 'text/event-stream', ...options.headers },
    agent: false,
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asking.on('response', resolve).on('error', reject).end();
  });
  asking.on('error', () => undefined);
  response.on('error', () => undefined);
  const close = () => {
    asking.destroy();
  };
  onTestFinished(close);
  const chunks: string[] = [];
  let rest = '';
  const events: ReadEvent[] = [];
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    chunks.push(chunk);
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    events.push(...blocks.flatMap((block) => eventOf(block) ?? []));
  });
  if (options.isPaused) response.pause();
  const ended = new Promise<void>((resolve) => {
    response.on('close', () => resolve());
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    text: () => chunks.join(''),
    ended,
    until: async (count) => {
      await eventually(
        () => {
          if (events.length < count)
            throw new Error(`${events.length} of ${count} events: ${chunks.join('').slice(-500)}`);
        },
        { forMs: 15_000, everyMs: 10 },
      );
      return events;
    },
    pause: () => response.pause(),
    resume: () => response.resume(),
    close,
  };
}

function eventOf(block: string): ReadEvent | undefined {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1] ?? '';
  const type = field('event');
  if (type === '') return undefined;
  return { type, id: field('id'), text: field('data'), data: JSON.parse(field('data')) };
}
