import type { ClientEnvironment } from '../../src/environment.ts';

/** A network that goes and comes as a test says, with as many push connections as wanted unless given otherwise. */
export class Network implements ClientEnvironment {
  isThere = true;
  readonly listeners = new Set<() => void>();
  readonly pushSlot: ClientEnvironment['pushSlot'];

  constructor(pushSlot: ClientEnvironment['pushSlot'] = async () => () => {}) {
    this.pushSlot = pushSlot;
  }

  readonly isOnline = (): boolean => this.isThere;

  readonly onOnline = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Says that the network is there, whether or not it is. */
  tell(): void {
    for (const listener of [...this.listeners]) listener();
  }

  /** The network is back. */
  come(): void {
    this.isThere = true;
    this.tell();
  }
}
