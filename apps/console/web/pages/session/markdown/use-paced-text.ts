import { useEffect, useRef, useState } from 'react';

/** How often a text that grows is parsed again, in milliseconds. */
const GROWING_MS = 500;

/** Returns a text that changes at most twice a second while it grows, and is up to date as soon as it is whole. */
export function usePacedText(text: string, isGrowing: boolean): string {
  const newest = useRef(text);
  const [paced, setPaced] = useState(text);
  useEffect(() => {
    newest.current = text;
  }, [text]);
  useEffect(() => {
    if (!isGrowing) return undefined;
    const timer = setInterval(() => setPaced(newest.current), GROWING_MS);
    return () => clearInterval(timer);
  }, [isGrowing]);
  return isGrowing ? paced : text;
}
