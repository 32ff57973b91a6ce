/** Colours of the sheet of styles for what draws by itself, as `rgb(...)`: those of the light or the dark scheme. */
export function readColours<const Name extends string>(...names: readonly Name[]): Record<Name, string> {
  const probe = document.createElement('i');
  document.body.append(probe);
  const read = (name: Name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, string>;
  probe.remove();
  return colours;
}
