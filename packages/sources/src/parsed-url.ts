/**
 * A text as a URL; `undefined` for what is none.
 *
 * Not by `URL.canParse`: of Node.js 20, it comes to refuse hosts with letters beyond ASCII once it is called often.
 *
 * @param base - what a relative reference is resolved against
 */
export function parsedUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
