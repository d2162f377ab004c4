import { type ApiError, isApiError } from '../http/api-error.ts';

export async function runTasks(
  tasks: readonly (Promise<void> | undefined)[],
  signal: AbortSignal,
  onRefused: (error: ApiError) => void,
): Promise<void> {
  const watch = async (task: Promise<void> | undefined) => {
    try {
      await task;
    } catch (error) {
      if (signal.aborted) return;
      if (!isApiError(error)) throw error;
      onRefused(error);
    }
  };
  await Promise.all(tasks.map(watch));
}
