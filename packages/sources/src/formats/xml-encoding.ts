// Far more than a declaration has.
const DECLARATION_BYTES = 200;

/**
 * The encoding that the declaration of an XML document names.
 *
 * @returns `undefined` when it has none
 * @see https://www.w3.org/TR/xml/#NT-XMLDecl
 */
export function xmlEncoding(bytes: Uint8Array): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, DECLARATION_BYTES));
  return /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']+)["']/.exec(start)?.[1];
}
