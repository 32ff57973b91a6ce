import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import { isQuad } from './check-event.ts';
import { turn } from './turn.ts';

/** How many quads are loaded before everything else has its turn. */
const SLICE_QUADS = 2000;

/**
 * Loads quads that hold at all times, in slices, so that nothing else in this thread waits for all of them.
 *
 * @throws what the quads' iterable throws
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - one is no quad
 * @throws {@link StreamError} `ERR_VIEW_TOO_LARGE` - as {@link Evaluator.load}
 */
export async function loadData(
  evaluator: Pick<Evaluator, 'load'>,
  data: Iterable<Quad> | AsyncIterable<Quad>,
  signal: AbortSignal,
): Promise<void> {
  let slice: Quad[] = [];
  for await (const quad of data) {
    if (!isQuad(quad)) {
      const expected = 'give an iterable of RDF/JS quads, such as a parser makes of a file';
      throw errors.ERR_QUERY_OPTION({ name: 'data', value: quad, expected });
    }
    slice.push(quad);
    if (slice.length < SLICE_QUADS) continue;
    await evaluator.load(slice);
    slice = [];
    await turn();
    signal.throwIfAborted();
  }
  if (slice.length > 0) await evaluator.load(slice);
}
