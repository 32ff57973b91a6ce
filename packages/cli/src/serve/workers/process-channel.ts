import type { WorkerChannel } from '@ldes-live/server';

/** One end of the way between two processes, as Node.js has it. */
export interface ProcessEnd {
  readonly connected?: boolean;
  send?(message: object, onSent: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: object) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/**
 * The messages of push on the way between two processes.
 *
 * @param cut - ends the other process
 */
export function processChannel<Sent, Received>(end: ProcessEnd, cut: () => void): WorkerChannel<Sent, Received> {
  return {
    send: (message) =>
      new Promise((resolve) => {
        // What cannot be sent is told by the end of the channel.
        if (end.connected && end.send) end.send({ kind: 'push', message }, () => resolve());
        else resolve();
      }),
    onMessage: (listener) => {
      end.on('message', (message) => {
        const { kind, message: pushed } = message as { readonly kind: string; readonly message: Received };
        if (kind === 'push') listener(pushed);
      });
    },
    onClose: (listener) => {
      end.on('disconnect', listener);
    },
    cut,
  };
}
