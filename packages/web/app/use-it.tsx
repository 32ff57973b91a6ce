// The same as what is looked at, for a terminal and for a program: each line with a button that copies it.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export interface Recipe {
  readonly name: string;
  readonly text: string;
}

export function UseIt({
  recipes,
  children,
}: {
  readonly recipes: readonly Recipe[];
  readonly children?: ComponentChildren;
}) {
  return (
    <section class="panel use-it" aria-labelledby="use-it-title">
      <h2 id="use-it-title">Use this data</h2>
      {children}
      {recipes.map((recipe) => (
        <Line key={recipe.name} {...recipe} />
      ))}
    </section>
  );
}

function Line({ name, text }: Recipe) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div class="recipe">
      <p>
        <span>{name}</span>
        <button type="button" onClick={() => void copy().catch(() => {})} aria-label={`Copy: ${name}`}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      </p>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

// A URL may come from anywhere, and is pasted into a shell.
const quoted = (text: string) => (/^[\w:/.,@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** How to follow a stream within a MAL, in seconds. */
export function followRecipes(url: string, malSeconds: number): Recipe[] {
  return [
    { name: 'Terminal', text: `npx ldes-live follow ${quoted(url)} --mal ${malSeconds}` },
    {
      name: 'JavaScript',
      text: `import { createLiveClient } from '@ldes-live/client';\n\nconst client = createLiveClient({ mal: ${malSeconds} });\nfor await (const change of client.follow(${JSON.stringify(url)})) {\n  console.log(change.kind, change.member?.entity, change.lagMs);\n}`,
    },
    { name: 'Every update, by curl', text: `curl -N ${quoted(`${url}/events`)}` },
    { name: 'All as it is now, by curl', text: `curl -H 'Accept: text/turtle' ${quoted(`${url}/latest`)}` },
  ];
}

export function queryRecipes(url: string, query: string): Recipe[] {
  return [
    { name: 'Terminal, live', text: `npx ldes-live query ${quoted(url)} ${quoted(query)}` },
    {
      name: 'curl, once',
      text: `curl -G ${quoted(`${url}/sparql`)} -H 'Accept: text/csv' --data-urlencode ${quoted(`query=${query}`)}`,
    },
    {
      name: 'curl, live',
      text: `curl -N -G ${quoted(`${url}/sparql`)} -H 'Accept: text/event-stream' --data-urlencode ${quoted(`query=${query}`)}`,
    },
  ];
}
