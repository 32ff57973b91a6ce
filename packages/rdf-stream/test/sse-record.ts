import { type SseEvent, SseParser, type SseParserOptions } from '../src/index.ts';

/** What a parser called, in order. */
export interface SseRecord {
  readonly calls: (SseEvent | { comment: string } | { retryMs: number })[];
  readonly parser: SseParser;
}

/** A parser that records its calls. */
export function sseRecord(options: Pick<SseParserOptions, 'limitBytes'> = {}): SseRecord {
  const calls: SseRecord['calls'] = [];
  const parser = new SseParser({
    ...options,
    onEvent: (event) => calls.push(event),
    onComment: (comment) => calls.push({ comment }),
    onRetry: (retryMs) => calls.push({ retryMs }),
  });
  return { calls, parser };
}

/** What a parser calls for a text in chunks; each chunk is overwritten once it was pushed. */
export function parseChunks(chunks: readonly Uint8Array[]): SseRecord['calls'] {
  const { calls, parser } = sseRecord();
  for (const chunk of chunks) {
    const copy = chunk.slice();
    parser.push(copy);
    copy.fill(0x21);
  }
  return calls;
}
