import type { BrowserRoom } from '@session/client/browser';

/** Errors are in the room's snapshot. */
export async function toggleMicrophone({ microphone, getSnapshot }: BrowserRoom): Promise<void> {
  const state = getSnapshot().microphone;
  if (state === 'asking') return;
  if (state === 'on') await microphone.mute();
  else if (state === 'muted') await microphone.unmute();
  else await microphone.enable();
}
