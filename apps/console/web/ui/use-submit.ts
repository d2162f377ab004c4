import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';

export function useSubmit() {
  const { mutate, isPending, error } = useMutation({
    // Its action holds what was typed, such as a password.
    gcTime: 0,
    mutationFn: async (action: () => Promise<unknown>) => await action(),
  });
  const isRunning = useRef(false);
  const submit = (action: () => Promise<unknown>): void => {
    if (isRunning.current) return;
    isRunning.current = true;
    mutate(async () => {
      try {
        await action();
      } finally {
        isRunning.current = false;
      }
    });
  };
  return { isBusy: isPending, error, submit };
}
