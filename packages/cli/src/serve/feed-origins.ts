/**
 * Names for the feeds of a stream: their URLs without query and user, which hold keys; numbered where that
 * makes two of them one, since what one feed lacks would else be taken for gone from the other.
 *
 * @param urls - absolute
 */
export function feedOrigins(urls: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return urls.map((text) => {
    const { protocol, host, pathname } = new URL(text);
    const bare = `${protocol}//${host}${pathname}`;
    const number = (seen.get(bare) ?? 0) + 1;
    seen.set(bare, number);
    return number === 1 ? bare : `${bare}#${number}`;
  });
}
