/* What inputs are made of, and changes of bytes, whatever these say. */
import type { Random } from './random.ts';
import { type Target, words } from './target.ts';

/** What an input is made of. */
export interface Material {
  readonly target: Pick<Target, 'grammar' | 'words' | 'limitBytes'>;
  readonly random: Random;
  /** Another input. */
  readonly other: () => Uint8Array;
}

/** What is made of repetitions is no longer than this, bytes. */
const LIMIT_MADE_BYTES = 200_000;

/** Numbers at the edges of what types and limits take. */
export const NUMBERS: readonly number[] = [
  0, -0, 1, -1, 2, 63, 64, 65, 127, 128, 255, 256, 1000, 1023, 1024, 4096, 10_000, 32_767, 65_535, 65_536, 1e6,
  2_147_483_647, 2_147_483_648, -2_147_483_648, 4_294_967_295, 4_294_967_296, 9_007_199_254_740_991,
  9_007_199_254_740_992, 1e21, 1e308, 5e-324, 0.1, 1.5, -1.5,
];

/** Texts that are often handled wrongly. */
export const TEXTS: readonly string[] = [
  '',
  '\0',
  '\n',
  '\r\n',
  '\t',
  '\u2028',
  '\ufeff',
  '\ud800',
  '\udc00',
  '\ufffd',
  '\u00e9',
  '\u{1f68b}',
  '\\',
  '\\u0000',
  '\\uD800',
  '\\U0010FFFF',
  'a'.repeat(5000),
  '\u0301'.repeat(50),
  ...words(`
    ␣ % %41 %zz " ' < > { } [ ] ../ // ? # null true NaN INF -0 1e999 __proto__ constructor toString hasOwnProperty
  `),
];

/** How often something is put in that has so many bytes: a power of two, and no more than fits into an input. */
export function timesOf(random: Random, powers: number, bytes: number): number {
  return Math.max(1, Math.min(1 << random.below(powers), Math.floor(LIMIT_MADE_BYTES / Math.max(1, bytes))));
}

/** Changes a few bytes, whatever they say. */
export function changedBytes(input: Uint8Array, { random, other }: Pick<Material, 'random' | 'other'>): Uint8Array {
  const [from, to] = random.range(input.length);
  const replaced = (...parts: readonly Uint8Array[]) =>
    Buffer.concat([input.subarray(0, from), ...parts, input.subarray(to)]);
  const part = input.subarray(from, to);
  switch (random.below(8)) {
    case 0: {
      const output = Buffer.from(input);
      if (output.length > 0) output[from] = (output[from] as number) ^ (1 << random.below(8));
      return output;
    }
    case 1:
      return replaced(Buffer.of(random.pick([0, 1, 0x7f, 0x80, 0xbf, 0xc0, 0xed, 0xf4, 0xff, random.below(256)])));
    case 2:
      return replaced();
    case 3:
      return replaced(part, part);
    case 4:
      return replaced(Buffer.from(Array.from({ length: 1 + random.below(8) }, () => random.below(256))));
    case 5: {
      const donor = other();
      return replaced(donor.subarray(...random.range(donor.length)));
    }
    case 6:
      return input.subarray(0, from);
    default:
      return replaced(...Array<Uint8Array>(timesOf(random, 10, part.length)).fill(part));
  }
}
