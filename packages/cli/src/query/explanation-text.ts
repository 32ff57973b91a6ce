import type { Explanation } from '@ldes-live/query';

/** How a query is answered, in words. */
export function explanationText({ strategy, reason, engine }: Explanation): string {
  const way =
    strategy === 'local' ? 'answered from the changed entities alone' : 'asked again as a whole at each change';
  return `${way} by ${engine}: ${reason}`;
}
