/** How long the same problem of the same feed is not repeated, milliseconds. */
export const REPEAT_MS = 60_000;

/** Something that went wrong with a feed. */
export interface Problem {
  readonly stream: string;
  /** Which feed of the stream. */
  readonly origin: string;
  readonly code: string;
  readonly message: string;
}

/**
 * Decides which problems are told: the first of its kind at once, then at most one in {@link REPEAT_MS} with
 * the number of those that were not told, so that a feed that is down does not bury everything else.
 */
export class ProblemLog {
  readonly #told = new Map<string, { atMs: number; untold: number }>();

  /**
   * @param nowMs - epoch milliseconds
   * @returns the line to print, if it is to be told
   */
  note({ stream, origin, code, message }: Problem, nowMs: number): string | undefined {
    const kind = `${stream} ${origin} ${code}`;
    const told = this.#told.get(kind);
    if (told && nowMs - told.atMs < REPEAT_MS) {
      told.untold += 1;
      return undefined;
    }
    this.#told.set(kind, { atMs: nowMs, untold: 0 });
    const repeated = told && told.untold > 0 ? ` (${told.untold} more since last told)` : '';
    // One line each, whatever a server put into the message.
    const line = `${message}${repeated}`.replaceAll(/\s+/g, ' ');
    return `${new Date(nowMs).toISOString()} ${stream} ${origin} ${code}: ${line}`;
  }
}
