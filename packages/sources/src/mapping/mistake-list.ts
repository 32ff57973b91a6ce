import { errors } from '../errors.ts';
import type { MappingMistake, MappingPath } from './mapping-mistake.ts';

/** Tells the line that a part of a mapping stands in, 1 for the first. */
export type LineOf = (path: readonly PropertyKey[]) => number | undefined;

/** Gathers the mistakes of a mapping, so that all of them are told at once. */
export class MistakeList {
  readonly #mistakes: MappingMistake[] = [];
  readonly #lineOf: LineOf | undefined;

  constructor(lineOf?: LineOf) {
    this.#lineOf = lineOf;
  }

  /** Notes a mistake. */
  add(path: MappingPath, message: string): void {
    const line = this.#lineOf?.(path);
    this.#mistakes.push({ path, message, ...(line === undefined ? {} : { line }) });
  }

  /**
   * Tells the mistakes, if there are any.
   *
   * @param isAll - whether the mapping was looked at whole
   * @throws {@link StreamError} `ERR_MAPPING_INVALID` - there are some
   */
  throwIfAny({ isAll = true }: { readonly isAll?: boolean } = {}): void {
    if (this.#mistakes.length === 0) return;
    throw errors.ERR_MAPPING_INVALID({ problems: this.#mistakes, ...(!isAll && { more: true }) });
  }
}
