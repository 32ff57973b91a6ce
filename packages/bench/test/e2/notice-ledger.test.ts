import { expect, test } from 'vitest';
import { NoticeLedger } from '../../src/e2/notice-ledger.ts';

test('a user notices what he is told of his own jobs, each time', async () => {
  let micros = 0;
  const ledger = new NoticeLedger(() => micros);
  ledger.knows('a');
  const told = ledger.untilTold('a', 60_000);
  ledger.told('of another user');
  micros = 5;
  ledger.told('a');
  await told;
  ledger.told('a');
  expect(ledger.made).toEqual(['a']);
  expect(ledger.notices).toEqual([
    { id: 'a', micros: 5 },
    { id: 'a', micros: 5 },
  ]);
});

test('what is told before the answer to the request counts from when both are there', async () => {
  let micros = 1;
  const ledger = new NoticeLedger(() => micros);
  ledger.told('a');
  micros = 2;
  ledger.knows('a');
  await ledger.untilTold('a', 60_000);
  expect(ledger.notices).toEqual([{ id: 'a', micros: 2 }]);
});

test('a user gives up when the time is over', async () => {
  const ledger = new NoticeLedger(() => 0);
  ledger.knows('a');
  await ledger.untilTold('a', 1);
  expect(ledger.notices).toEqual([]);
});
