import { type ParsedPath, PathMistake, parsePath } from './parse-path.ts';
import type { ProblemList } from './schema.ts';

/** Reads a list of paths of a mapping; mistakes are noted under the key that has the list. */
export function pathsOf(
  texts: readonly string[] | undefined,
  key: 'ignoreForChange' | 'leftOut',
  mistakes: ProblemList,
): ParsedPath[] {
  return (texts ?? []).flatMap((text, index) => {
    try {
      return [parsePath(text)];
    } catch (error) {
      if (!(error instanceof PathMistake)) throw error;
      mistakes.add([key, index], error.message);
      return [];
    }
  });
}
