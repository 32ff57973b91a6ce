/**
 * The eight groups of an IPv6 address, as numbers.
 *
 * @param address - well-formed (RFC 4291, 2.2), without a zone
 */
export function ipv6Groups(address: string): number[] {
  const [before = '', after] = address.split('::');
  const head = parseGroups(before);
  if (after === undefined) return head;
  const tail = parseGroups(after);
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function parseGroups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [first = 0, second = 0, third = 0, fourth = 0] = group.split('.').map(Number);
    return [first * 256 + second, third * 256 + fourth];
  });
}
