import type { WorkerChannel } from '../../src/index.ts';

/** The two ends of a way between processes, in one process: what is sent is cloned, and arrives in turns of its own. */
export function channelPair<Left, Right>(): {
  readonly left: WorkerChannel<Left, Right>;
  readonly right: WorkerChannel<Right, Left>;
} {
  const { port1, port2 } = new MessageChannel();
  return { left: channelOf(port1), right: channelOf(port2) };
}

function channelOf<Sent, Received>(port: InstanceType<typeof MessagePort>): WorkerChannel<Sent, Received> {
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

/** A channel that can be made to lag. */
export interface LaggingChannel<Sent, Received> extends WorkerChannel<Sent, Received> {
  /** Keeps what comes from now on; resolves when something is sent meanwhile. */
  readonly hold: () => Promise<void>;
  /** Tells what was kept, in order, and what comes. */
  readonly release: () => void;
}

export function lagging<Sent, Received>(channel: WorkerChannel<Sent, Received>): LaggingChannel<Sent, Received> {
  let kept: Received[] | undefined;
  let tell: (message: Received) => void = () => undefined;
  let sent: () => void = () => undefined;
  return {
    ...channel,
    send: (message) => {
      sent();
      return channel.send(message);
    },
    onMessage: (listener) => {
      tell = listener;
      channel.onMessage((message) => (kept ? kept.push(message) : listener(message)));
    },
    hold: () => {
      kept = [];
      return new Promise((resolve) => {
        sent = resolve;
      });
    },
    release: () => {
      const messages = kept ?? [];
      kept = undefined;
      for (const message of messages) tell(message);
    },
  };
}
