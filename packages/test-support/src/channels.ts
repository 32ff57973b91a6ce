interface Channel {
  send(message: object): Promise<void>;
  onMessage(listener: (message: object) => void): void;
  onClose(listener: () => void): void;
  cut(): void;
}

/** The two ends of a way between processes, in one process: what is sent is cloned, and arrives in turns of its own. */
export function channelPair(): readonly [Channel, Channel] {
  const { port1, port2 } = new MessageChannel();
  return [channelOf(port1), channelOf(port2)];
}

function channelOf(port: InstanceType<typeof MessagePort>): Channel {
  return {
    send: async (message) => port.postMessage(message),
    onMessage: (listener) => void port.on('message', listener),
    onClose: (listener) => void port.on('close', listener),
    cut: () => port.close(),
  };
}

/** A channel that can be made to lag. */
export function lagging(channel: Channel) {
  let kept: (() => void)[] | undefined;
  let sent: () => void = () => {};
  return {
    ...channel,
    send: (message: object) => {
      sent();
      return channel.send(message);
    },
    onMessage: (listener: (message: object) => void) =>
      channel.onMessage((message) => (kept ? void kept.push(() => listener(message)) : listener(message))),
    /** Keeps what comes from now on; resolves when something is sent meanwhile. */
    hold: () => {
      kept = [];
      return new Promise<void>((resolve) => {
        sent = resolve;
      });
    },
    /** Gives what was kept, in order, and what comes. */
    release: () => {
      const messages = kept ?? [];
      kept = undefined;
      for (const give of messages) give();
    },
  };
}

/** One end of a channel whose other end is the test: what is sent leaves when it is told to. */
export function scriptedChannel() {
  const sent: Record<string, unknown>[] = [];
  const listeners: ((message: object) => void)[] = [];
  const closings: (() => void)[] = [];
  let leaving: (() => void)[] = [];
  let cuts = 0;
  return {
    channel: {
      send: (message: object) => {
        sent.push(message as Record<string, unknown>);
        return new Promise<void>((leave) => leaving.push(leave));
      },
      onMessage: (listener: (message: object) => void) => void listeners.push(listener),
      onClose: (listener: () => void) => void closings.push(listener),
      cut: () => {
        cuts += 1;
      },
    } satisfies Channel,
    sent,
    cuts: () => cuts,
    give: (message: object) => {
      for (const listener of listeners) listener(message);
    },
    close: () => {
      for (const listener of closings) listener();
    },
    /** Lets what was sent so far leave. */
    leave: async () => {
      const left = leaving;
      leaving = [];
      for (const leave of left) leave();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
