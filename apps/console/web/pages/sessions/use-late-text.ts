import { useEffect, useEffectEvent, useState } from 'react';

const PAUSE_MS = 250;

/**
 * Returns the text of a field and its setter, for a value that is kept elsewhere. When the user pauses typing, `onChange` gets
 * the trimmed text, if it is empty or `isWhole`. A value that changes elsewhere appears in the field.
 */
export function useLateText(
  value: string,
  onChange: (text: string) => void,
  isWhole: (text: string) => boolean = () => true,
) {
  const [text, setText] = useState(value);
  const [sent, setSent] = useState(value);
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    // A value that this field has sent arrives later, when the user may have typed more.
    if (value !== sent) {
      setSent(value);
      setText(value);
    }
  }
  const send = useEffectEvent(() => {
    const typed = text.trim();
    if (typed === sent || !(typed === '' || isWhole(typed))) return;
    setSent(typed);
    onChange(typed);
  });
  useEffect(() => {
    if (text.trim() === sent) return undefined;
    const timer = setTimeout(send, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, sent]);
  return [text, setText] as const;
}
