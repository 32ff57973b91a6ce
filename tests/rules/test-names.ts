// The sources are formatted: a call goes on while lines are indented further than its first, or close it.
const REST = '(?:\\n(?:\\1[ \\])}].*)?)*';

// Tests that do not run everywhere, and groups of them; a name such as describeRecordings stands for a condition.
const CONDITIONAL = new RegExp(
  `^( *)(?:(?:test|describe)\\.(?!each|for|prop|sequential|concurrent)|describe[A-Z]).*${REST}`,
  'gm',
);

// `test(name`, or `test.each(cases)(name` and its like.
const TEST = new RegExp(`^( *)test(?:\\.(?:each|for|prop)\\b.*?(?:${REST}?\\))??)?\\(\\s*['"\`]([^'"\`\\n]*)`, 'gm');

/** How the names of those tests in a source begin that run wherever it does: what is skipped proves nothing. */
export function testNames(text: string): string[] {
  return [...text.replace(CONDITIONAL, '').matchAll(TEST)].map(([, , name]) => name as string);
}
