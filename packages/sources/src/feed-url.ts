/**
 * A URL as it may be shown: without query, fragment and user, which hold keys.
 *
 * @param url - absolute
 */
export function printableUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/**
 * The user and password of a URL as an `authorization` field, and the URL without them: fetch refuses URLs
 * with a user.
 */
export function splitCredentials(url: URL): { readonly href: string; readonly authorization?: string } {
  if (url.username === '' && url.password === '') return { href: url.href };
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  const credentials = `${unescaped(url.username)}:${unescaped(url.password)}`;
  return { href: bare.href, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A user may have a "%" that escapes nothing: then it is meant as it stands.
    return text;
  }
}
