import { linkedAbort } from './linked-abort.ts';

/**
 * Waits for whichever comes first, tells which it was, and ends the other waits.
 *
 * @param signal - ends all of them: its reason is thrown
 * @param waits - by name, those that apply; each is given a signal that is aborted when it is of no more use
 */
export async function firstOf<Name extends string>(
  signal: AbortSignal,
  waits: Readonly<Record<Name, ((signal: AbortSignal) => Promise<unknown>) | undefined>>,
): Promise<Name> {
  const { controller, unlink } = linkedAbort(signal);
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(controller.signal.reason);
    if (controller.signal.aborted) abort();
    else controller.signal.addEventListener('abort', abort, { once: true });
  });
  const named = (Object.keys(waits) as Name[]).flatMap((name) => {
    const wait = waits[name]?.(controller.signal);
    return wait ? [wait.then(() => name)] : [];
  });
  // Those that come later reject unheard, as they are ended.
  for (const wait of [aborted, ...named]) wait.catch(() => {});
  try {
    return await Promise.race([aborted, ...named]);
  } finally {
    unlink();
    controller.abort();
  }
}
