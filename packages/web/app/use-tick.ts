import { useEffect, useState } from 'preact/hooks';

/** Renders a component again and again: for ages that count up, and for figures that change while nothing arrives. */
export function useTick(intervalMs: number): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setCount((before) => before + 1), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return count;
}
