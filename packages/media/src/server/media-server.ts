/** How to reach a LiveKit server: its WebSocket URL, and the key pair that signs tokens for the server. */
export interface MediaServer {
  readonly url: string;
  readonly apiKey: string;
  readonly apiSecret: string;
}
