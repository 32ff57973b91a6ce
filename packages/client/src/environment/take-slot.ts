import type { ClientEnvironment } from '../environment.ts';
import type { Sleep } from '../waiting.ts';

/**
 * Asks for the leave to open a push connection, but no longer than a time: one that comes after that is given back.
 *
 * @returns gives the leave back; `undefined` where there is none, or nobody answers
 * @throws what the environment throws
 * @see specs/mal.md MAL-89
 */
export async function takeSlot(
  environment: Pick<ClientEnvironment, 'pushSlot'>,
  url: string,
  { limitMs, sleep }: { readonly limitMs: number; readonly sleep: Sleep },
): Promise<(() => void) | undefined> {
  const answered = new AbortController();
  const asked = environment.pushSlot(url);
  const late = sleep(limitMs, answered.signal).then(() => 'late' as const);
  // It is ended by the answer.
  late.catch(() => {});
  try {
    const first = await Promise.race([asked, late]);
    if (first !== 'late') return first;
    asked.then((release) => release?.()).catch(() => {});
    return undefined;
  } finally {
    answered.abort();
  }
}
