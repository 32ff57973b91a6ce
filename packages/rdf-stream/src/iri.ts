// What IRIREF of Turtle and N-Quads forbids: a `>` would end the IRI and let it write statements of its own. Half of a
// character cannot be written in UTF-8.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const IRI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\\p{Surrogate}]*$/u;

/** Whether a text is an absolute IRI that every RDF format can hold. */
export function isIri(text: string): boolean {
  return IRI.test(text);
}
