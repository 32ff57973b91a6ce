/* The inputs of a target that are worth changing: each reached blocks, or an outcome, that none before it did.
 *
 *   seeds, files of `corpus/TARGET` -> add -> next() -> a changed one -> run -> add, if it is news */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mutated } from './mutate.ts';
import type { Random } from './random.ts';
import type { Outcome, Target } from './target.ts';

const FOLDER = fileURLToPath(new URL('corpus/', import.meta.url));

/** The inputs that a target begins with. */
export async function seedsOf(target: Target): Promise<Uint8Array[]> {
  const folder = join(FOLDER, target.name);
  const files = existsSync(folder) ? readdirSync(folder).sort() : [];
  return [...(await target.seeds()), ...files.map((file) => readFileSync(join(folder, file)))];
}

const LIMIT_INPUTS = 4000;

/** Counts of blocks in steps, as AFL has them: once, twice, a few times, often. */
const STEPS = Uint8Array.from({ length: 256 }, (_, count) =>
  count === 0 ? 0 : 1 << Math.min(7, 31 - Math.clz32(count)),
);

/** Inputs that were news. */
export class Corpus {
  readonly inputs: Uint8Array[] = [];
  readonly #target: Target;
  readonly #random: Random;
  /** Those of them that were accepted: what comes of these is accepted more often. */
  readonly #accepted: Uint8Array[] = [];
  readonly #outcomes = new Set<string>();
  readonly #seen: Uint8Array;
  readonly #blocks: Uint8Array;
  /** The same, four at a time: most did not run. */
  readonly #words: Uint32Array;

  /** @param blocks - counts of blocks, which are set to 0 each time they have been looked at */
  constructor(target: Target, random: Random, blocks: Uint8Array = new Uint8Array(0)) {
    this.#target = target;
    this.#random = random;
    this.#blocks = blocks;
    this.#words = new Uint32Array(blocks.buffer, blocks.byteOffset, blocks.length >> 2);
    this.#seen = new Uint8Array(blocks.length);
  }

  /** How many steps of blocks were seen. */
  get seenBlocks(): number {
    return this.#seen.reduce((sum, steps) => sum + (steps === 0 ? 0 : 1), 0);
  }

  /** Bytes of all inputs. */
  get bytes(): number {
    return this.inputs.reduce((sum, { length }) => sum + length, 0);
  }

  /** Forgets what ran since it was last looked at. */
  begin(): void {
    this.#blocks.fill(0);
  }

  /** Keeps an input if it is news. */
  add(input: Uint8Array, outcome: Outcome | undefined): void {
    const isNewOutcome = outcome !== undefined && !this.#outcomes.has(outcome.code);
    if (isNewOutcome) this.#outcomes.add(outcome.code);
    if (!this.#takeBlocks() && !isNewOutcome) return;
    const kept = Uint8Array.from(input);
    this.#keep(this.inputs, kept);
    if (outcome?.isAccepted) this.#keep(this.#accepted, kept);
  }

  #keep(inputs: Uint8Array[], input: Uint8Array): void {
    if (inputs.length >= LIMIT_INPUTS) inputs[this.#random.below(LIMIT_INPUTS)] = input;
    else inputs.push(input);
  }

  #takeBlocks(): boolean {
    let isNews = false;
    const [words, blocks, seen] = [this.#words, this.#blocks, this.#seen];
    for (let index = 0; index < words.length; index += 1) {
      if (words[index] === 0) continue;
      for (let at = index * 4; at < index * 4 + 4; at += 1) {
        const step = STEPS[blocks[at] as number] as number;
        if ((step & ~(seen[at] as number)) === 0) continue;
        seen[at] = (seen[at] as number) | step;
        isNews = true;
      }
    }
    return isNews;
  }

  /** An input that nobody has seen, probably. */
  next(): Uint8Array {
    const inputs = this.#accepted.length > 0 && this.#random.oneIn(2) ? this.#accepted : this.inputs;
    const recent = Math.max(0, inputs.length - 50);
    const from = this.#random.oneIn(2) ? recent : 0;
    const [one, other] = [0, 1].map(() => inputs[from + this.#random.below(inputs.length - from)]) as [
      Uint8Array,
      Uint8Array,
    ];
    // Short ones take less time, and more of each matters.
    const base = one.length > other.length && !this.#random.oneIn(4) ? other : one;
    const material = { target: this.#target, random: this.#random, other: () => this.#random.pick(inputs) };
    return mutated(base, material);
  }
}
