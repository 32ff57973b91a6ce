import { expect, test } from 'vitest';
import { FirstPolls } from '../src/serve/first-polls.ts';

async function isDone(polls: FirstPolls): Promise<boolean> {
  return Promise.race([polls.done.then(() => true), Promise.resolve().then(() => false)]);
}

test('it is done once each source has been polled, however often the others were', async () => {
  const polls = new FirstPolls(['a', 'b']);
  polls.polled('a');
  polls.polled('a');
  polls.polled('c');
  expect(await isDone(polls)).toBe(false);
  polls.polled('b');
  await polls.done;
});

test('with nothing to wait for it is done', async () => {
  await new FirstPolls([]).done;
});
