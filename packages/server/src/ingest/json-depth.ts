/**
 * Finds where a JSON text is nested deeper than it may be, before it is parsed. It need not be well-formed.
 *
 * @returns the line, 1 for the first; `undefined` where it is nowhere too deep
 */
export function tooDeepLine(text: string, limitDepth: number): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfText(text, at);
    } else if (code === BRACE || code === BRACKET) {
      depth += 1;
      if (depth > limitDepth) return text.slice(0, at).split('\n').length;
    } else if (code === END_BRACE || code === END_BRACKET) depth -= 1;
  }
  return undefined;
}

const [QUOTE, BRACE, BRACKET, END_BRACE, END_BRACKET, BACKSLASH] = [...'"{[}]\\'].map((character) =>
  character.charCodeAt(0),
);

/** Where a text in quotes ends, or the whole. */
function endOfText(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
}
