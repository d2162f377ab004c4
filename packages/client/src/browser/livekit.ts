import type * as LiveKit from 'livekit-client';

export type Sdk = typeof LiveKit;

/** The name of the logger that our rooms have in LiveKit's SDK, so that the page's own rooms keep their log. */
export const LOGGER_NAME = 'session-client';

export async function loadSdk(): Promise<Sdk> {
  const sdk = await import('livekit-client');
  sdk.getLogger(LOGGER_NAME).setLevel('silent');
  return sdk;
}
