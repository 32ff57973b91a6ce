import type { ClientEnvironment } from '../environment/client-environment.ts';

/** Resolves when the network comes back; when the signal is aborted, the wait is forgotten and stays unresolved. */
export function nextOnline({ onOnline }: Pick<ClientEnvironment, 'onOnline'>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return;
    const forget = () => off();
    const off = onOnline(() => {
      off();
      signal.removeEventListener('abort', forget);
      resolve();
    });
    signal.addEventListener('abort', forget, { once: true });
  });
}
