import { StartError } from '@session/kit';

/** `EX_CONFIG` of sysexits: the configuration is not valid, so starting the agent again would not help. */
const BAD_CONFIGURATION = 78;

export function configurationError(message: string): StartError {
  return new StartError(message, { exitCode: BAD_CONFIGURATION });
}

export function readBoth<First, Second>(
  first: () => First,
  second: () => Second,
): readonly [First, Second] {
  const one = attempt(first);
  const other = attempt(second);
  if (one.isRead && other.isRead) return [one.value, other.value];
  const lines = [one, other].flatMap((result) => (result.isRead ? [] : [result.message]));
  throw configurationError(lines.join('\n'));
}

export function readConfiguration<T>(read: () => T): T {
  const result = attempt(read);
  if (result.isRead) return result.value;
  throw configurationError(result.message);
}

type Attempt<T> =
  | { readonly isRead: true; readonly value: T }
  | { readonly isRead: false; readonly message: string };

function attempt<T>(read: () => T): Attempt<T> {
  try {
    return { isRead: true, value: read() };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return { isRead: false, message: error.message };
  }
}
