/** What to close in the end, the last first. */
export type Closers = (() => Promise<unknown>)[];

/**
 * Runs something, and closes what it opened, however it ends: a closer that fails keeps no other from closing.
 *
 * @param run - adds what is to be closed
 * @throws what went wrong first, in the run or in a closer
 */
export async function withClosers(run: (closers: Closers) => Promise<void>): Promise<void> {
  const closers: Closers = [];
  const failures: unknown[] = [];
  const attempt = async (step: () => Promise<unknown>) => {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  };
  await attempt(() => run(closers));
  for (const close of closers.reverse()) await attempt(close);
  if (failures.length > 0) throw failures[0];
}
