import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/** Runs one action at a time. Its signal aborts when the element that started it disappears, such as a closed dialog. */
export function useSubmit() {
  const { mutate, isPending, error } = useMutation({
    // The action contains what was typed, such as a password, so the cache must not keep it.
    gcTime: 0,
    mutationFn: async (action: () => Promise<unknown>) => await action(),
  });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const submit = (action: (signal: AbortSignal) => Promise<unknown>): void => {
    if (running.current) return;
    const controller = new AbortController();
    running.current = controller;
    mutate(async () => {
      try {
        await action(controller.signal);
      } finally {
        running.current = undefined;
      }
    });
  };
  return { isBusy: isPending, error, submit };
}
