import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';

export interface SdkInternals {
  readonly log: { level: string };
  readonly version: string;
  readonly native: {
    livekitInitialize(
      receive: (event: Uint8Array) => void,
      captureLogs: boolean,
      version: string,
    ): void;
    readonly FfiEvent: { fromBinary(event: Uint8Array): unknown };
  };
  readonly client: EventEmitter & { request(message: object): unknown };
}

/**
 * Returns the inner parts of `@livekit/rtc-node` 1.1. Throws if its files are elsewhere, which may happen after an upgrade.
 */
export function sdkInternals(): SdkInternals {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('@livekit/rtc-node');
  const load = createRequire(entry);
  const dist = path.dirname(entry);
  return {
    log: load(path.join(dist, 'log.cjs')).log,
    version: load(path.join(dist, 'version.cjs')).SDK_VERSION,
    native: load('@livekit/rtc-ffi-bindings'),
    client: load(path.join(dist, 'ffi_client.cjs')).FfiClient.instance,
  };
}
