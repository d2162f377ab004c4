import type { MicrophoneState } from '@session/client/browser';

const PROBLEMS: ReadonlyMap<string, string> = new Map([
  [
    'denied',
    'The browser does not allow this page to use the microphone. Allow it in the settings beside the address, then try again.',
  ],
  ['absent', 'No microphone was found. Connect one, then try again.'],
  [
    'insecure',
    'Browsers offer a microphone only to pages opened by https or on this computer. Open the console at such an address to talk.',
  ],
  [
    'failed',
    'The microphone did not start. Another program may use it: close that, then try again.',
  ],
]);

export function microphoneProblem(state: MicrophoneState): string | undefined {
  return PROBLEMS.get(state);
}

const LABELS: ReadonlyMap<string, string> = new Map([
  ['off', 'Talk'],
  ['asking', 'Waiting for the browser to allow the microphone'],
  ['on', 'Mute the microphone'],
  ['muted', 'Unmute the microphone'],
]);

export function microphoneLabel(state: MicrophoneState): string {
  return LABELS.get(state) ?? 'Try the microphone again';
}

export function placeholderOf(state: MicrophoneState): string {
  if (state === 'on') return 'Listening, or write';
  if (state === 'muted') return 'Hold Space to talk, or write something';
  return 'Write something';
}
