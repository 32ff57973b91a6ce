import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { RequestBudget } from '../../src/http/request-budget.ts';

type Step = { readonly passMs: number } | 'take' | 'take, new' | 'redirected';

const steps = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ passMs: fc.integer({ min: 0, max: 5_000 }) }) },
    { weight: 4, arbitrary: fc.constant<Step>('take') },
    fc.constant<Step>('take, new'),
    fc.constant<Step>('redirected'),
  ),
  { maxLength: 200 },
);

test('MAL-64 in no span of time are there more fruitless requests than the burst and what was earned', async () => {
  await check(
    fc.asyncProperty(
      steps,
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 3_000 }),
      async (all, capacity, refillMs) => {
        let nowMs = 0;
        const sleep = async (ms: number) => {
          nowMs += ms;
        };
        const budget = new RequestBudget({ capacity, refillMs, clock: () => nowMs, sleep });
        const fruitlessMs: number[] = [];
        for (const step of all as Step[]) {
          if (typeof step === 'object') nowMs += step.passMs;
          else {
            await budget.take(new AbortController().signal);
            if (step === 'take, new') budget.refund();
            else fruitlessMs.push(nowMs);
            if (step === 'redirected') {
              budget.spend();
              fruitlessMs.push(nowMs);
            }
          }
        }
        // The one more is that of a redirect at the end, which nothing could wait for.
        fruitlessMs.forEach((fromMs, first) => {
          fruitlessMs.slice(first).forEach((toMs, more) => {
            expect(more + 1).toBeLessThanOrEqual(capacity + (toMs - fromMs) / refillMs + 1 + 1e-6);
          });
        });
        const isDirect = !all.includes('redirected');
        if (isDirect) expect(fruitlessMs.length).toBeLessThanOrEqual(capacity + nowMs / refillMs + 1e-6);
      },
    ),
  );
});
