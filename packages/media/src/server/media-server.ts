export interface MediaKey {
  readonly apiKey: string;
  readonly apiSecret: string;
}

export interface MediaServer extends MediaKey {
  readonly url: string;
}
