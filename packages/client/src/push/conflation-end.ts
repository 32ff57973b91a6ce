import { type Cursor, parseCursor } from '@ldes-live/rdf-stream';

/**
 * Up to where a conflation reaches, by the data of its first event; `undefined` where they say nothing of it.
 *
 * @see specs/push.md PUSH-60
 */
export function conflationEnd(data: string): Cursor | undefined {
  try {
    return parseCursor(String((JSON.parse(data) as { to?: unknown } | null)?.to));
  } catch {
    return undefined;
  }
}
