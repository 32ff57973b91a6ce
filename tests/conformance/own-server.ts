import { publishedLog, valueDraft } from '../support/published-log.ts';

/** A server to run the suite against: a stream with a sealed page, an open one, and updates every 5 seconds. */
export async function ownServer(): Promise<{ readonly publicUrl: string; close(): Promise<void> }> {
  // Fixed: a document that is not scheduled behind the back of a case has one answer.
  let nowMs = Date.parse('2026-01-01T00:00:00.250Z');
  const published = await publishedLog({
    clock: () => nowMs,
    schedule: () => ({ kind: 'interval', intervalMs: 5000, nextMs: nowMs + 3500 }),
  });
  for (let commit = 0; commit < 13; commit += 1) {
    nowMs += 5000;
    await published.log.append(
      Array.from({ length: 50 }, (_, number) => valueDraft(published.publicUrl, number, commit)),
    );
  }
  nowMs += 1500;
  return published;
}
