/* What a target of the fuzzer is: where inputs come from, and where they go. */

/** How inputs are taken apart to be changed. */
type Grammar = 'text' | 'json' | 'protobuf' | 'mqtt';

/** What became of one input, in a word or an error code. Two inputs with different outcomes are both worth keeping. */
export interface Outcome {
  readonly isAccepted: boolean;
  readonly code: string;
}

/** A world that inputs are given to, one after the other. */
export interface Session {
  /** Gives it an input. Throws where the code under test did what it must not do. */
  run(input: Uint8Array): Promise<Outcome>;
  /** Looks at the world after some inputs: throws where something is damaged. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** A part of the project that reads what others wrote. */
export interface Target {
  readonly name: string;
  readonly grammar: Grammar;
  /** Words that inputs are made of. */
  readonly words: readonly string[];
  /** Inputs to begin with, beside those of its folder in `corpus`. */
  seeds(): readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  open(): Promise<Session>;
  /** Longest input, bytes. @defaultValue 65,536 */
  readonly limitBytes?: number;
  /** How long a turn of the event loop may take, milliseconds. @defaultValue 200 */
  readonly limitTurnMs?: number;
}

/** An input is refused, with the code of the error. */
export function refused(code: string): Outcome {
  return { isAccepted: false, code };
}

/** An input is accepted. */
export function accepted(code = 'accepted'): Outcome {
  return { isAccepted: true, code };
}

/** What the code under test must not do. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** Texts as inputs. */
export function texts(...seeds: readonly string[]): Uint8Array[] {
  return seeds.map((seed) => Buffer.from(seed));
}

/** Words of a text, parted by white space; `␣` stands for a space within one. */
export function words(text: string): string[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll('␣', ' '));
}
