/* Every target of the fuzzer takes its seeds and what was found by it before: so the command works, and no defect is back. */
import { expect, test } from 'vitest';
import { seedsOf } from '../fuzz/corpus.ts';
import { judgeAlone } from '../fuzz/oracle.ts';
import { targets } from '../fuzz/targets/index.ts';

// The thread that answers queries takes seconds to start.
const quick = targets.filter(({ name }) => name !== 'sparql');

test.each(quick)('the inputs of $name do no harm, and one at least is accepted', async (target) => {
  const verdicts = await judgeAlone(target, ...(await seedsOf(target)));
  // How long it takes is not judged here: a machine may be busy.
  expect(verdicts.flatMap(({ fault }) => (fault && fault.kind !== 'slow' ? [fault] : []))).toEqual([]);
  expect(verdicts.some(({ outcome }) => outcome?.isAccepted)).toBe(true);
});
