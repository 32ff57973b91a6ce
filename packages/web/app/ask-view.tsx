/*
 * Questions to a stream in SPARQL, answered live: the editor, three questions to begin with, the answer as a table with
 * what came and went, and as bars where a column has numbers. The URL holds the question.
 */
import { parseNQuads, sh } from '@ldes-live/rdf-stream';
import { useEffect, useRef, useState } from 'preact/hooks';
import { exampleQueries, withPrefixes } from './example-queries.ts';
import { dateTime, duration, number } from './format.ts';
import { iriLabel } from './labels.ts';
import { type Answer, askLive, type Binding, WAITING } from './live-query.ts';
import type { LiveStream } from './live-stream.ts';
import { replaceView } from './route.ts';
import { createEditor, type SparqlEditor } from './sparql-editor.ts';

const LIMIT_ROWS = 500;
const LIMIT_BARS = 20;

export function AskView({ stream, asked }: { readonly stream: LiveStream; readonly asked: string | undefined }) {
  const isReady = stream.firstState !== undefined;
  const examples = isReady ? exampleQueries(stream) : [];
  const [answer, setAnswer] = useState<Answer>(WAITING);
  // To ask the same again is a new attempt.
  const [attempt, setAttempt] = useState(0);
  const editor = useRef<SparqlEditor>(undefined);
  const host = useRef<HTMLDivElement>(null);
  void stream.changed.value;

  const ask = (given = editor.current?.text ?? '') => {
    if (given.trim() === '') return;
    replaceView('ask', { query: withPrefixes(given) });
    setAttempt((count) => count + 1);
  };
  useEffect(() => {
    const [first] = examples;
    if (asked === undefined && first) ask(first.text);
  }, [isReady, asked]);
  useEffect(() => {
    const ofShape: string[] = [];
    const stop = new AbortController();
    // Without them those of the data are left.
    shapePaths(stream.url, stop.signal).then(
      (found) => ofShape.push(...found),
      () => {},
    );
    const terms = () => {
      const some = [...stream.entities.values()].slice(0, 100);
      return new Set([...ofShape, ...some.flatMap(({ facts }) => [...facts.keys()].join(' ').split(' '))]);
    };
    const made = createEditor(host.current as HTMLElement, { text: asked ?? '', terms, run: () => ask() });
    editor.current = made;
    return () => {
      stop.abort();
      made.destroy();
    };
  }, [stream]);
  useEffect(() => {
    if (asked === undefined) return undefined;
    if (editor.current) editor.current.text = asked;
    return askLive(stream.url, asked, stream.malSeconds.peek(), setAnswer);
  }, [asked, stream, attempt]);

  return (
    <div class="ask-view">
      <p class="toolbar">
        {examples.map(({ name, text }) => (
          <button type="button" key={name} aria-pressed={withPrefixes(text) === asked} onClick={() => ask(text)}>
            {name}
          </button>
        ))}
      </p>
      <div class="editor" ref={host} />
      <p class="toolbar">
        <button type="button" class="primary" onClick={() => ask()}>
          Ask
        </button>
        <span class="hint">A SPARQL query, answered again after each change. Ctrl+Enter runs it.</span>
      </p>
      <AnswerView answer={answer} />
    </div>
  );
}

/** The properties that the shape of a stream knows. */
async function shapePaths(url: string, signal: AbortSignal): Promise<string[]> {
  const response = await fetch(`${url}/shape`, { headers: { accept: 'application/n-triples' }, signal });
  const quads = response.ok ? parseNQuads(await response.text()) : [];
  const paths = quads.filter(({ predicate }) => predicate.value === sh.path).map(({ object }) => object);
  return paths.flatMap(({ termType, value }) => (termType === 'NamedNode' ? [value] : []));
}

function AnswerView({ answer }: { readonly answer: Answer }) {
  const { kind, rows, variables, evaluatedAtMs, evaluationMs } = answer;
  if (kind === 'waiting') return <p class="empty">The answer is on its way…</p>;
  if (kind === 'failed') return <p class="notice bad">{answer.problem}</p>;
  const told = evaluatedAtMs !== undefined && (
    <p class="hint" aria-live="off">
      As of {dateTime(evaluatedAtMs)}, evaluated in {duration(evaluationMs ?? 0)}.
    </p>
  );
  if (kind === 'boolean')
    return (
      <div>
        <p class="answer-boolean">{answer.boolean ? 'Yes' : 'No'}</p>
        {told}
      </div>
    );
  if (kind === 'quads')
    return (
      <div>
        <pre class="answer-quads" tabIndex={0}>
          {answer.quads?.slice(0, LIMIT_ROWS).join('\n')}
        </pre>
        {told}
      </div>
    );
  return (
    <div>
      <Bars answer={answer} />
      <div class="answer-frame" tabIndex={0} role="region" aria-label="Answer">
        <table>
          <thead>
            <tr>
              {variables.map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, LIMIT_ROWS).map(({ bindings, state, key }, index) => (
              <tr key={`${key} ${index}`} class={state}>
                {variables.map((name) => (
                  <td key={name} class={isNumber(bindings[name]) ? 'number' : ''} title={bindings[name]?.value}>
                    {bindingText(bindings[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        {rows.length === 1 ? '1 row' : `${rows.length} rows`}
        {rows.length > LIMIT_ROWS ? `, of which ${LIMIT_ROWS} are shown` : ''}.
      </p>
      {told}
    </div>
  );
}

/** The first column of numbers beside the first column of names. */
function Bars({ answer: { rows, variables } }: { readonly answer: Answer }) {
  const present = rows.filter(({ state }) => state !== 'removed').slice(0, LIMIT_BARS);
  const numeric = variables.find(
    (name) => present.length > 1 && present.every(({ bindings }) => isNumber(bindings[name])),
  );
  const named = variables.find((name) => name !== numeric);
  if (numeric === undefined || named === undefined) return null;
  const valueIn = (row: (typeof present)[number]) => Number(row.bindings[numeric]?.value);
  const most = Math.max(...present.map(valueIn), Number.MIN_VALUE);
  return (
    <ul class="bars" aria-label={`${numeric} by ${named}`}>
      {present.map((row, index) => (
        <li key={`${row.key} ${index}`}>
          <span>{bindingText(row.bindings[named])}</span>
          <span class="bar push" style={{ width: `${Math.max(0, (valueIn(row) / most) * 60)}%` }} />
          <span class="number">{number(valueIn(row))}</span>
        </li>
      ))}
    </ul>
  );
}

function isNumber(binding: Binding | undefined): boolean {
  return /#(decimal|integer|double|float|int|long)$/.test(binding?.datatype ?? '');
}

function bindingText(binding: Binding | undefined): string {
  if (!binding) return '';
  if (binding.type === 'uri') return iriLabel(binding.value);
  if (isNumber(binding)) return Number.isFinite(Number(binding.value)) ? number(Number(binding.value)) : binding.value;
  return /#dateTime$/.test(binding.datatype ?? '') ? dateTime(Date.parse(binding.value)) : binding.value;
}
