import { spreadText } from '../report/number-text.ts';
import type { Spread } from '../spread.ts';
import { TRANSPORT_NAMES, type Transport } from './transport.ts';

/**
 * How two transports compare, in words: where repeats lie on both sides of 1, a ratio tells no difference.
 *
 * @param ratio - of rows a second
 */
export function comparedText(above: Transport, below: Transport, ratio: Spread): string {
  const [one, other] = [TRANSPORT_NAMES[above], TRANSPORT_NAMES[below]];
  const isEqual = ratio.min <= 1 && ratio.max >= 1;
  return isEqual
    ? `${one} and ${other} do not differ beyond the spread (${spreadText(ratio)} times the rows a second)`
    : `${one} brings ${spreadText(ratio)} times the rows a second of ${other}`;
}
