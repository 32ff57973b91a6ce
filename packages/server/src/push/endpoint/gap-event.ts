import { type Cursor, formatCursor, formatSseEvent, pushEvents } from '@ldes-live/rdf-stream';
import type { StreamUrls } from '../../documents/document.ts';

/**
 * The event that says that the log does not hold what was asked for, and where to read on. Its id is the
 * head, from where the stream goes on.
 *
 * @see specs/push.md PUSH-7
 */
export function gapEvent(from: Cursor, head: Cursor, urls: StreamUrls): string {
  return formatSseEvent({
    event: pushEvents.gap,
    id: formatCursor(head),
    data: JSON.stringify({ from: formatCursor(from), to: formatCursor(head), latest: urls.latest, pages: urls.pages }),
  });
}
