/** A key of a LiveKit server, and the secret that signs with it. */
export interface MediaKey {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** How to reach a LiveKit server: its WebSocket URL, and the key pair that signs tokens for the server. */
export interface MediaServer extends MediaKey {
  readonly url: string;
}
