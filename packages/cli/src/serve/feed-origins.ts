/**
 * Names for the feeds of a stream: those that are given, else their URLs without query and user, which hold
 * keys; numbered where two would be one, since what one feed lacks would else be taken for gone from the other.
 *
 * @param feeds - with absolute URLs; given names differ from each other
 */
export function feedOrigins(feeds: readonly { readonly url: string; readonly origin?: string }[]): string[] {
  const taken = new Set(feeds.flatMap(({ origin }) => origin ?? []));
  return feeds.map(({ url, origin }) => {
    if (origin !== undefined) return origin;
    const { protocol, host, pathname } = new URL(url);
    const bare = `${protocol}//${host}${pathname}`;
    let name = bare;
    for (let number = 2; taken.has(name); number += 1) name = `${bare}#${number}`;
    taken.add(name);
    return name;
  });
}
