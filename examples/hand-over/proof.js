/**
 * Whether two readers together read each member of a log once: the sequence numbers say it.
 *
 * @param {readonly number[]} history - sequence numbers that the first reader read, in any order
 * @param {readonly number[]} live - those that the second read after it, in order
 * @returns {{ isWhole: boolean, text: string }} what was found, and in words
 */
export function proof(history, live) {
  const all = [...[...history].sort((one, other) => one - other), ...live];
  const first = all[0] ?? 1;
  const wrong = all.findIndex((sequence, index) => sequence !== first + index);
  const isWhole = all.length > 0 && wrong === -1;
  const found = isWhole
    ? `every sequence number from ${first} to ${all.at(-1)} once, in order: nothing lost, nothing doubled`
    : `after ${all[wrong - 1] ?? 'nothing'} came ${all[wrong] ?? 'nothing'}, not ${first + Math.max(wrong, 0)}`;
  return { isWhole, text: `together: ${found}` };
}
