/*
 * What people read, cut out of files: the sentences of Markdown, the texts and the exported names of sources.
 *
 *   sentencesOf('The `mal` is in seconds. See [limits](x.md).') -> ['The Code is in seconds.', 'See limits.']
 *
 * Code, tables and headings are left away: a table is a list of terms. What stands in backquotes is one word, and an
 * address is one.
 */
import { parseSync, Visitor } from 'oxc-parser';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

/** Of the tree of a document: mdast, as far as it is looked at here. */
export interface Node {
  readonly type: string;
  readonly value?: string;
  readonly lang?: string | null;
  readonly meta?: string | null;
  readonly url?: string;
  readonly children?: readonly Node[];
  readonly position?: { readonly start: { readonly line: number } };
}

const parser = unified().use(remarkParse).use(remarkGfm);
export const parseMarkdown = (text: string): Node => parser.parse(text) as Node;

export interface Sentence {
  readonly text: string;
  /** Where its paragraph begins. */
  readonly line: number;
}

/** The paragraphs of a document and of its lists, cut into sentences. */
export function sentencesOf(markdown: string): Sentence[] {
  const found: Sentence[] = [];
  const visit = (node: Node): void => {
    if (node.type === 'table' || node.type === 'code' || node.type === 'heading' || node.type === 'html') return;
    if (node.type === 'paragraph') {
      const line = node.position?.start.line ?? 0;
      for (const text of splitSentences(plainText(node))) found.push({ text, line });
    } else for (const child of node.children ?? []) visit(child);
  };
  visit(parseMarkdown(markdown));
  return found;
}

const ENGLISH = new Intl.Segmenter('en', { granularity: 'sentence' });

export function splitSentences(text: string): string[] {
  const pieces = [...ENGLISH.segment(text.replace(/\s+/g, ' '))].map(({ segment }) => segment.trim());
  return pieces.filter((piece) => piece !== '');
}

/** A word has a letter or a digit: dashes and signs are none. */
export const countWords = (sentence: string) =>
  sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

function plainText({ type, value, children }: Node): string {
  if (type === 'text') return (value as string).replace(/https?:\/\/\S*[^\s.,:;)]/g, 'Address');
  // A capital, so that a sentence may begin with it.
  if (type === 'inlineCode') return 'Code';
  if (type === 'break') return ' ';
  return (children ?? []).map(plainText).join('');
}

/** The texts of a source that have two words at least, and the names that it exports. */
export function textsOf(file: string, source: string): { readonly texts: string[]; readonly names: string[] } {
  const texts: string[] = [];
  const { program, module, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const add = (text: string) => /\p{L} +\p{L}/u.test(text) && texts.push(text.replace(/`[^`]*`/g, 'Code'));
  new Visitor({
    Literal: ({ value }) => void (typeof value === 'string' && add(value)),
    JSXText: ({ value }) => void add(value),
    TemplateLiteral: ({ quasis }) => void add(quasis.map(({ value }) => value.cooked).join(' Value ')),
  }).visit(program);
  const names = module.staticExports.flatMap(({ entries }) => entries.flatMap((entry) => entry.exportName.name ?? []));
  return { texts, names };
}
