import { useEffect, useState } from 'react';

const POINTER_EVENTS = ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'] as const;

/**
 * Returns `value`, or the value before it while a pointer is pressed, because a click is lost when the page moves before the
 * release.
 */
export function useUnpressed<Value>(value: Value): Value {
  const isPressed = usePressed();
  const [shown, setShown] = useState(value);
  if (!isPressed && shown !== value) setShown(value);
  return isPressed ? shown : value;
}

function usePressed(): boolean {
  const [isPressed, setPressed] = useState(false);
  useEffect(() => {
    const listening = new AbortController();
    let releasing: ReturnType<typeof setTimeout> | undefined;
    for (const event of POINTER_EVENTS) {
      const note = ({ buttons }: PointerEvent) => {
        clearTimeout(releasing);
        if (buttons !== 0) setPressed(true);
        // The click follows its `pointerup` in the same task.
        else releasing = setTimeout(() => setPressed(false));
      };
      addEventListener(event, note, { capture: true, signal: listening.signal });
    }
    return () => listening.abort();
  }, []);
  return isPressed;
}
