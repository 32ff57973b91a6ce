/*
 * An editor of SPARQL: CodeMirror with its mode, known prefixes and the terms of a stream completed.
 *
 * It lives in a shadow root: there its styles are sheets that the policy of the page allows, which a style element is not.
 */
import { autocompletion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { sparql } from '@codemirror/legacy-modes/mode/sparql';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { prefixes } from '@ldes-live/rdf-stream/vocabulary';
import { tags } from '@lezer/highlight';

const KEYWORDS =
  'SELECT CONSTRUCT ASK DESCRIBE WHERE FILTER OPTIONAL UNION GROUP BY ORDER BY LIMIT DISTINCT COUNT AVG MAX MIN SUM BIND VALUES PREFIX'.split(
    ' ',
  );

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)', fontWeight: '600' },
  { tag: [tags.string, tags.literal], color: 'var(--code-text)' },
  { tag: [tags.variableName, tags.atom, tags.special(tags.variableName)], color: 'var(--code-name)' },
  { tag: tags.comment, color: 'var(--muted)' },
]);

const look = EditorView.theme({
  '&': { fontSize: '13px', backgroundColor: 'var(--surface)', color: 'var(--text)', borderRadius: '8px' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-content': {
    fontFamily: 'ui-monospace, monospace',
    caretColor: 'var(--text)',
    padding: '10px 0',
    minHeight: '140px',
  },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--muted)', border: 'none' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--selection) !important' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--line)' },
});

export interface SparqlEditor {
  text: string;
  destroy(): void;
}

/**
 * Puts an editor into an element.
 *
 * @param terms - IRIs to suggest
 * @param run - called for Ctrl+Enter
 */
export function createEditor(
  host: HTMLElement,
  { text, terms, run }: { text: string; terms: () => Iterable<string>; run: () => void },
): SparqlEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const complete = (context: CompletionContext) => {
    const word = context.matchBefore(/[\w:?-]+/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    return { from: word.from, options: suggestions(terms()), validFor: /^[\w:?-]*$/ };
  };
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        StreamLanguage.define(sparql),
        syntaxHighlighting(colours),
        autocompletion({ override: [complete] }),
        keymap.of([
          {
            key: 'Mod-Enter',
            run: () => {
              run();
              return true;
            },
          },
          ...completionKeymap,
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': 'SPARQL query' }),
        look,
      ],
    }),
  });
  return {
    get text() {
      return view.state.doc.toString();
    },
    set text(next) {
      if (next !== view.state.doc.toString())
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    destroy: () => view.destroy(),
  };
}

function suggestions(terms: Iterable<string>) {
  const short = [...terms].flatMap((iri) => {
    const [prefix, namespace] = Object.entries(prefixes).find(([, start]) => iri.startsWith(start)) ?? [];
    return namespace === undefined
      ? []
      : [{ label: `${prefix}:${iri.slice(namespace.length)}`, type: 'property', boost: 2 }];
  });
  const declarations = Object.entries(prefixes).map(([prefix, namespace]) => ({
    label: `${prefix}:`,
    detail: namespace,
    type: 'namespace',
  }));
  return [...short, ...declarations, ...KEYWORDS.map((label) => ({ label, type: 'keyword' }))];
}
