/**
 * Breaks a text into lines at spaces; a word that is longer than a line, such as a URL, stays whole.
 *
 * @param width - characters a line, indentation included
 * @param indent - what each line begins with
 */
export function wrapText(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, indent + line];
}
