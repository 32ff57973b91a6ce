import { numberText } from '../report/number-text.ts';
import { comparedText } from './compared-text.ts';
import type { E3Results } from './e3-found.ts';
import { mostRatio } from './e3-ratios.ts';
import { PUBLISHED_MOST } from './published-e3.ts';

const TESTS = [
  { grows: 'batch', name: 'With growing batches of equal rows (test I)' },
  { grows: 'connections', name: 'With growing connections and equal rows (test II)' },
] as const;

/** How events compare with WebSocket, beside what was published: a sentence for each test that was run. */
export function transportText(results: Pick<Partial<E3Results>, 'batch' | 'connections'>): readonly string[] {
  return TESTS.flatMap(({ grows, name }) => {
    const ratio = mostRatio(results[grows] ?? [], 'sse', 'websocket');
    return ratio ? [`${name}, ${comparedText('sse', 'websocket', ratio)}${publishedText(grows)}.`] : [];
  });
}

function publishedText(grows: keyof typeof PUBLISHED_MOST): string {
  const { sse, websocket } = PUBLISHED_MOST[grows];
  return sse && websocket ? `; ${numberText(sse.rowsPerSecond / websocket.rowsPerSecond)} times were published` : '';
}
