import { useEffect, useState } from 'react';

const PAUSE_MS = 250;

/** Returns `value` as it was before the user’s typing paused. */
export function useLate<Value>(value: Value): Value {
  const [late, setLate] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return late;
}
