import type * as LiveKit from 'livekit-client';

/** LiveKit's SDK, which is loaded when it is needed. */
export type Sdk = typeof LiveKit;

/** The name of the logger that our rooms have in LiveKit's SDK, so that the page's own rooms keep their log. */
export const LOGGER_NAME = 'session-client';

/** Loads LiveKit's SDK. A bundler puts it into a chunk of its own. */
export async function loadSdk(): Promise<Sdk> {
  const sdk = await import('livekit-client');
  sdk.getLogger(LOGGER_NAME).setLevel('silent');
  return sdk;
}
