/* Every target of the fuzzer takes its seeds and what was found by it before: so the command works, and no defect is back. */
import { expect, test } from 'vitest';
import { seedsOf } from '../fuzz/corpus.ts';
import { firstFault, judgeAlone } from '../fuzz/oracle.ts';
import { reduced } from '../fuzz/reduce.ts';
import { accepted, type Target, Violation } from '../fuzz/target.ts';
import { targets } from '../fuzz/targets/index.ts';

// The thread that answers queries takes seconds to start.
const quick = targets.filter(({ name }) => name !== 'sparql');

test.each(quick)('the inputs of $name do no harm, and one at least is accepted', async (target) => {
  const verdicts = await judgeAlone(target, ...(await seedsOf(target)));
  // How long it takes is not judged here: a machine may be busy.
  expect(verdicts.flatMap(({ fault }) => (fault && fault.kind !== 'slow' ? [fault] : []))).toEqual([]);
  expect(verdicts.some(({ outcome }) => outcome?.isAccepted)).toBe(true);
});

test('what throws and what is damaged are faults, and an input gets as small as its fault lets it', async () => {
  let text = '';
  const run = async (input: Uint8Array) => {
    text = Buffer.from(input).toString();
    if (text.includes('boom')) throw new TypeError('It threw.');
    return accepted();
  };
  const check = async () => {
    if (text.includes('harm')) throw new Violation('It is damaged.');
  };
  const open = async () => ({ run, check, close: async () => undefined });
  const target: Target = { name: 'planted', grammar: 'text', words: [], seeds: () => [], open };
  const kindOf = async (input: Uint8Array) => firstFault(await judgeAlone(target, input))?.kind;
  expect(await kindOf(Buffer.from('x'))).toBeUndefined();
  for (const [word, kind] of [
    ['boom', 'thrown'],
    ['harm', 'damage'],
  ] as const) {
    const isSame = async (input: Uint8Array) => (await kindOf(input)) === kind;
    const smallest = await reduced(Buffer.from(`some ${word} in what is longer`), isSame, () => false);
    expect(Buffer.from(smallest).toString()).toBe(word);
  }
});
