import { readEvents as readPushed } from '@ldes-live/test-support/events';
import { onTestFinished } from 'vitest';

/** Opens a live query as a reader does, and reads what comes, from the time on when it may. */
export async function readEvents(
  url: string,
  sparql: string,
  options: { readonly headers?: Record<string, string>; readonly mal?: number; readonly mayRead?: Promise<void> } = {},
) {
  const query = new URLSearchParams({ query: sparql, ...(options.mal !== undefined && { mal: String(options.mal) }) });
  const headers = { accept: 'text/event-stream', ...options.headers };
  const { response, events, state, ended, count, close } = await readPushed(
    `${url}?${query}`,
    headers,
    options.mayRead,
  );
  onTestFinished(close);
  const read = () =>
    // biome-ignore lint/suspicious/noExplicitAny: what it says is what tests look into.
    events.map(({ event, id, data }) => ({ type: event, id, text: data, data: JSON.parse(data) as any }));
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    get events() {
      return read();
    },
    /** Everything that came. */
    text: () => state.text,
    ended,
    /** Waits for so many events. */
    until: async (least: number) => {
      await count(least);
      return read();
    },
    close,
  };
}
