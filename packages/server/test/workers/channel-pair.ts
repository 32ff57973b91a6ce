import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { WorkerChannel } from '../../src/index.ts';

/** The two ends of a way between processes, in one process: what is sent is cloned, and arrives in turns of its own. */
export function channelPair<Left, Right>(): {
  readonly left: WorkerChannel<Left, Right>;
  readonly right: WorkerChannel<Right, Left>;
} {
  const { port1, port2 } = new MessageChannel();
  return { left: channelOf(port1), right: channelOf(port2) };
}

function channelOf<Sent, Received>(port: MessagePort): WorkerChannel<Sent, Received> {
  return {
    send: async (message) => port.postMessage(message),
    onMessage: (listener) => {
      port.on('message', listener);
    },
    onClose: (listener) => {
      port.on('close', listener);
    },
    cut: () => port.close(),
  };
}
