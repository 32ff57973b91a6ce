import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { type ProcessEnd, processChannel } from '../../src/serve/workers/process-channel.ts';

class FakeEnd extends EventEmitter implements ProcessEnd {
  connected = true;
  readonly sent: object[] = [];
  send(message: object, onSent: (error: Error | null) => void): boolean {
    this.sent.push(message);
    onSent(null);
    return true;
  }
}

test('messages of push are told from those about the processes', async () => {
  const end = new FakeEnd();
  const channel = processChannel<number, number>(end, () => undefined);
  const received: number[] = [];
  channel.onMessage((message) => received.push(message));
  end.emit('message', { kind: 'push', message: 1 });
  end.emit('message', { kind: 'listening' });
  end.emit('message', { kind: 'push', message: 2 });
  expect(received).toEqual([1, 2]);
  await channel.send(3);
  expect(end.sent).toEqual([{ kind: 'push', message: 3 }]);
});

test('what is sent after the end is let go', async () => {
  const end = new FakeEnd();
  const channel = processChannel<number, number>(end, () => undefined);
  let isClosed = false;
  channel.onClose(() => {
    isClosed = true;
  });
  end.connected = false;
  end.emit('disconnect');
  await channel.send(1);
  expect(isClosed).toBe(true);
  expect(end.sent).toEqual([]);
});
