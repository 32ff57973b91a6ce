import { expect, test } from 'vitest';
import { queryFailed } from '../../src/engines/failures.ts';
import { errors } from '../../src/errors.ts';

test('what an engine throws is told in one short line, and errors of ours stay', () => {
  const own = errors.ERR_ANSWER_TOO_LARGE({ limitRows: 1 });
  expect(queryFailed('comunica', own)).toBe(own);
  const long = queryFailed('comunica', new Error(`${'x'.repeat(1000)}\n    at somewhere`));
  expect(long.details.problem).toBe('x'.repeat(300));
  expect(queryFailed('oxigraph', 'no.').details).toEqual({ engine: 'oxigraph', problem: 'no' });
  expect(queryFailed('oxigraph', new Error('')).details.problem).toBe('it does not say why');
});
