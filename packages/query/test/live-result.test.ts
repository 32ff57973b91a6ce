import type { Quad } from '@rdfjs/types';
import { expectTypeOf, test } from 'vitest';
import type { BindingsResult, BooleanResult, LiveResult, QuadsResult, Row } from '../src/index.ts';

test('QUERY-1 the form of a result tells what it has', () => {
  const read = (result: LiveResult) => {
    expectTypeOf(result.sequence).toEqualTypeOf<number>();
    // Whoever knows the form of the query may take what it has at once.
    const { added, removed, value } = result;
    expectTypeOf(added).toEqualTypeOf<readonly Row[] | readonly Quad[] | undefined>();
    expectTypeOf(removed).toEqualTypeOf<readonly Row[] | readonly Quad[] | undefined>();
    expectTypeOf(value).toEqualTypeOf<boolean | undefined>();
    if (result.form === 'boolean') {
      expectTypeOf(result).toEqualTypeOf<BooleanResult>();
      expectTypeOf(result.added).toEqualTypeOf<undefined>();
    } else if (result.form === 'quads') {
      expectTypeOf(result).toEqualTypeOf<QuadsResult>();
      expectTypeOf(result.added).toEqualTypeOf<readonly Quad[]>();
      expectTypeOf(result.bindings).toEqualTypeOf<undefined>();
    } else {
      expectTypeOf(result).toEqualTypeOf<BindingsResult>();
      expectTypeOf(result.added).toEqualTypeOf<readonly Row[]>();
      expectTypeOf(result.quads).toEqualTypeOf<undefined>();
    }
  };
  expectTypeOf(read).returns.toEqualTypeOf<void>();
});
