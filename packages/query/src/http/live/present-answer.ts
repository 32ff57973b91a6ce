import type { Quad } from '@rdfjs/types';
import type { LiveResult, Row } from '../../live-result.ts';
import { jsonBinding, jsonResults } from '../results/json-bindings.ts';
import { writeQuad } from '../results/write-term.ts';

/** How many solutions or quads are written before others have their turn. */
const SLICE = 1000;

/**
 * The whole answer of a live query as it stands, as text that was written once: solutions and quads with how often each is
 * there, by what results tell of them.
 */
export class PresentAnswer {
  readonly #isKept: boolean;
  readonly #counts = new Map<string, number>();
  #variables: readonly string[] = [];
  #form: LiveResult['form'] = 'bindings';
  /** Of a result that is told whole. */
  #told: string | undefined;
  #whole: string | undefined;

  /** @param isKept - whether what results tell adds up to an answer, and it is wanted */
  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  /**
   * Takes a result; never before the last one is taken.
   *
   * @returns what changed, as members of a JSON object short of the braces; `undefined` where the answer is told whole
   */
  async take(result: LiveResult): Promise<string | undefined> {
    this.#form = result.form;
    if (result.form === 'boolean') return this.#tell(`"head":{},"boolean":${result.value}`);
    if (result.form === 'quads') {
      const [added, removed] = [await written(result.added, writeQuad), await written(result.removed, writeQuad)];
      this.#apply(added, removed);
      return `"added":${JSON.stringify(added.join(''))},"removed":${JSON.stringify(removed.join(''))}`;
    }
    const { variables } = result;
    this.#variables = variables;
    const write = (row: Row) => jsonBinding(row, variables);
    if (result.kind === 'snapshot') {
      return this.#tell(jsonResults(variables, await written(result.bindings(), write)));
    }
    const [added, removed] = [await written(result.added, write), await written(result.removed, write)];
    this.#apply(added, removed);
    return `"added":{${jsonResults(variables, added)}},"removed":{${jsonResults(variables, removed)}}`;
  }

  /** The whole answer, as members of a JSON object short of the braces. */
  whole(): string {
    this.#whole ??= this.#told ?? this.#join();
    return this.#whole;
  }

  #tell(whole: string): undefined {
    this.#told = whole;
    this.#whole = undefined;
    return undefined;
  }

  #apply(added: readonly string[], removed: readonly string[]): void {
    if (!this.#isKept) return;
    this.#whole = undefined;
    for (const text of removed) {
      const count = (this.#counts.get(text) ?? 0) - 1;
      if (count > 0) this.#counts.set(text, count);
      else this.#counts.delete(text);
    }
    for (const text of added) this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  #join(): string {
    const all: string[] = [];
    for (const [text, count] of this.#counts) for (let index = 0; index < count; index += 1) all.push(text);
    return this.#form === 'quads' ? `"quads":${JSON.stringify(all.join(''))}` : jsonResults(this.#variables, all);
  }
}

async function written<One extends Row | Quad>(all: readonly One[], write: (one: One) => string): Promise<string[]> {
  const texts: string[] = [];
  for (let start = 0; start < all.length; start += SLICE) {
    if (start > 0) await new Promise((resolve) => setImmediate(resolve));
    for (const one of all.slice(start, start + SLICE)) texts.push(write(one));
  }
  return texts;
}
